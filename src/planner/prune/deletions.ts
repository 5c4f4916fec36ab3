import { catalog } from '../../catalog/catalog.js'
import { childFields } from '../../catalog/queries.js'
import { nameMatcher } from '../../files/glob.js'
import { append } from '../../json/groups.js'
import { once } from '../../json/once.js'
import { by } from '../../json/order.js'
import type { LiveObject } from '../../live/live-object.js'
import { pathTo } from '../../live/names.js'
import type { Manifests, Removal, Resource } from '../../manifest/resource.js'
import { placeOf } from '../../manifest/source.js'
import { declaredInsideRemoved, perhapsOurs, removalAmbiguous, removalFindsNothing } from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import type { Base } from '../base/base-object.js'
import { isBlank } from '../compare/blank.js'
import type { Matches } from '../match/match.js'
import type { AcceptedDrift, PlanSettings, Unmanaged } from '../plan.js'
import type { Acceptances } from '../safety/accept.js'
import { Decisions, type Deletion } from './decisions.js'
import { deleteGone, type Known, mustStay } from './gone.js'
import { extrasInLists, isInFieldOfParent, isListed } from './listed.js'
import { environmentIn, isAdded, isClaimed, isInBase, isPlatformOwned, ownedElsewhere } from './ownership.js'

export interface Deletions {
  readonly deletions: readonly Deletion[]
  /** Additional objects that somebody accepted. */
  readonly accepted: readonly AcceptedDrift[]
  readonly unmanaged: readonly Unmanaged[]
  /**
   * Addresses of objects that were applied, are gone from the manifests, and are claimed by another project. They belong to that
   * project from now on.
   */
  readonly released: ReadonlySet<string>
  readonly problems: readonly Problem[]
}

interface DeletionInput {
  readonly manifests: Manifests
  readonly settings: PlanSettings
  readonly base: Base | undefined
  readonly ownedElsewhere: ReadonlySet<string>
  readonly declaredElsewhere?: ReadonlyMap<string, string>
  readonly accepted: Acceptances
}

/** Decides which live objects are deleted and which are only counted (design §4, Deletes). */
export function planDeletions(world: Matches, input: DeletionInput): Deletions {
  const { manifests, settings } = input
  const { removals } = manifests
  const known = knownOf(world, input)
  const decisions = new Decisions(world, input.base, input.accepted)
  deleteNamed(known, removals, decisions)
  for (const object of known.inLists.keys()) decisions.accept(object)
  const theirs = deleteGone(known, removals, decisions)
  if (settings.prune === 'all') deleteUndeclared(known, decisions)
  // Objects of kinds that manifests only refer to are not counted, unless everything is pruned.
  const declared = new Set(manifests.resources.map((resource) => resource.kind))
  const unmanaged = findUnmanaged(known, decisions).filter(
    (each) => settings.prune === 'all' || declared.has(each.kind) || each.inList,
  )
  const released = [...theirs].filter((object) => isClaimed(object, world, input.ownedElsewhere))
  return {
    deletions: decisions.deletions,
    accepted: decisions.accepted,
    unmanaged,
    released: new Set(released.map((object) => world.addressOfLive(object))),
    problems: [...decisions.problems, ...perhapsOurs(perhapsUnseen(known, removals, decisions))],
  }
}

function knownOf(world: Matches, input: DeletionInput): Known {
  const { settings, base, ownedElsewhere: claims, declaredElsewhere = new Map<string, string>() } = input
  const holding = once(() => withClaimedInside(world.claimed))
  const isNeeded = (object: LiveObject): boolean => {
    const claim = world.claimed.get(object)
    // A reference to it is not a declaration: the user who deletes it gets a message about the references.
    if (claim) return !claim.implicit
    return holding().has(object)
  }
  const isAddedHere = (object: LiveObject): boolean => isAdded(object, base, world)
  const inLists = extrasInLists(world)
  const others = ownedElsewhere(world, claims)
  const environmentOf = (object: LiveObject) => environmentIn(object, world, declaredElsewhere)
  return { world, base, settings, inLists, others, environmentOf, isAddedHere, isNeeded }
}

/** Deletes the objects that documents of kind Removed name, and single children that a manifest sets to null. */
function deleteNamed({ world, isNeeded }: Known, removals: readonly Removal[], decisions: Decisions): void {
  for (const { removal, object } of removedObjects(world, removals, decisions)) {
    if (isNeeded(object)) decisions.report(declaredInsideRemoved(removal.address, placeOf(removal.range)))
    else decisions.delete({ object, source: removal.range, reason: 'a Removed document names it' })
  }
  for (const { object, resource } of unsetChildren(world)) {
    decisions.delete({ object, source: resource.range, reason: 'the manifest says null', extra: true })
  }
}

/** Deletes objects that no manifest declares, within the scope of `prune: all`. */
function deleteUndeclared(known: Known, decisions: Decisions): void {
  const { world, settings, inLists, others, isNeeded } = known
  const isInScope = scopeTest(settings.scope)
  for (const object of world.live.all) {
    if (isNeeded(object) || !mayBePruned(object) || !isInScope(pathTo(object))) continue
    if (others.has(object) || mustStay(object, known, decisions)) continue
    const source = inLists.get(object)?.range
    decisions.delete(
      inLists.has(object)
        ? { object, source, reason: 'the written list lacks it', extra: true }
        : { object, source, reason: 'no manifest declares it (prune: all)' },
    )
  }
}

/**
 * The addresses of objects that an interrupted run may have created, that no manifest declares, and that are not deleted. Only
 * the topmost ones.
 */
