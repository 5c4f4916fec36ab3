import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { testClock, type World, worldIn } from '../kit/world.js'

/** What a killed run was about to create, and the manifests have no more: it may be somebody else's, so it stays, and that is told. */

const role = document('Role', 'R')
const service = document('Service', 'S', { description: 'one' })
const removed = { kind: 'Removed', metadata: { address: 'Service/S' } } as const
const told = { code: 'perhaps-ours', message: expect.stringContaining('Service/S stays') }

describe.each(makesWith())('%s', (_, makeIn) => {
  async function killed(when: 'before' | 'after', announced = service): Promise<World> {
    const clock = testClock()
    const make = makeIn(clock)
    const [dir, copy] = [temporaryFolder(), temporaryFolder()]
    const first = worldIn(dir, make, clock)
    first.declare(role)
    expect(await first.apply()).toMatchObject({ exitCode: 0 })
    const cut = worldIn(
      dir,
      killedAt(make, { write: 0, when }, () => dir, copy),
      { now: clock.now, sleep: () => Promise.resolve() },
    )
    cut.declare(role, announced)
    await cut.apply()
    await clock.sleep(600_000)
    return worldIn(copy, make, clock)
  }

  test('made, and not declared any more', async () => {
    const world = await killed('after')
    world.declare(role)
    const plan = await world.plan()
    expect(plan.changes).toEqual([])
    expect(plan.diagnostics).toContainEqual(expect.objectContaining(told))
    expect((await world.plan('--prune', 'none')).diagnostics).not.toContainEqual(expect.objectContaining(told))
    const all = await world.plan('--prune', 'all')
    expect(all.changes[0]).toMatchObject({ address: 'Service/S', action: 'delete' })
    expect(all.diagnostics).not.toContainEqual(expect.objectContaining(told))
  })

  test('made, and still declared', async () => {
    const world = await killed('after')
    world.declare(role, service)
    expect((await world.plan()).diagnostics).not.toContainEqual(expect.objectContaining(told))
  })

  test('made in what is still declared, beside what the platform adds by itself', async () => {
    const errorSets = (...names: readonly string[]) => ({
      errorSets: names.map((name) => ({ name, type: 'text/xml' })),
    })
    const world = await killed('after', document('Service', 'S', errorSets('Default', 'Own')))
    world.declare(role, service, document('Service', 'T', errorSets('Other')))
    const { diagnostics } = await world.plan()
    expect(diagnostics.filter(({ code }) => code === 'perhaps-ours')).toMatchObject([
      { message: expect.stringContaining('Service/S/ErrorSet/Own stays') },
    ])
  })

  test('never made', async () => {
    const world = await killed('before')
    world.declare(role)
    expect((await world.plan()).diagnostics).not.toContainEqual(expect.objectContaining(told))
  })

  test('named to go', async () => {
    const world = await killed('after')
    world.declare(role, removed)
    const plan = await world.plan()
    expect(plan.changes[0]).toMatchObject({ address: 'Service/S', action: 'delete' })
    expect(plan.diagnostics).not.toContainEqual(expect.objectContaining(told))
  })
})
