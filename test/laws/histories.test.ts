import { describe, expect, test } from 'vitest'
import { createOtherMake } from '../other-make/area.js'
import { play } from './history/play.js'
import { platform } from './within.js'

/**
 * Random histories of a project, commit by commit: after each the live area is what the manifests say, object by object, and
 * nobody is told of drift or conflicts that nobody made. Many more of them: `npm run soak -- histories`.
 */
const makes = [
  { make: 'document', origin: 'known', with: platform, seeds: [41, 45, 47] },
  {
    make: 'recorded',
    origin: 'known',
    with: (clock: object) => platform({ ...clock, dialect: 'recorded' }),
    seeds: [46, 47],
  },
  {
    make: 'another',
    origin: 'documented',
    with: () => createOtherMake({ defaultErrorSet: 'unless given' }),
    seeds: [41, 42],
  },
] as const

describe.each(makes)('on the make "$make"', (row) => {
  test.each(row.seeds)('the history of seed %i', async (seed) => {
    const { findings } = await play(seed, row.with, { origin: row.origin, commits: 4, weather: 'calm' })
    expect(findings).toEqual([])
  })
})