function perhapsUnseen(known: Known, removals: readonly Removal[], decisions: Decisions): readonly string[] {
  const { world, settings, others, isNeeded, isAddedHere } = known
  if (settings.prune === 'none' || settings.madeFor === 'rollback') return []
  const isUnseen = (object: LiveObject): boolean =>
    !isNeeded(object) && !others.has(object) && !isAddedHere(object) && !isInFieldOfParent(object, world)
  const unseen = new Set(perhapsMade(known, removals).filter(isUnseen))
  return [...unseen]
    .filter((each) => !decisions.goes(each) && (!each.parent || !unseen.has(each.parent)))
    .map(world.addressOfLive)
    .sort()
}

/**
 * The live objects at addresses at which an interrupted run was about to create one. They may belong to somebody else, so no
 * record permits their deletion.
 */
function perhapsMade({ world, base }: Known, removals: readonly Removal[]): readonly LiveObject[] {
  const removed = new Set(removals.map((removal) => removal.address))
  const open = [...(base?.objects.values() ?? [])].filter(
    ({ address, announced }) => announced && !removed.has(address),
  )
  if (open.length === 0) return []
  const addresses = new Set(open.map(({ address }) => address))
  return world.live.all.filter((object) => !isBlank(object) && addresses.has(world.addressOfLive(object)))
}

/** The objects that Removed documents name. */
function removedObjects(
  world: Matches,
  removals: readonly Removal[],
  decisions: Decisions,
): readonly { removal: Removal; object: LiveObject }[] {
  if (removals.length === 0) return []
  const byAddress = new Map<string, LiveObject[]>()
  for (const object of world.live.all) {
    // Platforms of the recorded dialect return blank objects for children that do not exist: it is gone already.
    if (isBlank(object)) continue
    const address = world.addressOfLive(object)
    append(byAddress, address, object)
    const suffix = `~${object.id}`
    if (address.endsWith(suffix)) append(byAddress, address.slice(0, -suffix.length), object)
    else append(byAddress, address + suffix, object)
  }
  return removals.flatMap((removal) => {
    const found = byAddress.get(removal.address) ?? []
    const [object, other] = found
    const place = placeOf(removal.range)
    if (!object) decisions.report(removalFindsNothing(removal.address, place))
    else if (other) decisions.report(removalAmbiguous(removal.address, found.map((each) => each.id).sort(), place))
    return object && !other ? [{ removal, object }] : []
  })
}

/** Single children that their parent's manifest writes as null. */
function unsetChildren(world: Matches): readonly { object: LiveObject; resource: Resource }[] {
  const holders = [...world.resources.values()].filter((resource) => resource.removedChildren.length > 0)
  return holders.flatMap((resource) => {
    const parent = world.matched.get(resource.address)
    if (!parent) return []
    return childFields(catalog[resource.kind])
      .filter((child) => resource.removedChildren.includes(child.field))
      .flatMap((child) => world.live.among(child.kind.name, parent))
      .filter((object) => !isBlank(object))
      .map((object) => ({ object, resource }))
  })
}

/**
 * An object inside the given one that is neither declared nor to be deleted, but would be deleted with it. Undefined if there is
 * none.
 */
export function lostInside(
  object: LiveObject,
  known: { readonly world: Matches; readonly base: Base | undefined; readonly found: Deletions },
): LiveObject | undefined {
  const { world, base, found } = known
  for (const child of object.children) {
    if (found.deletions.some((each) => each.object === child)) continue
    const isDeclared = world.claimed.get(child)?.implicit === false
    if (isListed(child) && !isDeclared && !isAdded(child, base, world)) return child
    const inner = lostInside(child, known)
    if (inner) return inner
  }
  return undefined
}

/** Objects that contain a declared one. They must be kept. */
function withClaimedInside(claimed: Matches['claimed']): ReadonlySet<LiveObject> {
  const holding = new Set<LiveObject>()
  for (const object of claimed.keys()) {
    for (let parent = object.parent; parent && !holding.has(parent); parent = parent.parent) holding.add(parent)
  }
  return holding
}

const mayBePruned = (object: LiveObject): boolean =>
  isListed(object) && !isPlatformOwned(object) && catalog[object.kind].blocked.delete === undefined

/** Whether `prune: all` may delete the object at the end of a list of kinds and names. */
export function scopeTest({
  kinds,
  names,
}: PlanSettings['scope']): (path: readonly Pick<LiveObject, 'kind' | 'key'>[]) => boolean {
  const patterns = names.map(nameMatcher)
  return (path) =>
    (kinds.length === 0 || path.some((each) => kinds.includes(each.kind))) &&
    (names.length === 0 || patterns.some((fits) => path.some((each) => fits(each.key))))
}

/** The topmost live objects that no manifest declares and that are not deleted, and the additional members of written lists. */
function findUnmanaged({ world, base, inLists, isAddedHere }: Known, decisions: Decisions): readonly Unmanaged[] {
  const { claimed } = world
  return world.live.all
    .filter(
      (object) =>
        !claimed.has(object) &&
        !decisions.goes(object) &&
        isListed(object) &&
        !isPlatformOwned(object) &&
        (inLists.has(object) || !isAddedHere(object)) &&
        (object.parent === undefined || claimed.has(object.parent)),
    )
    .map((object) => ({
      address: world.addressOfLive(object),
      kind: object.kind,
      id: object.id,
      inList: inLists.has(object),
      ...(inLists.has(object) && isInBase(object, base, world) && { applied: true }),
    }))
    .sort(by((each) => each.address))
}
