import { describe, expect, test } from 'vitest'
import { createOtherMake } from '../other-make/area.js'
import { type Clock, play } from './history/play.js'
import { platform } from './within.js'

/**
 * Random histories of a project, commit by commit: after each commit, the live area matches the manifests, object by object,
 * and no drift or conflict is reported that nobody made. On the rough ones, the program is killed and interrupted, answers are
 * lost, creates are late, and lists lag. On some, people do other things between the commits: roll back, export, edit by hand.
 * To run many more: `npm run soak -- histories`.
 */
const makes = [
  { make: 'document', origin: 'known', with: platform, calm: [41, 45, 12], rough: [8], between: [53] },
  {
    make: 'recorded',
    origin: 'known',
    with: (clock: Clock) => platform({ ...clock, dialect: 'recorded' }),
    calm: [9, 46],
    rough: [13],
    between: [31],
  },
  {
    make: 'another',
    origin: 'documented',
    with: () =>
      createOtherMake({ defaultErrorSet: 'unless given', errorSetName: 'Standard', singles: 'bare', pageLimit: 7 }),
    calm: [44, 42],
    rough: [1],
    between: [12],
  },
] as const

describe.each(makes)('on the make "$make"', (row) => {
  const cases = [
    ...row.calm.map((seed) => ['calm', seed, 'nothing'] as const),
    ...row.rough.map((seed) => ['rough', seed, 'nothing'] as const),
    ...row.between.map((seed) => ['calm', seed, 'something'] as const),
  ]
  test.each(cases)('a %s history, seed %i, with %s between its commits', async (weather, seed, between) => {
    const { findings } = await play(seed, row.with, { origin: row.origin, commits: 4, weather, between })
    expect(findings).toEqual([])
  })
})
