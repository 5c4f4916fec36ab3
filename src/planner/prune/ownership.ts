import { addressOfParent } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { addedChildren, hasOwnId } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import { type LiveObject, withAllInside } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Base, BaseObject } from '../base/base-object.js'
import { isBlank } from '../compare/blank.js'
import type { Matches } from '../match/match.js'
import { isListed } from './listed.js'

/** The proofs that records must give before they permit a delete (design §4, Deletes). */

/** The addresses of all live objects that are not declared. */
export const undeclaredIn = (world: Matches): readonly string[] =>
  world.live.all.filter((each) => !world.claimed.has(each) && !isBlank(each)).map((each) => world.addressOfLive(each))

/** The key for comparing the receipts of one project with the live objects of another. */
export const claimKey = (kind: KindName, id: string, address: string): string =>
  `${kind} ${hasOwnId(kind) ? id : address}`

/** The objects that receipts of other projects claim, and the objects that contain them. */
export function ownedElsewhere(world: Matches, claims: ReadonlySet<string>): ReadonlySet<LiveObject> {
  if (claims.size === 0) return new Set()
  return withHolders(world.live.all.filter((object) => isClaimed(object, world, claims)))
}

/** Whether another project has a receipt for exactly this object. */
export const isClaimed = (object: LiveObject, world: Matches, claims: ReadonlySet<string>): boolean =>
  claims.has(claimKeyOf(object, world))

/** The claim key of a live object. */
export const claimKeyOf = (object: LiveObject, world: Pick<Matches, 'addressOfLive'>): string =>
  claimKey(object.kind, object.id, world.addressOfLive(object))

/** The environment that declares the object, or else one that declares something in it. Undefined if there is none. */
export function environmentIn(
  object: LiveObject,
  world: Matches,
  declared: ReadonlyMap<string, string>,
): string | undefined {
  if (declared.size === 0) return undefined
  const all = withAllInside([object])
  return all.map((each) => declared.get(claimKeyOf(each, world))).find((each) => each !== undefined)
}

/** The objects and all their ancestors. */
function withHolders(objects: Iterable<LiveObject>): ReadonlySet<LiveObject> {
  const all = new Set<LiveObject>()
  for (const object of objects) {
    for (let each: LiveObject | undefined = object; each && !all.has(each); each = each.parent) all.add(each)
  }
  return all
}

/** Whether a live object is the one that a recorded run created or adopted, and not another one with the same name. */
export function isRecordedObject(known: BaseObject, object: LiveObject, base: Base): boolean {
  // A git reference has no ids. If an object was only announced, somebody else may have created it since.
  if (known.announced) return isAddedByPlatform(object) && isOfKnownParent(known, object, base)
  if (known.id === undefined) return true
  if (known.id !== object.id) return false
  return hasOwnId(object.kind) || isOfKnownParent(known, object, base)
}

/**
 * Whether declaring a live object adopts an object that this project has not applied, according to the base. Objects that the
 * platform created by itself, and objects that each parent has anyway, are not adopted.
 */
export function isTakenOver(address: string, object: LiveObject, base: Base | undefined, world: Matches): boolean {
  if (!base || !(hasOwnId(object.kind) || catalog[object.kind].association)) return false
  const known = base.objects.get(address)
  const isAnother = known?.id !== undefined && hasOwnId(object.kind) && known.id !== object.id
  return (!known || isAnother) && !isPlatformOwned(object) && !isAdded(object, base, world)
}

/** Whether the parent is the one in the base. False if that was deleted and another object has its name. */
function isOfKnownParent(known: BaseObject, { parent }: LiveObject, base: Base): boolean {
  if (!parent) return true
  const there = base.objects.get(addressOfParent(catalog[known.kind], known.address))
  if (!there) return true
  return (
    (there.id === undefined || there.id === parent.id) &&
    (hasOwnId(parent.kind) || isOfKnownParent(there, parent, base))
  )
}

/** Whether the platform adds an object with this name to every new parent: the error set "Default". */
export function isAddedByPlatform({ kind, key }: Pick<LiveObject, 'kind' | 'key'>): boolean {
  const row = catalog[kind].parent
  return (row && catalog[row.kind].addedByPlatform[row.field]?.includes(key)) ?? false
}

/**
 * Whether the object was created with its parent. The ids in the record decide. Without a record of the run that created the
 * parent, the name decides, unless the object itself was applied.
 */
export const isAdded = (object: LiveObject, base: Base | undefined, world: Matches): boolean =>
  isNoted(object, base, world) || (isAddedByPlatform(object) && !isInBase(object, base, world))

/** Whether a run applied exactly this object. */
export function isInBase(object: LiveObject, base: Base | undefined, world: Matches): boolean {
  const known = base?.objects.get(world.addressOfLive(object))
  return base !== undefined && known !== undefined && !known.announced && isRecordedObject(known, object, base)
}

/**
 * Whether a record says that the object was created with its parent by a run. At the end of that run itself, the kind of the
 * object decides.
 */
export function isNoted({ kind, id, parent }: LiveObject, base: Base | undefined, world: Matches): boolean {
  const known = parent && base?.objects.get(world.addressOfLive(parent))
  if (!known || known.id !== parent?.id) return false
  if (known.isNew) return addedChildren(catalog[known.kind]).some((child) => child.kind.name === kind)
  return (known.added ?? []).some((each) => each.kind === kind && each.id === id)
}

/** Whether the object, or an ancestor, is one of the platform's own. */
export function isPlatformOwned({ kind, fields, parent }: LiveObject): boolean {
  const mark = catalog[kind].platformOwned
  if (mark !== undefined && fields[mark.field] === mark.value) return true
  return parent !== undefined && isPlatformOwned(parent)
}

/** An object inside the given one that no record knows and that would be deleted with it. Undefined if there is none. */
export function unrecordedInside(object: LiveObject, base: Base, world: Matches): LiveObject | undefined {
  for (const child of object.children) {
    const known = base.objects.get(world.addressOfLive(child))
    const isKnown = known !== undefined && isRecordedObject(known, child, base)
    if (isListed(child) && !isKnown && !isAdded(child, base, world)) return child
    const inner = unrecordedInside(child, base, world)
    if (inner) return inner
  }
  return undefined
}

/** The declared sibling that had this object's name earlier, according to its manifest: the object was renamed, not given up. */
export function renamedFrom(object: LiveObject, world: Matches): Resource | undefined {
  const parent = object.parent && world.addressOfLive(object.parent)
  return world.declared.formerlyNamed(parent, object.kind, object.key)[0]
}
