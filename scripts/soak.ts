import { playEverywhere } from '../test/laws/history/everywhere.js'
import { storm } from '../test/laws/storm.js'

/**
 * The long soak test: `npm run soak -- [HOW_MANY] [FIRST_SEED]`, by default 500 seeds from 1. Each seed generates an area and a
 * schedule of faults, applies until nothing is left, and compares the result with that of a run without faults.
 *
 * `npm run soak -- histories [HOW_MANY] [FIRST_SEED] [COMMITS] [WITHOUT]` applies random histories of commits to the embedded
 * platform in both dialects and to the other make. Two of three histories have kills, lost answers, late creates and lists that
 * lag. WITHOUT leaves out edits ("2.1,2.3"), to reduce a failing history.
 */
interface Outcome {
  readonly seed: number
  readonly about: string
  readonly findings: readonly string[]
  readonly counts: Readonly<Record<string, number>>
}

const [first = '', ...rest] = process.argv.slice(2)
const isHistories = first === 'histories'
const [howMany = isHistories ? '100' : '500', firstSeed = '1', commits = '6', without = ''] = isHistories
  ? rest
  : [first || undefined, ...rest]

async function stormy(seed: number): Promise<Outcome> {
  const { faults, findings, applies } = await storm(seed)
  return { seed, about: ` (${faults.join(' ')})`, findings, counts: { applies } }
}

async function historical(seed: number): Promise<Outcome> {
  const { findings, seed: _seed, ...counts } = await playEverywhere(seed, Number(commits), new Set(without.split(',')))
  return { seed, about: '', findings, counts }
}

const soak = isHistories ? historical : stormy
const total: Record<string, number> = {}
let failed = 0
for (let seed = Number(firstSeed); seed < Number(firstSeed) + Number(howMany); seed += 1) {
  const outcome = await soak(seed).catch(
    (error: unknown): Outcome => ({
      seed,
      about: '',
      findings: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
      counts: {},
    }),
  )
  for (const [name, count] of Object.entries(outcome.counts)) total[name] = (total[name] ?? 0) + count
  if (outcome.findings.length === 0) continue
  failed += 1
  console.log(`seed ${seed}${outcome.about}:`)
  for (const finding of outcome.findings) console.log(`  ${finding}`)
}
const counts = Object.entries(total).map(([name, count]) => `${count} ${name}`)
console.log(`${howMany} seeds from ${firstSeed}, ${counts.join(', ')}, ${failed} seeds with findings`)
process.exitCode = failed > 0 ? 1 : 0
