import { addressOfParent } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { addedChildren, hasOwnId } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Base, BaseObject } from '../base/base-object.js'
import { isBlank } from '../compare/blank.js'
import type { Matches } from '../match/match.js'
import { isListed } from './listed.js'

/** What records must prove before they may authorise a delete (design §4, Deletes). */

/** The addresses of all that is live and not declared. */
export const undeclaredIn = (world: Matches): readonly string[] =>
  world.live.all.filter((each) => !world.claimed.has(each) && !isBlank(each)).map((each) => world.addressOfLive(each))

/** By what the receipt of one project is held against the live objects of another. */
export const claimKey = (kind: KindName, id: string, address: string): string =>
  `${kind} ${hasOwnId(kind) ? id : address}`

/** The objects that receipts of other projects claim, and those that hold one of them. */
export function ownedElsewhere(world: Matches, claims: ReadonlySet<string>): ReadonlySet<LiveObject> {
  if (claims.size === 0) return new Set()
  return withHolders(world.live.all.filter((object) => isClaimed(object, world, claims)))
}

/** Whether the receipt of another project is of that very object. */
export const isClaimed = (object: LiveObject, world: Matches, claims: ReadonlySet<string>): boolean =>
  claims.has(claimKey(object.kind, object.id, world.addressOfLive(object)))

/** The objects with everything that they lie in. */
function withHolders(objects: Iterable<LiveObject>): ReadonlySet<LiveObject> {
  const all = new Set<LiveObject>()
  for (const object of objects) {
    for (let each: LiveObject | undefined = object; each && !all.has(each); each = each.parent) all.add(each)
  }
  return all
}

/** Whether a live object is the very one that a recorded run made or took over, and not another one of the same name. */
export function isRecordedObject(known: BaseObject, object: LiveObject, base: Base): boolean {
  // A git reference has no ids; an object that was only announced may have been created by somebody else since.
  if (known.announced) return isAddedByPlatform(object) && isOfKnownParent(known, object, base)
  if (known.id === undefined) return true
  if (known.id !== object.id) return false
  return hasOwnId(object.kind) || isOfKnownParent(known, object, base)
}

/**
 * Whether managing a live object takes over what this project has not applied, as far as the base knows. What the platform
 * has made by itself is nobody's, and so is what each parent has anyway.
 */
export function isTakenOver(address: string, object: LiveObject, base: Base | undefined, world: Matches): boolean {
  if (!base || !(hasOwnId(object.kind) || catalog[object.kind].association)) return false
  const known = base.objects.get(address)
  const isAnother = known?.id !== undefined && hasOwnId(object.kind) && known.id !== object.id
  return (!known || isAnother) && !isPlatformOwned(object) && !isAdded(object, base, world)
}

/** False where the parent that was applied is gone and another one has its name. */
function isOfKnownParent(known: BaseObject, { parent }: LiveObject, base: Base): boolean {
  if (!parent) return true
  const there = base.objects.get(addressOfParent(catalog[known.kind], known.address))
  if (!there) return true
  return (
    (there.id === undefined || there.id === parent.id) &&
    (hasOwnId(parent.kind) || isOfKnownParent(there, parent, base))
  )
}

/** The platform gives an object of this name to every new parent: the error set "Default". */
export function isAddedByPlatform({ kind, key }: Pick<LiveObject, 'kind' | 'key'>): boolean {
  const row = catalog[kind].parent
  return (row && catalog[row.kind].addedByPlatform[row.field]?.includes(key)) ?? false
}

/**
 * Whether it came with its parent: by its id, or, if no record of a run that created the parent tells, by its name, unless it
 * was applied itself.
 */
export const isAdded = (object: LiveObject, base: Base | undefined, world: Matches): boolean =>
  isNoted(object, base, world) || (isAddedByPlatform(object) && !isApplied(object, base, world))

/** Whether a run applied this very object. */
export function isApplied(object: LiveObject, base: Base | undefined, world: Matches): boolean {
  const known = base?.objects.get(world.addressOfLive(object))
  return base !== undefined && known !== undefined && !known.announced && isRecordedObject(known, object, base)
}

/**
 * Whether a record says that it came with its parent, which a run created; at the end of that run, whether it is of such a
 * kind.
 */
export function isNoted({ kind, id, parent }: LiveObject, base: Base | undefined, world: Matches): boolean {
  const known = parent && base?.objects.get(world.addressOfLive(parent))
  if (!known || known.id !== parent?.id) return false
  if (known.isNew) return addedChildren(catalog[known.kind]).some((child) => child.kind.name === kind)
  return (known.added ?? []).some((each) => each.kind === kind && each.id === id)
}

/** One of the platform's own, or what lies in one. */
export function isPlatformOwned({ kind, fields, parent }: LiveObject): boolean {
  const mark = catalog[kind].platformOwned
  if (mark !== undefined && fields[mark.field] === mark.value) return true
  return parent !== undefined && isPlatformOwned(parent)
}

/** Something that would go with an object although no record knows it: a request that deletes the one deletes the other. */
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

/** The declared sibling that says that it once had this object's name: that one was renamed, it was not given up. */
export function renamedFrom(object: LiveObject, world: Matches): Resource | undefined {
  const parent = object.parent && world.addressOfLive(object.parent)
  return world.declared.formerlyNamed(parent, object.kind, object.key)[0]
}
