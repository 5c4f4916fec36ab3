import { describe, expect, test } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { type Make, testClock, type World, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** A create that a killed run announced is awaited, even if a run of other files has ended since. */

const makes: readonly (readonly [string, (clock: Clock) => Make])[] = [
  ['the embedded platform', (clock) => createPlatform({ idSeed: 'test', ...clock })],
  ['another make', () => createOtherMake()],
]

type Clock = ReturnType<typeof testClock>

/** A make that carries out its first create of a service half a minute after the request. */
function slow(make: Make, clock: Clock): Make {
  const late: { request?: Request; readonly at: number }[] = []
  return {
    log: make.log,
    fetch: async (request) => {
      for (const each of late) {
        const { request: sent } = each
        if (!sent || clock.now() < each.at) continue
        delete each.request
        await make.fetch(sent)
      }
      const isCreate = request.method === 'POST' && new URL(request.url).pathname.endsWith('/services')
      if (!isCreate || late.length > 0) return make.fetch(request)
      late.push({ request, at: clock.now() + 30_000 })
      return new Response('', { status: 504 })
    },
  }
}

describe.each(makes)('%s', (_, makeIn) => {
  /** An area after a run that was killed when it had sent the create of a service; some roles were created. */
  async function killed(): Promise<{ readonly area: World; readonly clock: Clock }> {
    const clock = testClock()
    const make = slow(makeIn(clock), clock)
    const [dir, copy] = [temporaryFolder(), temporaryFolder()]
    const dead = { now: clock.now, sleep: () => Promise.resolve() }
    const cut = worldIn(
      dir,
      killedAt(make, { write: 0, when: 'after' }, () => dir, copy),
      dead,
    )
    cut.declare(document('Service', 'Late', { description: 'one' }))
    await cut.apply()
    const area = worldIn(copy, make, clock)
    area.declare(
      document('Service', 'Late', { description: 'one' }),
      document('Service', 'A', { description: 'two' }),
      document('Service', 'B', { description: 'three' }),
    )
    return { area, clock }
  }

  const services = async ({ make }: World) =>
    (await (await restOf(make)).get('/services?fields=name')).map(({ name }) => name).sort()

  test('it is still awaited after a run of other files, and after a second one', async () => {
    const { area } = await killed()
    for (const name of ['A', 'B']) {
      const some = await area.run(['apply', '--yes', '--select', `Service/${name}`])
      expect([some.exitCode, some.stderr]).toEqual([0, some.stderr])
      expect(some.stderr).not.toContain('Late')
    }
    const plan = await area.plan()
    expect(plan.diagnostics.map(({ code }) => code)).toContain('perhaps-being-created')
    const rest = await area.run(['apply', '--yes'])
    expect([rest.exitCode, rest.stderr]).toEqual([0, rest.stderr])
    expect(rest.stderr).toContain('for Service/Late, which an interrupted run may still be creating')
    expect(await services(area)).toEqual(['A', 'B', 'Late'])
    expect((await area.plan()).changes).toEqual([])
  })

  test('it is awaited no longer than any other create', async () => {
    const { area, clock } = await killed()
    expect((await area.run(['apply', '--yes', '--select', 'Service/A'])).exitCode).toBe(0)
    await clock.sleep(61_000)
    const rest = await area.run(['apply', '--yes'])
    expect(rest.exitCode).toBe(0)
    expect(rest.stderr).not.toContain('may still be creating')
    expect(await services(area)).toEqual(['A', 'B', 'Late'])
  })

  test('a rollback of the run of other files does not affect it', async () => {
    const { area, clock } = await killed()
    expect((await area.run(['apply', '--yes', '--select', 'Service/A'])).exitCode).toBe(0)
    await clock.sleep(31_000)
    const undone = await area.run(['rollback', 'latest', '--yes'])
    expect([undone.exitCode, undone.stderr]).toEqual([0, undone.stderr])
    expect(await services(area)).toEqual(['Late'])
  })
})
