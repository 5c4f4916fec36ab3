import { expect, test } from 'vitest'
import { storm } from './storm.js'

/** The first seeds of the long soak (`npm run soak`); to run one failed seed: `npm run soak -- 1 SEED`. */
test.each(Array.from({ length: 12 }, (_, index) => index + 1))('the storm of seed %i', async (seed) => {
  const { findings } = await storm(seed)
  expect(findings).toEqual([])
})
