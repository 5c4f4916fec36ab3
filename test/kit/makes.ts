import { createPlatform } from '../../src/platform/server.js'
import { createOtherMake } from '../other-make/area.js'
import { type Make, testClock } from './world.js'

type Clock = ReturnType<typeof testClock>

/** The embedded platform in both of its dialects, and the other make. A clock is given if it is not only for the platform. */
export const makesWith = (
  another: Parameters<typeof createOtherMake>[0] = {},
): readonly (readonly [string, (clock?: Clock) => Make])[] => [
  ['document', (clock = testClock()) => createPlatform({ autoApprove: true, idSeed: 'test', ...clock })],
  [
    'recorded',
    (clock = testClock()) => createPlatform({ autoApprove: true, idSeed: 'test', dialect: 'recorded', ...clock }),
  ],
  ['another make', () => createOtherMake(another)],
]
