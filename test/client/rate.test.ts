import { describe, expect, test } from 'vitest'
import type { Io } from '../../src/cli/io.js'
import { createPlatform } from '../../src/platform/server.js'
import { document, projectText } from '../kit/manifests.js'
import { mostInASecond } from '../kit/most-in-a-second.js'
import { embedded, type Make, testClock, type World, world as worldOf } from '../kit/world.js'

/** As many changes as are needed for the promised shares: in a shorter run, finding the rate takes too large a part. */
const count = 2000
const roles = Array.from({ length: count }, (_, index) => ({ id: `role-${index}`, name: `Role ${index}` }))
const described = roles.map(({ name }) => document('Role', name, { description: 'as it should be' }))

const project = (platform: string): string =>
  projectText(`  platform: {${platform}}\n  limits: {deletes: 10000, changedPercent: 100}\n`)

interface Measured {
  /** The used share of the platform's limit of 20 calls a second, from the first to the last call. */
  readonly share: number
  readonly refused: number
  readonly mostInOneSecond: number
}

/** A world that notes when requests were sent. */
function timed(headers: 'sent' | 'left out'): { world: World; starts: number[] } {
  const clock = testClock()
  const platform = createPlatform({ autoApprove: true, idSeed: 'rate', qps: 20, seed: { roles }, now: clock.now })
  const starts: number[] = []
  const make: Make = {
    log: platform.log,
    fetch: async (request) => {
      starts.push(clock.now())
      const response = await platform.fetch(request)
      if (headers === 'sent') return response
      for (const name of [...response.headers.keys()])
        if (name.startsWith('x-packagekey')) response.headers.delete(name)
      return response
    },
  }
  return { world: worldOf(make, clock), starts }
}

async function applyAt(platform: string, headers: 'sent' | 'left out'): Promise<Measured> {
  const { world, starts } = timed(headers)
  world.write('gatewright.yaml', project(platform))
  world.declare(...described)
  const run = await world.run(['apply', '--yes'])
  expect(run.exitCode).toBe(0)
  expect(run.stderr).toMatch(/sent \d+ requests and 1 for the token, \d+\.\d a second/)
  const sent = world.requests()
  const seconds = ((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / 1000
  return {
    share: sent.filter(({ status }) => status === 200).length / seconds / 20,
    refused: sent.filter(({ status }) => status === 403).length / sent.length,
    mostInOneSecond: mostInASecond(starts),
  }
}

describe(`an apply of ${count} changes against 20 calls a second`, () => {
  test('keeps the rate of the project file', async () => {
    const measured = await applyAt('requestsPerSecond: 20', 'left out')
    expect(measured.share).toBeGreaterThan(0.95)
    expect(measured.refused).toBeLessThan(0.01)
    expect(measured.mostInOneSecond).toBeLessThanOrEqual(20)
  })

  test.each(['sent', 'left out'] as const)(
    'finds the rate if none is set and the usage headers are %s',
    async (headers) => {
      const measured = await applyAt('concurrency: 8', headers)
      expect(measured.share).toBeGreaterThan(0.8)
      expect(measured.refused).toBeLessThan(0.03)
    },
  )
})

test.each(['0.0001', '1e999', '-1', 'many'])(
  'a rate of %s calls a second is ignored: nothing waits for it',
  async (told) => {
    const clock = testClock()
    const platform = createPlatform({ autoApprove: true, idSeed: 'rate', now: clock.now })
    const fetch: Make['fetch'] = async (request) => {
      const response = await platform.fetch(request)
      response.headers.set('x-packagekey-qps-allotted', told)
      return response
    }
    const world = worldOf({ log: platform.log, fetch }, clock)
    const start = clock.now()
    world.declare(document('Role', 'R'), document('Domain', 'example.com'))
    expect((await world.apply()).exitCode).toBe(0)
    expect(clock.now() - start).toBeLessThan(10_000)
  },
)

describe('the daily quota', () => {
  test('ends the run with a list of the remaining changes, and a later apply continues', async () => {
    const clock = testClock()
    const io: Partial<Io> = { now: clock.now, sleep: clock.sleep }
    const world = embedded({ dailyQuota: 12, now: clock.now }, io)
    world.declare(...Array.from({ length: 30 }, (_, index) => document('Role', `Role ${index}`)))
    const planned = await world.run(['plan'])
    // The token, the reading, and this warning: 30 creates, and the final reading.
    expect(planned.stderr).toMatch(
      /an apply would send about 3\d requests, and 1[01] calls of the day are left to this key/,
    )
    await clock.sleep(86_400_000)
    const first = await world.run(['apply', '--yes'])
    expect(first.exitCode).toBe(3)
    expect(first.stderr).toContain('[quota-too-small]')
    expect(first.stderr).toContain('of 12 calls of the day are used')
    expect(first.stdout + first.stderr).toMatch(/quota/)
    const made = world.make.log.filter(
      ({ method, path, status }) => method === 'POST' && path.endsWith('/roles') && status < 300,
    )
    expect(made.length).toBeGreaterThan(5)
    for (let day = 0; day < 5; day += 1) {
      await clock.sleep(86_400_000)
      const next = await world.apply()
      if (next.exitCode === 0) break
      expect(next.json().summary.notStarted).toBeGreaterThan(0)
      expect(next.json().summary.failed).toBe(0)
    }
    await clock.sleep(86_400_000)
    expect((await world.plan()).changes).toEqual([])
    const names = world.make.log.filter(
      ({ method, path, status }) => method === 'POST' && path.endsWith('/roles') && status < 300,
    )
    expect(names).toHaveLength(30)
  })
})
