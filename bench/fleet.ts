import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { say } from '../scripts/say.js'
import { maskOf } from '../src/engine/masking.js'
import { runAreaJob } from '../src/fleet/area-job.js'
import { childrenOf } from '../src/fleet/child.js'
import { rolloutsQueue } from '../src/fleet/serve/names.js'
import { withControls } from '../src/fleet/serve/open-controls.js'
import { brands } from '../test/kit/brands.js'
import { controlPorts, fleetWorkers, workerFromSource } from '../test/kit/fleet-workers.js'
import { dropDatabase, freshDatabase } from '../test/kit/postgres.js'

/**
 * Drift of many small areas with workers on PostgreSQL: areas per minute, the overhead of the server per job, and the size of the
 * database. The platforms run in this process. Usage: npm run build && .ci/postgres npx tsx bench/fleet.ts [AREAS [WORKERS
 * [JOBS]]]
 */

const [areas = 100, workerCount = 3, jobs = 7] = process.argv.slice(2).map(Number)
const program = `${import.meta.dirname}/../dist/bin.js`
const database = await freshDatabase()
const ground = await brands({ count: areas })
const client = new Client({ connectionString: database })
await client.connect()
const one = async (sql: string): Promise<number> => Number((await client.query<{ n: string }>(sql)).rows[0]?.n)
const workers = fleetWorkers({
  ...{ brands: ground, database, jobs, program },
  start: workerFromSource,
})
const ports = controlPorts(ground, database)

try {
  const alone = await plain()
  for (let index = 0; index < workerCount; index += 1) await workers.open()
  const rounds: { readonly seconds: number; readonly bytes: number }[] = []
  for (const round of ['first', 'second']) {
    const before = await one('select pg_database_size(current_database()) as n')
    const seconds = await drift(round)
    rounds.push({ seconds, bytes: (await one('select pg_database_size(current_database()) as n')) - before })
  }
  const [, second] = rounds
  const job = await one("select avg(seconds) as n from gatewright.fleet_results where occasion = 'drift second'")
  const answered = await one(
    "select count(*) as n from gatewright.fleet_results where state not in ('error', 'not-started')",
  )
  say(`${areas} areas, ${workerCount} workers with ${jobs} jobs each; ${answered} of ${2 * areas} jobs had an answer`)
  say(`drift of all: ${rounds.map(({ seconds }) => `${seconds.toFixed(1)} s`).join(', then ')}`)
  say(`areas a minute: ${((60 * areas) / (second?.seconds ?? 1)).toFixed(0)}`)
  say(`one area by the plain command, alone: ${alone.toFixed(2)} s; a job beside the others: ${job.toFixed(2)} s`)
  const slots = Math.min(areas, workerCount * jobs)
  say(`what the server adds to a job: ${((slots * (second?.seconds ?? 0)) / areas - job).toFixed(2)} s of its slot`)
  const bytes = (second?.bytes ?? 0) / areas
  say(
    `database: ${bytes.toFixed(0)} bytes a job of the second round; every 6 h that is ${(4 * bytes).toFixed(0)} bytes an area and day`,
  )
  say(`computed, not measured, for 10,000 areas and 90 days: ${((bytes * 4 * 90 * 10_000) / 1e9).toFixed(1)} GB`)
} finally {
  await workers.close()
  await client.end()
  await ground.close()
  await dropDatabase(database)
}

/** The time in seconds for the drift of one area with `fleet drift`, while nothing else runs. */
async function plain(): Promise<number> {
  const [area] = ground.fleet.areas
  if (!area) return 0
  const taken: number[] = []
  for (let run = 0; run < 5; run += 1) {
    const result = await runAreaJob(
      { area, key: undefined, command: 'drift', folder: `${ground.dir}/plain`, timeoutMs: 60_000, words: [] },
      {
        ...{ env: ground.env, cwd: ground.dir, now: Date.now, signal: new AbortController().signal },
        ...{ mask: maskOf(ground.env), child: childrenOf([process.execPath, program]) },
      },
    )
    taken.push(result.seconds)
  }
  return taken.reduce((sum, each) => sum + each, 0) / taken.length
}

/** The time in seconds from the scheduled moment until the last result is stored. */
async function drift(moment: string): Promise<number> {
  const began = Date.now()
  await withControls(ground.fleet, ports, ({ fleet, workflows }) =>
    workflows.enqueue({
      ...{ workflow: 'drift', id: `round ${moment}`, input: { at: moment } },
      ...{ queue: rolloutsQueue(fleet), partition: fleet.name },
    }),
  )
  while ((await one(`select count(*) as n from gatewright.fleet_results where occasion = 'drift ${moment}'`)) < areas) {
    await setTimeout(100)
  }
  return (Date.now() - began) / 1000
}
