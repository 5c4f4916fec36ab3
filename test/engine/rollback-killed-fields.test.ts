import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { makesWith } from '../kit/makes.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, type World, worldIn } from '../kit/world.js'

/**
 * A rollback is killed that has restored fields which nobody had applied before the undone run: they belong to nobody again.
 */

const domain = document('Domain', 'example.com')
const service = (name: string, spec: { readonly description?: string } = {}) =>
  document('Service', name, { version: '1', ...spec })
const before = [domain, service('X'), service('Y'), service('Z')]
const after = [domain, service('X', { description: 'ours' }), service('Y', { description: 'ours' })]

async function applied(area: World, documents: readonly DocumentText[], ...more: readonly string[]): Promise<void> {
  area.declare(...documents)
  const run = await area.apply(...more)
  expect(run, run.stdout).toMatchObject({ exitCode: 0 })
}

const services = async (make: Make) => (await restOf(make)).get('/services?fields=id,name,description')

async function describeByHand(make: Make): Promise<void> {
  const rest = await restOf(make)
  for (const { id, name } of await services(make)) {
    await rest.put(`/services/${id}`, { id: String(id), name: String(name), description: 'by hand' })
  }
}

/** When the rollback is killed: at this write, with this number at once. */
const kills = [1, 8].flatMap((concurrency) => [0, 1, 2].map((write) => [concurrency, write] as const))

/** A rollback that is killed. */
interface Killed {
  readonly make: Make
  readonly clock: ReturnType<typeof testClock>
  readonly area: World
  readonly concurrency: number
  readonly write: number
}

/** The project after a rollback of its latest run was killed. */
async function killedRollback({ make, clock, area, concurrency, write }: Killed) {
  const run = (await area.run(['history'])).stdout.split('\n')[3]?.split(' ')[0] ?? ''
  const copy = temporaryFolder()
  const killing = killedAt(make, { write, when: 'after' }, () => area.dir, copy)
  // Further work of a dead run takes no time.
  const dead = worldIn(area.dir, killing, { now: clock.now, sleep: () => Promise.resolve() })
  dead.project(`  platform: {concurrency: ${concurrency}}\n`)
  expect((await dead.run(['rollback', run, '--yes'])).exitCode).toBe(3)
  await clock.sleep(600_000)
  return { next: worldIn(copy, make, clock), run }
}

/** A killed rollback of a run that has overwritten fields, and deleted an object with one. */
async function killedFields(makeIn: (clock: ReturnType<typeof testClock>) => Make, concurrency: number, write: number) {
  const clock = testClock()
  const make = makeIn(clock)
  const area = worldIn(temporaryFolder(), make, clock)
  await applied(area, before)
  await describeByHand(make)
  await applied(area, after)
  return { make, ...(await killedRollback({ make, clock, area, concurrency, write })) }
}

describe.each(makesWith({ defaultErrorSet: 'always' }))('%s, killed', (_, makeIn) => {
  test.each(kills)('with %i writes at once, after write %i, and run again', async (concurrency, write) => {
    const { make, next, run } = await killedFields(makeIn, concurrency, write)
    const again = await next.run(['rollback', run, '--yes'])
    expect(again, again.stdout + again.stderr).toMatchObject({ exitCode: 0 })
    next.declare(...before)
    expect((await next.plan()).changes).toEqual([])
    expect((await services(make)).map(({ description }) => description)).toEqual(['by hand', 'by hand', 'by hand'])
  })

  test.each(kills)(
    'with %i writes at once, after write %i, and the manifests before the run applied',
    async (concurrency, write) => {
      const { make, next } = await killedFields(makeIn, concurrency, write)
      const isByHand = async () => (await services(make)).filter(({ description }) => description === 'by hand').length
      const there = await isByHand()
      // If there are several at once, running writes may arrive or not.
      expect(there).toBeGreaterThan(write)
      await applied(next, before)
      expect(await isByHand()).toBe(there)
    },
  )

  test('after it restored an object that no run had created: no apply deletes it', async () => {
    const clock = testClock()
    const make = makeIn(clock)
    const area = worldIn(temporaryFolder(), make, clock)
    await applied(area, [domain])
    const rest = await restOf(make)
    for (const name of ['one', 'two']) await rest.post('/services', { name })
    await applied(area, [domain], '--prune', 'all')
    expect(await services(make)).toEqual([])
    const { next } = await killedRollback({ make, clock, area, concurrency: 1, write: 1 })
    await applied(next, [domain])
    expect((await services(make)).map(({ name }) => String(name)).sort()).toEqual(['one', 'two'])
  })
})
