import { expect, test } from 'vitest'
import { temporaryFolder } from '../kit/folder.js'
import { killedAt } from '../kit/kill.js'
import { document } from '../kit/manifests.js'
import { environment, type Make, testClock, worldIn } from '../kit/world.js'
import { createOtherMake } from '../other-make/area.js'

/** A make that drops the error sets in the body of a new service. */
const withoutNestedSets = (make: Make): Make => ({
  log: make.log,
  fetch: async (request) => {
    if (request.method !== 'POST' || !request.url.split('?')[0]?.endsWith('/services')) return make.fetch(request)
    const { errorSets: _, ...body } = (await request.json()) as { readonly errorSets?: unknown }
    return make.fetch(new Request(request, { body: JSON.stringify(body) }))
  },
})

test('a set that the platform adds to a service of a killed run is not taken for a renamed one', async () => {
  const clock = testClock()
  const make = withoutNestedSets(createOtherMake({ defaultErrorSet: 'always' }))
  const [dir, copy] = [temporaryFolder(), temporaryFolder()]
  const io = { ...clock, env: environment }
  const killed = worldIn(
    dir,
    killedAt(make, { write: 0, when: 'after' }, () => dir, copy),
    io,
  )
  killed.declare(
    document('Service', 'S', {}),
    document('ErrorSet', { service: 'S', name: 'plain' }, { type: 'text/xml' }),
  )
  await killed.apply()
  const area = worldIn(copy, make, io)
  const { exitCode, stdout } = await area.apply()
  expect(exitCode, stdout).toBe(0)
  expect((await area.plan()).changes).toEqual([])
})
