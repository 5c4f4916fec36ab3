import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { makesWith } from '../kit/makes.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, type World, worldIn } from '../kit/world.js'

/** A rollback is killed that has put back fields which nobody had applied before the undone run: they are nobody's again. */

const domain = document('Domain', 'example.com')
const service = (name: string, spec: { readonly description?: string } = {}) =>
  document('Service', name, { version: '1', ...spec })
const before = [domain, service('X'), service('Y'), service('Z')]
const after = [domain, service('X', { description: 'ours' }), service('Y', { description: 'ours' })]

async function applied(area: World, ...documents: readonly DocumentText[]): Promise<void> {
  area.declare(...documents)
  const run = await area.apply()
  expect(run, run.stdout).toMatchObject({ exitCode: 0 })
}

const services = async (make: Make) => (await restOf(make)).get('/services?fields=id,name,description')

async function describeByHand(make: Make): Promise<void> {
  const rest = await restOf(make)
  for (const { id, name } of await services(make)) {
    await rest.put(`/services/${id}`, { id: String(id), name: String(name), description: 'by hand' })
  }
}

/** When the rollback is killed: at that write of so many at once. */
const kills = [1, 8].flatMap((concurrency) => [0, 1, 2].map((write) => [concurrency, write] as const))

/** The project as it is once a rollback of a run that has written over these fields was killed. */
async function killedRollback(make: Make, clock: ReturnType<typeof testClock>, concurrency: number, write: number) {
  const area = worldIn(temporaryFolder(), make, clock)
  await applied(area, ...before)
  await describeByHand(make)
  await applied(area, ...after)
  const run = (await area.run(['history'])).stdout.split('\n')[3]?.split(' ')[0] ?? ''
  const copy = temporaryFolder()
  const killing = killedAt(make, { write, when: 'after' }, () => area.dir, copy)
  // What a dead run goes on to do takes no time.
  const dead = worldIn(area.dir, killing, { now: clock.now, sleep: () => Promise.resolve() })
  dead.project(`  platform: {concurrency: ${concurrency}}\n`)
  expect((await dead.run(['rollback', run, '--yes'])).exitCode).toBe(3)
  await clock.sleep(600_000)
  return { next: worldIn(copy, make, clock), run }
}

describe.each(makesWith({ defaultErrorSet: 'always' }))('%s, killed', (_, makeIn) => {
  test.each(kills)('at one write of %i, after write %i, and run again', async (concurrency, write) => {
    const clock = testClock()
    const make = makeIn(clock)
    const { next, run } = await killedRollback(make, clock, concurrency, write)
    const again = await next.run(['rollback', run, '--yes'])
    expect(again, again.stdout + again.stderr).toMatchObject({ exitCode: 0 })
    next.declare(...before)
    expect((await next.plan()).changes).toEqual([])
    expect((await services(make)).map(({ description }) => description)).toEqual(['by hand', 'by hand', 'by hand'])
  })
})
