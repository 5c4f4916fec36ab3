import { expect, it } from 'vitest'
import { warnOnce } from '../../src/workflows/warn-once.js'

it('a repeated error is reported once in ten minutes', () => {
  const shown: string[] = []
  let at = 0
  const warn = warnOnce(
    (message) => shown.push(message),
    () => at,
  )
  for (let second = 0; second < 900; second += 1) {
    at = second * 1000
    warn(new Error(`queue a: connect ECONNREFUSED 127.0.0.1:${second}\n    at somewhere`))
    warn(`queue b: connect ECONNREFUSED. Retrying in ${second / 100}s (attempt ${second})`)
  }
  expect(shown).toEqual([
    'queue a: connect ECONNREFUSED 127.0.0.1:0',
    'queue b: connect ECONNREFUSED. Retrying in 0s (attempt 0)',
    'queue a: connect ECONNREFUSED 127.0.0.1:600',
    'queue b: connect ECONNREFUSED. Retrying in 6s (attempt 600)',
  ])
})
