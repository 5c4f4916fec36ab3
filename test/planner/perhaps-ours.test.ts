import { describe, expect, test } from 'vitest'
import { perhapsOurs } from '../../src/problems/planning.js'
import { temporaryFolder } from '../kit/folder.js'
import { git } from '../kit/git.js'
import { killedAt } from '../kit/kill.js'
import { makesWith } from '../kit/makes.js'
import { document, manifestText } from '../kit/manifests.js'
import { testClock, type World, worldIn } from '../kit/world.js'

/**
 * Objects that a killed run was about to create, and that the manifests do not have any more: they may belong to somebody else,
 * so they stay, and a warning is reported.
 */

const role = document('Role', 'R')
const service = document('Service', 'S', { description: 'one' })
const removed = { kind: 'Removed', metadata: { address: 'Service/S' } } as const
const told = { code: 'perhaps-ours', message: expect.stringContaining('Service/S stays') }

test('more than ten such objects get one warning, which names all of them', () => {
  const names = Array.from({ length: 11 }, (_, index) => `Service/${index}`)
  expect(perhapsOurs(names)).toMatchObject([{ message: expect.stringMatching(/^11 objects stay: .*Service\/10$/) }])
  expect(perhapsOurs(names.slice(1))).toHaveLength(10)
})

describe.each(makesWith())('%s', (_, makeIn) => {
  const newPlace = () => {
    const clock = testClock()
    return { clock, make: makeIn(clock) }
  }

  async function killed(
    when: 'before' | 'after',
    announced = service,
    before = [role],
    place = newPlace(),
  ): Promise<World> {
    const { clock, make } = place
    const [dir, copy] = [temporaryFolder(), temporaryFolder()]
    const first = worldIn(dir, make, clock)
    first.declare(...before)
    expect(await first.apply()).toMatchObject({ exitCode: 0 })
    const cut = worldIn(
      dir,
      killedAt(make, { write: 0, when }, () => dir, copy),
      { now: clock.now, sleep: () => Promise.resolve() },
    )
    cut.declare(...before, announced)
    await cut.apply()
    await clock.sleep(600_000)
    return worldIn(copy, make, clock)
  }

  test('a created object that is not declared any more is reported', async () => {
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

  test('a created object that is still declared is not reported', async () => {
    const world = await killed('after')
    world.declare(role, service)
    expect((await world.plan()).diagnostics).not.toContainEqual(expect.objectContaining(told))
  })

  test('an object created in a declared object is reported, but not the objects that the platform adds by itself', async () => {
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

  test('a created object is still reported if only some of the manifests were applied since', async () => {
    const world = await killed('after')
    world.declare(role)
    world.write('other/q.yaml', manifestText([document('Role', 'Q')]))
    for (let times = 0; times < 2; times += 1) {
      const some = await world.apply('-f', 'other/q.yaml')
      expect([some.stderr, some.exitCode]).toEqual([some.stderr, 0])
      expect(some.json().diagnostics).not.toContainEqual(expect.objectContaining(told))
    }
    expect((await world.plan()).diagnostics).toContainEqual(expect.objectContaining(told))
    expect((await world.apply()).json().diagnostics).toContainEqual(expect.objectContaining(told))
    expect((await world.plan()).diagnostics).not.toContainEqual(expect.objectContaining(told))
  })

  test('a created object is still reported after an apply with a commit as the base that does not have it', async () => {
    const world = await killed('after')
    world.declare(role)
    git(world.dir, 'init', '--quiet', '--template=')
    git(world.dir, 'add', 'gatewright.yaml', 'manifests')
    git(world.dir, 'commit', '--quiet', '-m', 'applied')
    world.declare(role, document('Role', 'Q'))
    const some = await world.apply('--base', 'HEAD')
    expect([some.stdout, some.exitCode]).toEqual([some.stdout, 0])
    expect((await world.plan()).diagnostics).toContainEqual(expect.objectContaining(told))
  })

  test('a created object is reported once more if only some manifests were applied since and the rest has nothing to do', async () => {
    const world = await killed('after')
    world.declare(role)
    expect((await world.apply('-f', 'manifests')).exitCode).toBe(0)
    const first = await world.apply()
    expect(first.exitCode).toBe(0)
    expect(first.json().diagnostics).toContainEqual(expect.objectContaining(told))
    const runs = (await world.run(['history'])).stdout
    for (let times = 0; times < 2; times += 1)
      expect((await world.apply()).json().diagnostics).not.toContainEqual(expect.objectContaining(told))
    expect((await world.run(['history'])).stdout).toBe(runs)
  })

  test('a created object is still reported if an earlier run was rolled back since', async () => {
    const domain = document('Domain', 'example.com')
    const world = await killed('after', service, [role, domain])
    const [first = ''] = (await world.run(['history'])).stdout.match(/\S+(?=.* done )/) ?? []
    const undone = await world.run(['rollback', first, '--yes', '--allow', 'TRAFFIC_STOP'])
    expect([undone.stderr, undone.exitCode]).toEqual([undone.stderr, 0])
    expect(undone.stdout).toContain('2 applied')
    world.declare(role)
    expect((await world.plan()).diagnostics).toContainEqual(expect.objectContaining(told))
  })

  test('a created object that was declared in a later apply and is not declared any more is deleted', async () => {
    const world = await killed('after')
    world.declare(role, service)
    expect((await world.apply('-f', 'manifests', '--prune', 'none')).exitCode).toBe(0)
    world.declare(role)
    const plan = await world.plan()
    expect(plan.changes[0]).toMatchObject({ address: 'Service/S', action: 'delete' })
    expect(plan.diagnostics).not.toContainEqual(expect.objectContaining(told))
  })

  describe('a role of a service', () => {
    const link = document('ServiceRole', { service: 'S', name: 'R' }, { action: 'read' })
    const toldOf = { code: 'perhaps-ours', message: expect.stringContaining('Service/S/ServiceRole/R stays') }

    test('of a declared service is reported', async () => {
      const world = await killed('after', link, [role, service])
      world.declare(role, service)
      expect((await world.plan()).diagnostics).toContainEqual(expect.objectContaining(toldOf))
      world.declare(role, service, link)
      const declared = await world.plan()
      expect([declared.changes, declared.diagnostics]).toEqual([[], []])
    })

    test('of a service that nobody declares is reported', async () => {
      const place = newPlace()
      const others = worldIn(temporaryFolder(), place.make, place.clock)
      others.project('', 'others')
      others.declare(role, service)
      await others.apply()
      const world = await killed('after', link, [role], place)
      world.declare(role)
      expect((await world.plan()).diagnostics).toContainEqual(expect.objectContaining(toldOf))
    })

    test('of a service that writes its roles is not reported', async () => {
      const world = await killed('after', link, [role, service])
      world.declare(role, document('Service', 'S', { description: 'one', roles: [] }))
      const plan = await world.plan()
      expect(plan.changes).toMatchObject([{ address: 'Service/S', action: 'update' }])
      expect(plan.diagnostics).not.toContainEqual(expect.objectContaining(toldOf))
    })
  })

  test('an object that was never created is not reported', async () => {
    const world = await killed('before')
    world.declare(role)
    expect((await world.plan()).diagnostics).not.toContainEqual(expect.objectContaining(told))
  })

  test('an object that a Removed document names is deleted and not reported', async () => {
    const world = await killed('after')
    world.declare(role, removed)
    const plan = await world.plan()
    expect(plan.changes[0]).toMatchObject({ address: 'Service/S', action: 'delete' })
    expect(plan.diagnostics).not.toContainEqual(expect.objectContaining(told))
  })
})
