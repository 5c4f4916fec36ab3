import { expect, it } from 'vitest'
import { createPlatform } from '../../src/platform/server.js'
import { document } from '../kit/manifests.js'
import { environment, type Make, testClock, world } from '../kit/world.js'

/** The times of the requests, in a run with these limits of the project and of the variable. */
async function startsWith(project: number | undefined, variable: string) {
  const clock = testClock()
  const platform = createPlatform({ autoApprove: true, now: clock.now })
  const starts: number[] = []
  const make: Make = {
    log: platform.log,
    fetch: (request) => {
      starts.push(clock.now())
      return platform.fetch(request)
    },
  }
  const shop = world(make, { ...clock, env: { ...environment, GATEWRIGHT_REQUESTS_PER_SECOND: variable } })
  const rate = project === undefined ? '' : `requestsPerSecond: ${project}`
  shop.project(`  platform: {${rate}}\n`)
  shop.declare(document('Role', 'A', {}), document('Role', 'B', {}))
  const run = await shop.run(['apply', '--yes'])
  return { run, starts }
}

const seconds = (starts: readonly number[]): number => ((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / 1000

it('limits the rate, whatever the project file allows', async () => {
  const { run, starts } = await startsWith(100, '2')
  expect(run.exitCode).toBe(0)
  expect(starts.length).toBeGreaterThan(4)
  expect(seconds(starts)).toBeGreaterThanOrEqual((starts.length - 1) / 2 - 0.025)
})

it('does not raise it', async () => {
  const { starts } = await startsWith(2, '100')
  expect(seconds(starts)).toBeGreaterThanOrEqual((starts.length - 1) / 2 - 0.025)
})

it.each(['0', '-1', 'two', '1e3'])('is refused as %s', async (variable) => {
  const { run, starts } = await startsWith(undefined, variable)
  expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('invalid-option') })
  expect(starts).toEqual([])
})
