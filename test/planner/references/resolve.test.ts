import { expect, test } from 'vitest'
import { catalog } from '../../../src/catalog/catalog.js'
import { normalize } from '../../../src/client/normalize.js'
import { match } from '../../../src/planner/match/match.js'
import { referenceProblems } from '../../../src/planner/references/problems.js'
import { resolve } from '../../../src/planner/references/resolve.js'
import { noRemovals } from '../../../src/planner/references/scope.js'
import { document, manifestText } from '../../kit/manifests.js'
import { manifestsIn } from '../../manifest/manifests-of.js'

/** The result for the role of a service, with two live roles of which one is deleted, and a new one that is declared. */

const manifests = manifestsIn(
  manifestText([
    document('Service', 'S', { roles: ['Old'] }),
    document('Role', 'New', {}),
    document('Role', 'Kept', {}),
  ]),
)
const live = {
  services: [{ id: 's', name: 'S' }],
  roles: ['Kept', 'Going', 'Twice', 'Twice'].map((name, index) => ({ id: `r${index}`, name })),
}
const world = match(manifests, normalize(live, ['Service', 'Role'], ['ServiceRole']), () => '')
const service = world.resources.get('Service/S')
const field = catalog.Service.fields.roles
if (!service || !field) throw new Error('the test lacks its objects')

const going = world.live.byId('Role', 'r1')
const scope = { names: world, removals: { ...noRemovals, deleted: new Set(going ? [going] : []) } }
const resolved = (name: string) => resolve(service, field, [{ name }], scope)

test.each([
  ['a live object', 'Kept', { is: 'live', id: 'r0' }],
  ['an object that the plan creates', 'New', { is: 'desired', address: 'Role/New' }],
])('%s', (_, name, target) => {
  expect(resolved(name)).toMatchObject({ entries: [{ target, name }], broken: [] })
})

test.each([
  ['nothing', 'Nobody', 'reference-to-nothing'],
  ['one of several objects', 'Twice', 'ambiguous-reference'],
  ['an object that the plan deletes', 'Going', 'reference-to-removed'],
])('%s is a problem, reported once however often it is resolved', (_, name, code) => {
  const [first, second] = [resolved(name), resolved(name)]
  expect(first.entries).toEqual([])
  const problems = referenceProblems([...first.broken, ...second.broken], new Map(), scope)
  expect(problems.map((each) => each.code)).toEqual([code])
})
