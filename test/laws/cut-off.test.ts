import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restOf } from '../kit/rest.js'
import { type Make, worldIn } from '../kit/world.js'
import { areas } from './area.js'
import { applied, platform, runs, within } from './within.js'

/** A make whose connection breaks for good at one write, before or after the write is done. */
function dyingAt(make: Make, write: number, when: 'before' | 'after'): Make {
  let writes = 0
  const lost = () => new TypeError('fetch failed', { cause: Object.assign(new Error('gone'), { code: 'ECONNRESET' }) })
  return {
    log: make.log,
    fetch: async (request) => {
      if (writes > write) throw lost()
      if (request.method === 'GET' || request.url.endsWith('/token')) return make.fetch(request)
      writes += 1
      if (writes <= write) return make.fetch(request)
      if (when === 'after') await make.fetch(request)
      throw lost()
    },
  }
}

/** The number of objects in each collection. */
async function census(make: Make): Promise<Readonly<Record<string, number>>> {
  const rest = await restOf(make)
  const collections = [
    'services',
    'packages',
    'domains',
    'members',
    'applications',
    'packageKeys',
    'scheduledMaintenanceEvents',
    'roles',
  ]
  const counts = await Promise.all(collections.map(async (name) => (await rest.get(`/${name}?limit=1000`)).length))
  return Object.fromEntries(collections.map((name, index) => [name, counts[index] ?? 0]))
}

test('an interrupted apply that is run again ends in the same state as an uninterrupted one, and creates nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(areas('known'), fc.nat(12), fc.constantFrom('before', 'after'), async (area, at, when) => {
      const uncut = platform()
      await within(uncut, area, (world) => applied(world))
      const make = platform()
      await within(dyingAt(make, at, when), area, async (world) => {
        const cut = await world.apply()
        expect([0, 1, 3]).toContain(cut.exitCode)
        // The same folder, with its records, and a connection that works again.
        const again = worldIn(world.dir, make, world.io)
        await applied(again)
        expect((await again.plan()).changes).toEqual([])
      })
      expect(await census(make)).toEqual(await census(uncut))
    }),
    runs(10),
  )
})
