import { expect, it } from 'vitest'
import { tellOnce } from '../../src/workflows/tell-once.js'

it('a repeated error is reported once in ten minutes', () => {
  const told: string[] = []
  let at = 0
  const tell = tellOnce(
    (message) => told.push(message),
    () => at,
  )
  for (let second = 0; second < 900; second += 1) {
    at = second * 1000
    tell(new Error(`queue a: connect ECONNREFUSED 127.0.0.1:${second}\n    at somewhere`))
    tell(`queue b: connect ECONNREFUSED. Retrying in ${second / 100}s (attempt ${second})`)
  }
  expect(told).toEqual([
    'queue a: connect ECONNREFUSED 127.0.0.1:0',
    'queue b: connect ECONNREFUSED. Retrying in 0s (attempt 0)',
    'queue a: connect ECONNREFUSED 127.0.0.1:600',
    'queue b: connect ECONNREFUSED. Retrying in 6s (attempt 600)',
  ])
})
