import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { dropDatabase, freshDatabase, postgresServer } from '../test/kit/postgres.js'
import { playEverywhere } from '../test/laws/history/everywhere.js'
import { data } from '../test/laws/reliability/data.js'
import { fullDisk } from '../test/laws/reliability/disk.js'
import type { Effort, Figure } from '../test/laws/reliability/figure.js'
import { brokenLists, damagedRecords, editedPlans, lostAnswers } from '../test/laws/reliability/in-process.js'
import { kills } from '../test/laws/reliability/kills.js'

/**
 * The figures of docs/explanation/reliability.md: `npm run reliability -- [--count PERCENT] [--seed N] [--only NAME] [--write]`.
 * Everything is derived from the seed, uses only the loopback interface, and ends by itself. `--count 10` runs a tenth of it;
 * `--write` writes the figures to the page. Records in PostgreSQL are tested if GATEWRIGHT_TEST_POSTGRES names a server.
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const effort = (usual: number): Effort => ({
  count: Math.max(1, Math.round((usual * Number(values.count)) / 100)),
  seed: Number(values.seed),
})

const experiments: Readonly<Record<string, () => Promise<Figure>>> = {
  histories: () => histories(effort(100)),
  kills: () => kills(effort(60), 'a folder', () => Promise.resolve('file:.gatewright')),
  postgres: () => postgres(effort(30)),
  answers: () => lostAnswers(effort(220)),
  lists: () => brokenLists(effort(138)),
  records: () => damagedRecords(effort(100)),
  plans: () => editedPlans(effort(200)),
  disk: () => fullDisk(effort(24)),
  data: () => data(effort(30)),
}

async function histories({ count, seed }: Effort): Promise<Figure> {
  const failures: string[] = []
  const sum = { commits: 0, applies: 0, writes: 0, misfortunes: 0 }
  for (let index = 0; index < count; index += 1) {
    const played = await playEverywhere(seed + index, 6)
    for (const name of ['commits', 'applies', 'writes', 'misfortunes'] as const) sum[name] += played[name]
    if (played.findings.length > 0) failures.push(`seed ${seed + index}: ${played.findings.join('; ')}`)
  }
  return {
    attack:
      'random histories of commits on three makes, two of three under kills, lost answers, late creates and lagging lists',
    tried: `${count} histories, ${sum.commits} commits, ${sum.applies} applies, ${sum.writes} writes, ${sum.misfortunes} misfortunes`,
    held: 'the area is what the manifests say, object by object; the next plan is empty; no drift or conflict that nobody made; every body within the rules of the document',
    failures,
  }
}

async function postgres(own: Effort): Promise<Figure> {
  const where = 'PostgreSQL'
  if (postgresServer === undefined)
    return { ...(await kills({ ...own, count: 0 }, where, () => Promise.resolve(''))), skipped: 'no server was named' }
  const made: string[] = []
  try {
    return await kills(own, where, async () => {
      const url = await freshDatabase()
      made.push(url)
      return url
    })
  } finally {
    for (const url of made) await dropDatabase(url)
  }
}

const figures: Figure[] = []
for (const [name, experiment] of Object.entries(experiments)) {
  if (values.only !== undefined && values.only !== name) continue
  const figure = await experiment()
  figures.push(figure)
  console.log(`${name}: ${figure.skipped ?? figure.tried}; ${figure.failures.length} failures`)
  for (const failure of figure.failures) console.log(`  ${failure}`)
}

const rowOf = ({ attack, tried, held, failures, skipped }: Figure): string =>
  `| ${attack} | ${skipped === undefined ? tried : `not run: ${skipped}`} | ${held} | ${skipped === undefined ? failures.length : ''} |`

if (values.write && values.only === undefined) {
  const page = join(import.meta.dirname, '../docs/explanation/reliability.md')
  const [before = '', after = ''] = readFileSync(page, 'utf8').split(/<!-- figures -->[\s\S]*<!-- end of figures -->/)
  const head = `Seed ${values.seed}, ${values.count} percent of the usual count.`
  const table = ['| attack | tried | what must hold | failures |', '|---|---|---|---|', ...figures.map(rowOf)].join(
    '\n',
  )
  writeFileSync(page, `${before}<!-- figures -->\n${head}\n\n${table}\n<!-- end of figures -->${after}`)
}
process.exitCode = figures.some(({ failures }) => failures.length > 0) ? 1 : 0
