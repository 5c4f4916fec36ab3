import { expect, test } from 'vitest'
import { normalize } from '../../../src/client/normalize.js'
import type { BaseObject } from '../../../src/planner/base/base-object.js'
import { SinceBase } from '../../../src/planner/compare/since-base.js'
import { compareThreeWays } from '../../../src/planner/compare/three-way.js'
import { match } from '../../../src/planner/match/match.js'
import { noRemovals } from '../../../src/planner/references/scope.js'
import { document, manifestText } from '../../kit/manifests.js'
import { manifestsIn } from '../../manifest/manifests-of.js'

/** One field of one object: the applied, the live and the desired value; undefined: not written. */
interface Sides {
  readonly base: string
  readonly live: string
  readonly desired: string | undefined
  readonly take?: 'live' | 'manifest'
}

function compared({ base, live, desired, take }: Sides) {
  const spec = desired === undefined ? {} : { description: desired }
  const world = match(
    manifestsIn(manifestText([document('Service', 'S', { version: '2', ...spec })])),
    normalize({ services: [{ id: 's', name: 'S', version: '1', description: live }] }, ['Service']),
    () => '',
  )
  const [resource, object] = [world.resources.get('Service/S'), world.live.byId('Service', 's')]
  if (!resource || !object) throw new Error('the test lacks its objects')
  const fields = { name: 'S', version: '1', description: base }
  const applied: BaseObject = { address: 'Service/S', kind: 'Service', id: 's', fields, fingerprints: {} }
  const scope = { names: world, removals: noRemovals }
  const since = new SinceBase(resource, applied, object, { scope, fingerprint: () => undefined })
  const found = compareThreeWays(resource, object, since, { references: scope, take, isAccepted: () => false })
  const { verdict, after } = found.fields.find(({ path }) => path === '/description') ?? {}
  const sent = found.values.description
  return { verdict, after, isSent: sent !== undefined, released: found.released, left: found.left }
}

const nothing = { verdict: undefined, after: undefined, isSent: false, released: [], left: [] }

test.each([
  [
    'only the manifests changed',
    { base: 'a', live: 'a', desired: 'b' },
    { verdict: 'pending', after: 'b', isSent: true },
  ],
  [
    'only the live side changed',
    { base: 'a', live: 'b', desired: 'a' },
    { verdict: 'drift', after: 'a', isSent: true },
  ],
  ['both changed', { base: 'a', live: 'b', desired: 'c' }, { verdict: 'conflict', after: 'c', isSent: true }],
  ['both changed to the same', { base: 'a', live: 'b', desired: 'b' }, {}],
  ['nothing changed', { base: 'a', live: 'a', desired: 'a' }, {}],
  [
    'it is not written any more, and is live as it was applied',
    { base: 'a', live: 'a', desired: undefined },
    { verdict: 'pending', after: null, isSent: true },
  ],
  [
    'it is not written any more, and somebody changed it',
    { base: 'a', live: 'b', desired: undefined },
    { released: [{ path: '/description', because: 'changed' }] },
  ],
  ['both changed, and live has it', { base: 'a', live: 'b', desired: 'c', take: 'live' }, { left: ['/description'] }],
] as const)('%s', (_, sides, expected) => {
  expect(compared(sides)).toEqual({ ...nothing, ...expected })
})
