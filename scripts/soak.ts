import { storm } from '../test/soak/storm.js'

/**
 * The long soak: `npm run soak -- [HOW_MANY] [FIRST_SEED]`, 500 seeds from 1 by default. Each draws an area and a schedule of
 * faults, applies until nothing is left to do, and compares the outcome with that of a run without faults.
 */
const [howMany = '500', firstSeed = '1'] = process.argv.slice(2)
const first = Number(firstSeed)
let failed = 0
let applies = 0

for (let seed = first; seed < first + Number(howMany); seed += 1) {
  const outcome = await storm(seed).catch((error: unknown) => ({
    seed,
    faults: [],
    applies: 0,
    findings: [String(error)],
  }))
  applies += outcome.applies
  if (outcome.findings.length > 0) {
    failed += 1
    console.log(`seed ${seed} (${outcome.faults.join(' ')}):`)
    for (const finding of outcome.findings) console.log(`  ${finding}`)
  }
}
console.log(`${howMany} seeds from ${first}, ${applies} applies, ${failed} seeds with findings`)
process.exitCode = failed > 0 ? 1 : 0
