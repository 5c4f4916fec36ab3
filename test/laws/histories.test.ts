import { describe, expect, test } from 'vitest'
import { createOtherMake } from '../other-make/area.js'
import { type Clock, play } from './history/play.js'
import { platform } from './within.js'

/**
 * Random histories of a project, commit by commit: after each the live area is what the manifests say, object by object, and
 * nobody is told of drift or conflicts that nobody made. On the rough ones the program is killed and interrupted, answers are
 * lost, creates are late, and lists lag. Many more of them: `npm run soak -- histories`.
 */
const makes = [
  { make: 'document', origin: 'known', with: platform, calm: [41, 45, 12], rough: [8] },
  {
    make: 'recorded',
    origin: 'known',
    with: (clock: Clock) => platform({ ...clock, dialect: 'recorded' }),
    calm: [9, 46],
    rough: [13],
  },
  {
    make: 'another',
    origin: 'documented',
    with: () =>
      createOtherMake({ defaultErrorSet: 'unless given', errorSetName: 'Standard', singles: 'bare', pageLimit: 7 }),
    calm: [44, 42],
    rough: [1],
  },
] as const

describe.each(makes)('on the make "$make"', (row) => {
  const cases = [
    ...row.calm.map((seed) => ['calm', seed] as const),
    ...row.rough.map((seed) => ['rough', seed] as const),
  ]
  test.each(cases)('a %s history, seed %i', async (weather, seed) => {
    const { findings } = await play(seed, row.with, { origin: row.origin, commits: 4, weather })
    expect(findings).toEqual([])
  })
})
