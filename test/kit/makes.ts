import { createPlatform } from '../../src/platform/server.js'
import { createOtherMake } from '../other-make/area.js'
import { type Make, testClock } from './world.js'

type Clock = ReturnType<typeof testClock>

/**
 * The embedded platform in both of its dialects, and the other make. The caller gives a clock if it also uses the clock itself.
 */
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
