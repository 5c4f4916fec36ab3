import { afterEach, expect, it, vi } from 'vitest'
import { everLasting, lasting } from '../../../src/fleet/serve/lasting.js'
import { ProblemError } from '../../../src/problems/problem.js'
import { databaseFailed } from '../../../src/problems/records.js'

afterEach(() => void vi.restoreAllMocks())

/** Fails as long as the database is away, for this number of hours. */
function away(hours: number): () => Promise<string> {
  const back = Date.now() + hours * 3_600_000
  let now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  return () => {
    if (now >= back) return Promise.resolve('there')
    now += 3_600_001
    return Promise.reject(new ProblemError([databaseFailed('fleet', 'postgres://here', 'it is away')]))
  }
}

it('a result is kept for an hour, and one that a rollout waits for as long as the database is away', async () => {
  await expect(lasting(away(3))).rejects.toThrow('it is away')
  expect(await everLasting(away(3))).toBe('there')
  expect(await lasting(away(0))).toBe('there')
})
