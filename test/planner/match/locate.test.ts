import { expect, test } from 'vitest'
import { normalize } from '../../../src/client/normalize.js'
import { indexLive } from '../../../src/live/live-index.js'
import { declaredIn } from '../../../src/planner/match/declared.js'
import { locate, type Sides } from '../../../src/planner/match/locate.js'
import { document, manifestText } from '../../kit/manifests.js'
import { manifestsIn } from '../../manifest/manifests-of.js'

/** Names are looked up in the declared objects before the live ones; called directly, with a match made by hand. */

const live = indexLive(
  normalize({ services: ['Orders', 'Twice', 'Twice'].map((name, index) => ({ id: `s${index}`, name })) }, ['Service']),
)
const [orders] = live.all
const declared = declaredIn(
  manifestsIn(manifestText([document('Service', 'Sales', {}), document('Service', 'New', {})])).resources,
)
const sides: Sides = {
  declared,
  live,
  // "Sales" was called "Orders" before.
  matched: new Map(orders ? [['Service/Sales', orders]] : []),
  addressOfLive: ({ key }) => `live ${key}`,
}

test.each([
  ['a declared name', { name: 'Sales' }, 'Service/Sales s0'],
  ['a declared name of a new object', { name: 'New' }, 'Service/New -'],
  ['a declared name with the id of its object', { name: 'Sales', id: 's0' }, 'Service/Sales s0'],
  ['a declared name with another id', { name: 'Sales', id: 's1' }, 'nothing'],
  ['a live name', { name: 'Orders' }, 'live Orders s0'],
  ['a live name of several objects', { name: 'Twice' }, 'several'],
  ['one of several objects by its id', { name: 'Twice', id: 's2' }, 'live Twice s2'],
  ['an unknown name', { name: 'Nobody' }, 'nothing'],
])('%s', (_, name, expected) => {
  const found = locate(sides, 'Service', name, undefined)
  expect(typeof found === 'string' ? found : `${found.address} ${found.live?.id ?? '-'}`).toBe(expected)
})

test('resources are ordered parents first, siblings of one kind together, whatever the order of the manifests', () => {
  const documents = [
    document('Endpoint', { service: 'S', name: 'e' }, { requestPathAlias: '/e', trafficManagerDomain: 'tm' }),
    document('Service', 'S', {}),
    document('Role', 'R', {}),
  ]
  const { resources } = manifestsIn(manifestText(documents))
  const { groups } = declaredIn([...resources].reverse())
  expect(groups.map((each) => each.map(({ address }) => address))).toEqual([
    ['Service/S'],
    ['Role/R'],
    ['Service/S/Endpoint/e'],
  ])
})
