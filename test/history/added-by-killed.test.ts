import { join } from 'node:path'
import { expect, test } from 'vitest'
import { disturbed, inherit } from '../kit/disturbed.js'
import { temporaryFolder } from '../kit/folder.js'
import { document } from '../kit/manifests.js'
import { testClock, worldIn } from '../kit/world.js'
import { platform } from '../laws/within.js'

const domain = document('Domain', 'example.com')
const service = (errorSets?: readonly string[]) =>
  document('Service', 'S', {
    description: 'x',
    ...(errorSets && { errorSets: errorSets.map((name) => ({ name, type: 'text/json' })) }),
  })

test.each(['before', 'after'] as const)(
  'the automatic error set of a service that a killed run has made goes when its list is written (killed %s the next write)',
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
