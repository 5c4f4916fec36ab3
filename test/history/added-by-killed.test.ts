import { join } from 'node:path'
import { expect, test } from 'vitest'
import { disturbed, inherit } from '../kit/disturbed.js'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { makesWith } from '../kit/makes.js'
import { document } from '../kit/manifests.js'
import { testClock, world, worldIn } from '../kit/world.js'
import { platform } from '../laws/within.js'

const domain = document('Domain', 'example.com')
const service = (errorSets?: readonly string[]) =>
  document('Service', 'S', {
    description: 'x',
    ...(errorSets && { errorSets: errorSets.map((name) => ({ name, type: 'text/json' })) }),
  })

test.each(['before', 'after'] as const)(
  'the automatic error set of a service that a killed run created is deleted when its list is written (killed %s the next write)',
  async (when) => {
    const root = temporaryFolder()
    const clock = testClock()
    const reached = disturbed(platform(clock), clock)
    const io = { ...clock, sleep: reached.sleep }
    const killed = worldIn(join(root, 'killed'), reached, io)
    killed.declare(domain, service(), document('Package', 'P'), document('Role', 'R'))
    reached.meet({ misfortunes: new Map([[4, { is: 'killed', when }]]), lagMs: 0 }, () => undefined)
    const running = killed.apply()
    await Promise.race([reached.killed(), running])
    await inherit(killed.dir, join(root, 'next'))
    reached.bury()
    await running

    reached.meet({ misfortunes: new Map(), lagMs: 0 }, () => undefined)
    const next = worldIn(join(root, 'next'), reached, io)
    expect((await next.apply()).exitCode).toBe(0)
    next.declare(domain, service(['A']), document('Package', 'P'), document('Role', 'R'))
    const changes = (await next.apply()).json().changes.map(({ action, address }) => `${action} ${address}`)
    expect(changes).toEqual(['create Service/S/ErrorSet/A', 'delete Service/S/ErrorSet/Default'])
    expect((await next.drift()).exitCode).toBe(0)
  },
)

test.each(makesWith({ defaultErrorSet: 'always' }))(
  'on the make "%s" the automatic error set that a run left at the end of the quota is not called removed from the manifests',
  async (_, makeIn) => {
    const make = makeIn()
    let isOver = false
    const overRate = () => new Response('', { status: 403, headers: { 'X-Error-Code': 'ERR_403_DEVELOPER_OVER_RATE' } })
    const limited = world({
      log: make.log,
      fetch: async (request) => {
        if (isOver) return overRate()
        const answer = await make.fetch(request)
        isOver = request.method === 'POST' && new URL(request.url).pathname.endsWith('/services')
        return answer
      },
    })
    limited.declare(service(['A']))
    expect((await limited.apply()).exitCode).toBe(3)
    isOver = false
    const { changes } = await limited.plan()
    expect(changes.find(({ address }) => address === 'Service/S/ErrorSet/Default')).toMatchObject({
      action: 'delete',
      reason: 'the platform added it by itself, and the written list lacks it',
    })
    expect((await limited.apply()).exitCode).toBe(0)
    expect((await limited.plan()).changes).toEqual([])
  },
)

test.each(makesWith({ defaultErrorSet: 'always' }))(
  'on the make "%s" it stays after a rollback of the run that took over the service, and is reported as unmanaged in its list (A423)',
  async (_, makeIn) => {
    const clock = testClock()
    const [folder, copy] = [temporaryFolder(), temporaryFolder()]
    const make = makeIn(clock)
    const killing = killedAt(make, { write: 1, when: 'after' }, () => folder, copy)
    const killed = worldIn(folder, killing, { now: clock.now, sleep: () => Promise.resolve() })
    killed.project('  platform: {concurrency: 1}\n')
    const set = document('ErrorSet', { service: 'S', name: 'A' }, { type: 'text/json' })
    killed.declare(domain, service(), set)
    expect((await killed.apply()).exitCode).toBe(3)
    await clock.sleep(600_000)

    const next = worldIn(copy, make, clock)
    const role = document('Role', 'R')
    next.declare(domain, service(), set, role)
    expect((await next.apply()).exitCode).toBe(0)
    expect((await next.run(['rollback', 'latest', '--yes'])).stderr).toContain('[managed-no-more]')
    expect((await next.apply()).exitCode).toBe(0)
    next.declare(domain, service(['A']), role)
    const { changes, unmanaged } = await next.plan()
    expect([changes, unmanaged]).toEqual([
      [],
      [{ address: 'Service/S/ErrorSet/Default', id: expect.any(String), inList: true }],
    ])
    expect((await next.drift()).exitCode).toBe(2)
  },
)
