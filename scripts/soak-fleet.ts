import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { startRollout } from '../src/fleet/serve/controls.js'
import { withControls } from '../src/fleet/serve/open-controls.js'
import { rolloutStatus } from '../src/fleet/serve/status.js'
import { brandName, brands } from '../test/kit/brands.js'
import { controlPorts, fleetWorkers, workerFromSource } from '../test/kit/fleet-workers.js'
import { mostInASecond } from '../test/kit/most-in-a-second.js'
import { dropDatabase, freshDatabase } from '../test/kit/postgres.js'
import { say } from './say.js'

/**
 * Kills workers of a fleet at random while scheduled drift and rollouts run. Then it checks: each area has one result for each
 * scheduled time, nothing was applied twice (in the platforms' logs), and no limit was exceeded (by the platforms' clocks).
 * Usage: .ci/postgres npx tsx scripts/soak-fleet.ts [KILLS [AREAS]]
 */

const kills = Number(process.argv[2] ?? 10)
const count = Number(process.argv[3] ?? 8)
const program = `${import.meta.dirname}/../dist/bin.js`
const perSecond = 4

const database = await freshDatabase()
const place = { file: 'gatewright.fleet.yaml', line: 1, column: 1 }
const ground = await brands({
  count,
  drift: { schedule: '*/10 * * * * *', timezone: 'UTC', jitterMs: 2_000 },
  rollout: {
    waves: [
      { labels: {}, percent: 25, bakeMs: 1_000, approve: false, place },
      { labels: {}, percent: undefined, bakeMs: 0, approve: false, place },
    ],
    stop: { failures: undefined, failedPercent: undefined },
  },
  keys: { shared: { requestsPerSecond: perSecond, requestsPerDay: undefined, concurrency: 2, credentials: {} } },
  area: (index) => (index < count / 2 ? { key: 'shared' } : {}),
})
const workers = fleetWorkers({ brands: ground, database, start: workerFromSource, program })
const client = new Client({ connectionString: database })
await client.connect()
const rows = async <Row extends object>(sql: string): Promise<readonly Row[]> => (await client.query<Row>(sql)).rows
const ports = controlPorts(ground, database)
const faults: string[] = []

try {
  for (let index = 0; index < 3; index += 1) await workers.open()
  const descriptions: string[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    // The manifests change only between rollouts: otherwise the plans of a rollout would be stale.
    if ((await openRollouts()) === 0) {
      descriptions.push(`description ${kill}`)
      ground.declare(`description ${kill}`)
      const name = await withControls(ground.fleet, ports, (controls, who) => startRollout(controls, who, () => true))
      say(`rollout ${name} started`)
    }
    await setTimeout(1_000 + Math.random() * 8_000)
    await workers.replaceOldest()
    say(`killed ${kill + 1} of ${kills}`)
  }
  await finished()
  await checkResults()
  checkWrites(descriptions.length)
  checkRate()
} finally {
  await workers.close()
  await client.end()
  await ground.close()
  await dropDatabase(database)
}
say(faults.length === 0 ? 'Everything held.' : faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1

/** Waits until all rollouts have ended. The schedule continues in the meantime. */
async function finished(): Promise<void> {
  for (;;) {
    if ((await openRollouts()) === 0) break
    await setTimeout(1_000)
  }
  for (const { rollout } of await rows<{ rollout: string }>('select rollout from gatewright.fleet_rollouts')) {
    const status = await withControls(ground.fleet, ports, ({ store }) => rolloutStatus(store, rollout))
    say(`rollout ${rollout}: ${JSON.stringify(status?.waves.map(({ states }) => states))}`)
    for (const { area, state, why } of status?.dropped ?? []) faults.push(`${rollout} ${area}: ${state} ${why ?? ''}`)
  }
}

async function openRollouts(): Promise<number> {
  return (await rows('select rollout from gatewright.fleet_rollouts where ended is null')).length
}

async function checkResults(): Promise<void> {
  // The last scheduled round and its jobs need some time.
  await setTimeout(15_000)
  const rounds = await rows<{ occasion: string; areas: number; results: number }>(
    `select occasion, count(distinct area)::int as areas, count(*)::int as results from gatewright.fleet_results
      where occasion like 'drift %' and started < now() - interval '15 seconds' group by occasion order by occasion`,
  )
  say(`${rounds.length} moments of the schedule`)
  const unfinished = rounds.slice(0, -2).filter(({ areas, results }) => areas !== count || results !== count)
  faults.push(...unfinished.map(({ occasion, areas, results }) => `${occasion}: ${results} results of ${areas} areas`))
}

/** Checks that each rollout changed the description once, and that the service was created once. */
function checkWrites(rollouts: number): void {
  ground.platforms.forEach(({ platform }, index) => {
    const changing = platform.log.filter(({ method, status }) => method !== 'GET' && status === 200)
    const creates = changing.filter(({ method, path }) => method === 'POST' && path.endsWith('/services')).length
    const updates = changing.filter(({ method }) => method === 'PUT').length
    if (creates !== 1 || updates > rollouts - 1) {
      faults.push(`${brandName(index)}: ${creates} creates and ${updates} updates by ${rollouts} rollouts`)
    }
  })
}

/** Checks the calls of the shared key, for all areas together: in every second they must be within its limit. */
function checkRate(): void {
  const shared = [...ground.calls].flatMap(([area, times]) => (sharedAreas().includes(area) ? times : []))
  const most = mostInASecond(shared)
  say(`${shared.length} calls of the shared key, at most ${most} in a second`)
  if (most > perSecond) faults.push(`${most} calls in a second, and the key allows ${perSecond}`)
}

function sharedAreas(): readonly string[] {
  return ground.fleet.areas.filter(({ key }) => key === 'shared').map(({ name }) => name)
}
