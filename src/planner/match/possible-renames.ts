import { catalog } from '../../catalog/catalog.js'
import { childFields, referredKind } from '../../catalog/queries.js'
import { canonical, sameValue } from '../../catalog/value.js'
import type { Json } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Change, CreateChange, Unmanaged } from '../plan.js'
import type { Matches } from './match.js'

/**
 * Marks creates beside a vanished or unmanaged sibling with the same fields under another name: a new id loses keys, so
 * a rename that was not declared must not pass for a create (design §4, Adoption and renames).
 */
export function findPossibleRenames(
  desired: readonly Change[],
  unmanaged: readonly Unmanaged[],
  deletes: readonly Change[],
  world: Matches,
): readonly Change[] {
  const going = new Set(deletes.flatMap((change) => (change.action === 'delete' ? [change.live] : [])))
  const extra = new Set(unmanaged.filter((each) => each.inList).map((each) => each.id))
  const weigh = (object: LiveObject) => (going.has(object) || extra.has(object.id) ? 1 : 2)
  return desired.map((change) => {
    if (change.action !== 'create' || !mayBeRenamed(change, world)) return change
    const sibling = siblings(change, world).find(
      (object) => !world.claimed.has(object) && similarity(change.resource, object, world) >= weigh(object),
    )
    return sibling ? { ...change, suspect: { address: world.addressOfLive(sibling), name: sibling.key } } : change
  })
}

/** Links are known by what they link to, secret keys by their value: neither can be renamed. */
export function mayBeRenamed(change: CreateChange, world: Matches): boolean {
  const kind = catalog[change.kind]
  if (kind.naming === undefined || kind.association || kind.fixedSet || kind.fields[kind.naming]?.secret) return false
  return !world.matched.has(change.address)
}

/** The live objects among which a create would put another one. */
export function siblings(change: CreateChange, world: Matches): readonly LiveObject[] {
  const { parent } = change.resource
  if (parent === undefined) return world.live.among(change.kind, undefined)
  const live = world.matched.get(parent)
  return live ? world.live.among(change.kind, live) : []
}

/** How many written values, children included, the live object has as well; 0 if any of them differs. */
function similarity(resource: Resource, object: LiveObject, world: Matches): number {
  const kind = catalog[resource.kind]
  let same = 0
  for (const [name, written] of Object.entries(resource.fields)) {
    const field = kind.fields[name]
    if (!field || name === kind.naming || field.writeOnly || referredKind(field)) continue
    if (!sameValue(field.type, written, object.fields[name], field.default)) return 0
    if (isTelling(canonical(field.type, written), canonical(field.type, field.default))) same += 1
  }
  return same + sameChildren(resource, object, world)
}

const isTelling = (value: Json | undefined, byDefault: Json | undefined): boolean =>
  value !== undefined && value !== false && JSON.stringify(value) !== JSON.stringify(byDefault)

/** One for each list of children in which the declared and the live names are the same. */
function sameChildren(resource: Resource, object: LiveObject, world: Matches): number {
  return childFields(catalog[resource.kind]).filter((child) => {
    if (child.single) return false
    const declared = world.declaredUnder(resource.address, child.kind.name).map((each) => each.key)
    const live = new Set(world.live.among(child.kind.name, object).map((each) => each.key))
    return declared.length > 0 && declared.length === live.size && declared.every((key) => live.has(key))
  }).length
}
