import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { makesWith } from '../kit/makes.js'
import { type DocumentText, document } from '../kit/manifests.js'
import { restOf } from '../kit/rest.js'
import { testClock, worldIn } from '../kit/world.js'

/** A rollback that is killed while it restores the old name of a service: its children are known under that name. */

const domain = document('Domain', 'example.com')
const service = document('Service', 'X', { description: 'first' })
const inside = (of: string) =>
  document(
    'Endpoint',
    { service: of, name: 'e' },
    { requestPathAlias: '/e', trafficManagerDomain: 'example.com', publicDomains: ['example.com'] },
  )
const renamed = document('Service', { name: 'Z', formerly: 'X' }, { description: 'second' })

const kills = [0, 1].flatMap((write) => (['before', 'after'] as const).map((when) => ({ write, when })))

describe.each(makesWith({ defaultErrorSet: 'always' }))('%s', (_, makeIn) => {
  describe.each([
    ['that was applied', [service], ['delete Service/X', 'delete Service/X/Endpoint/e']],
    ['that somebody has created by hand', [], ['delete Service/X/Endpoint/e']],
  ] as const)('a service %s', (__, own, expected) => {
    test.each(kills)('killed $when write $write', async ({ write, when }) => {
      const clock = testClock()
      const area = worldIn(temporaryFolder(), makeIn(clock), clock)
      if (own.length === 0) await (await restOf(area.make)).post('/services', { name: 'X', description: 'first' })
      const applied = async (...documents: readonly DocumentText[]) => {
        area.declare(domain, ...documents)
        const run = await area.apply()
        expect(run, run.stdout).toMatchObject({ exitCode: 0 })
        return run.json().run ?? ''
      }
      await applied(...own, inside('X'))
      const rollback = ['rollback', await applied(inside('Z'), renamed, document('Role', 'R')), '--yes']
      const copy = temporaryFolder()
      const killed = killedAt(area.make, { write, when }, () => area.dir, copy)
      const cut = worldIn(area.dir, killed, { now: clock.now, sleep: () => Promise.resolve() })
      expect((await cut.run(rollback)).exitCode).toBe(3)
      await clock.sleep(600_000)
      const next = worldIn(copy, area.make, clock)
      const back = await next.run(rollback)
      expect(back, back.stdout + back.stderr).toMatchObject({ exitCode: 0 })
      next.declare(domain, ...own, inside('X'))
      expect((await next.plan()).changes).toEqual([])
      expect((await next.drift()).exitCode).toBe(0)
      next.declare(domain)
      const left = (await next.plan()).changes.map(({ address, action }) => `${action} ${address}`)
      expect(left).toEqual(expect.arrayContaining([...expected]))
    })
  })
})
