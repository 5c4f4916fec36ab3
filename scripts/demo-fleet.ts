import { setTimeout } from 'node:timers/promises'
import { decide, startRollout } from '../src/fleet/serve/controls.js'
import { withControls } from '../src/fleet/serve/open-controls.js'
import { rolloutStatus } from '../src/fleet/serve/status.js'
import { rolloutText } from '../src/report/fleet-status.js'
import { brandName, brands } from '../test/kit/brands.js'
import { controlPorts, fleetWorkers, workerFromSource } from '../test/kit/fleet-workers.js'
import { dropDatabase, freshDatabase, postgresServer } from '../test/kit/postgres.js'
import { say } from './say.js'

/**
 * `npm run demo:fleet`: twelve areas, each on an embedded platform in this process, and two workers with their own PostgreSQL
 * (`.ci/postgres`). It shows a canary wave, an approval, a killed worker, and a failure that stops a rollout.
 */

if (postgresServer === undefined) throw new Error('no PostgreSQL: npm run demo:fleet starts one by .ci/postgres')

const place = { file: 'gatewright.fleet.yaml', line: 1, column: 1 }
const database = await freshDatabase()
const ground = await brands({
  count: 12,
  rollout: {
    waves: [
      { labels: { ring: 'canary' }, percent: undefined, bakeMs: 1_000, approve: false, place },
      { labels: {}, percent: undefined, bakeMs: 0, approve: true, place },
    ],
    stop: { failures: 1, failedPercent: undefined },
  },
  area: (index) => (index < 2 ? { labels: { ring: 'canary' } } : {}),
})
const workers = fleetWorkers({
  ...{ brands: ground, database, jobs: 2 },
  start: workerFromSource,
  program: `${import.meta.dirname}/../dist/bin.js`,
})
const ports = controlPorts(ground, database)

try {
  say('Twelve areas, two of them canaries; two workers.')
  await workers.open()
  await workers.open()

  say('\n# A rollout: all areas are planned, and the canaries are changed.')
  const first = await start()
  await until(first, (status) => status.awaits !== null)

  say('\n# The other ten wait for an approval. Joe gives it, and one of the workers is killed while it works.')
  await withControls(ground.fleet, ports, (controls) =>
    decide(controls, { rollout: first, decision: 'approve', who: 'joe' }),
  )
  await until(first, ({ waves }) => (waves[1]?.states.applied ?? 0) > 0, 'silently')
  await workers.replaceOldest()
  await until(first, ({ ended }) => ended !== null)
  const creates = ground.platforms.map(
    ({ platform }) => platform.log.filter(({ method, path }) => method === 'POST' && path.endsWith('/services')).length,
  )
  say(`Creates that the twelve platforms have seen: ${creates.join(' ')}`)

  say('\n# The next one: the platform of a canary does not answer. No other area is touched.')
  await ground.platforms[0]?.close()
  ground.declare('second')
  await until(await start(), ({ ended }) => ended !== null)
  say(`Changes at ${brandName(11)} since then: ${ground.writes(brandName(11)) - 1}`)
} finally {
  await workers.close()
  await ground.close()
  await dropDatabase(database)
}

function start(): Promise<string> {
  return withControls(ground.fleet, ports, (controls, who) => startRollout(controls, who, () => true))
}

type Status = NonNullable<Awaited<ReturnType<typeof rolloutStatus>>>

/** Waits until the condition for the rollout is true, and shows the rollout. */
async function until(rollout: string, isSo: (status: Status) => boolean, how?: 'silently'): Promise<void> {
  await withControls(ground.fleet, ports, async ({ store }) => {
    for (;;) {
      const status = await rolloutStatus(store, rollout)
      if (status && isSo(status)) {
        if (how === undefined) say(rolloutText(status).output.trimEnd())
        return
      }
      await setTimeout(200)
    }
  })
}
