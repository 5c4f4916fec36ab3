import { catalog } from '../../catalog/catalog.js'
import { isHiddenAnswer } from '../../catalog/hidden-answer.js'
import { childFields, isFieldOfParent, isReadOnly, perKind, referredKind } from '../../catalog/queries.js'
import { canonical, sameValue } from '../../catalog/value.js'
import { nameMatcher } from '../../files/glob.js'
import { append } from '../../json/groups.js'
import { once } from '../../json/once.js'
import { by } from '../../json/order.js'
import type { LiveObject } from '../../live/live-object.js'
import { pathTo } from '../../live/names.js'
import type { Manifests, Removal, Resource } from '../../manifest/resource.js'
import { type Mark, placeOf } from '../../manifest/source.js'
import {
  appliedElsewhere,
  declaredInsideRemoved,
  formerNameIsLive,
  holdsUnrecorded,
  lastOneStays,
  perhapsOurs,
  removalAmbiguous,
  removalFindsNothing,
} from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import type { Base } from '../base/base-object.js'
import { isBlank, isNothing } from '../compare/blank.js'
import { differences } from '../compare/fields.js'
import { refersTo } from '../match/candidates.js'
import type { Matches } from '../match/match.js'
import type { AcceptedDrift, PlanSettings, Unmanaged } from '../plan.js'
import { noRemovals } from '../references/scope.js'
import type { Acceptances } from '../safety/accept.js'
import {
  isAdded,
  isApplied,
  isClaimed,
  isNoted,
  isPlatformOwned,
  isRecordedObject,
  ownedElsewhere,
  renamedFrom,
  unrecordedInside,
} from './ownership.js'

/** A live object that the plan deletes by its own request, with what it contains. */
export interface Deletion {
  readonly object: LiveObject
  /** Where it is asked for; absent with `prune: all`. */
  readonly source: Mark | undefined
  readonly reason: string
  /** A written list lacks it, and `prune: all` lets it go; or the manifest says null. */
  readonly extra?: true
}

export interface Deletions {
  readonly deletions: readonly Deletion[]
  /** Objects that are one more than is declared, and that somebody accepted. */
  readonly accepted: readonly AcceptedDrift[]
  readonly unmanaged: readonly Unmanaged[]
  /** Addresses of what was applied, is gone from the manifests, and is claimed by another project: it is theirs from now on. */
  readonly released: ReadonlySet<string>
  readonly problems: readonly Problem[]
}

/** Addresses of resources of which an immutable field differs, with the fields. Their children go with them. */
export function findReplaced(world: Matches, accepted: Acceptances): ReadonlyMap<string, readonly string[]> {
  const replaced = new Map<string, readonly string[]>()
  for (const [address, object] of world.matched) {
    if (immutableFields(catalog[object.kind]).length === 0) continue
    const resource = world.resources.get(address)
    const found = resource ? immutableDifferences(resource, object, world) : []
    const names = resource && found.length > 0 ? notAccepted(found, resource, object, { world, accepted }) : found
    if (names.length > 0) replaced.set(address, names)
  }
  return replaced
}

/** Those of the fields of which somebody has not accepted the live values. */
function notAccepted(
  names: readonly string[],
  resource: Resource,
  object: LiveObject,
  { world, accepted }: { readonly world: Matches; readonly accepted: Acceptances },
): readonly string[] {
  if (accepted.isEmpty) return names
  const { fields } = differences(resource, object, { names: world, removals: noRemovals })
  const open = fields.filter((field) => !accepted.ofField(resource.address, field)).map(({ path }) => path)
  return names.filter((name) => open.includes(`/${name}`))
}

function immutableDifferences(resource: Resource, object: LiveObject, world: Matches): readonly string[] {
  return immutableFields(catalog[resource.kind])
    .filter((field) => {
      const written = resource.fields[field.name]
      if (written === undefined || written === null) return false
      const answered = object.fields[field.name]
      if (field.secret && isHiddenAnswer(answered ?? null)) return false
      const kind = referredKind(field)
      if (kind) return answered !== undefined && !refersTo(answered, written, kind, world)
      return canonical(field.type, answered) !== undefined && !sameValue(field.type, written, answered, field.default)
    })
    .map((field) => field.name)
}

const immutableFields = perKind((kind) => Object.values(kind.fields).filter((field) => field.immutable))

export interface DeletionInput {
  readonly manifests: Manifests
  readonly settings: PlanSettings
  readonly base: Base | undefined
  readonly ownedElsewhere: ReadonlySet<string>
  readonly accepted: Acceptances
}

/** Decides which live objects go and which are only counted (design §4, Deletes). */
export function planDeletions(world: Matches, input: DeletionInput): Deletions {
  const { manifests, settings, base } = input
  const problems: Problem[] = []
  const deletions = new Map<LiveObject, Deletion>()
  const kept = new Map<LiveObject, AcceptedDrift>()
  const acceptedExtra = (object: LiveObject): boolean => {
    const address = input.accepted.isEmpty ? '' : world.addressOfLive(object)
    const acceptance = input.accepted.ofExtra(address, object.id)
    if (acceptance) kept.set(object, { address, kind: object.kind, acceptance, field: undefined })
    return acceptance !== undefined
  }
  const addDeletion = (object: LiveObject, source: Mark | undefined, reason: string, more: { extra?: true } = {}) => {
    if (!deletions.has(object) && !acceptedExtra(object)) deletions.set(object, { object, source, reason, ...more })
  }
  const holding = once(() => withClaimedInside(world.claimed))
  const isNeeded = (object: LiveObject): boolean => {
    const claim = world.claimed.get(object)
    // A reference to it is not a declaration: the user who deletes it gets a message about the references.
    if (claim) return !claim.implied
    return holding().has(object)
  }

  for (const { removal, object } of removedObjects(world, manifests.removals, problems)) {
    if (isNeeded(object)) {
      problems.push(declaredInsideRemoved(removal.address, placeOf(removal.mark)))
    } else addDeletion(object, removal.mark, 'a Removed document names it')
  }
  for (const { object, resource } of unsetChildren(world))
    addDeletion(object, resource.mark, 'the manifest says null', { extra: true })

  const inLists = extrasInLists(world)
  for (const object of inLists.keys()) acceptedExtra(object)
  const isAddedHere = (object: LiveObject) => isAdded(object, base, world)
  const others = ownedElsewhere(world, input.ownedElsewhere)
  const theirs = new Set<LiveObject>()
  const stays = new Map<LiveObject, Problem>()
  if (settings.prune !== 'none' && base) {
    const added = new Set([...inLists.keys()].filter((object) => isNoted(object, base, world)))
    const gone = new Set([...goneFromManifests(world, base, manifests.removals), ...added])
    const known = { world, base, inLists, gone, others, deletions, isAddedHere, isNeeded }
    for (const object of gone) {
      if (isNeeded(object) || isPlatformOwned(object)) continue
      const outcome = outcomeOf(object, known)
      if (outcome.is === 'theirs' && !isBlank(object) && !kept.has(object)) theirs.add(object)
      if (outcome.is === 'renamed') problems.push(outcome.problem)
      if (outcome.is === 'stays') stays.set(object, outcome.problem)
      if (outcome.is !== 'goes' || isBlank(object)) continue
      addDeletion(
        object,
        inLists.get(object)?.mark,
        added.has(object) ? wasAdded : (settings.goneBecause ?? wasApplied),
      )
    }
  }
  const isUnseen = (object: LiveObject): boolean =>
    !isNeeded(object) && !others.has(object) && !isAddedHere(object) && !isInFieldOfParent(object, world)
  const perhaps = settings.prune === 'none' || settings.madeFor === 'rollback' ? [] : perhapsMade(world, input)
  const unseen = new Set(perhaps.filter(isUnseen))
  for (const object of theirs) {
    if (!object.parent || !theirs.has(object.parent)) stays.set(object, appliedElsewhere(world.addressOfLive(object)))
  }
  if (settings.prune === 'all') {
    const isInScope = scopeTest(settings.scope)
    for (const object of world.live.all) {
      if (isNeeded(object) || !mayBePruned(object) || !isInScope(pathTo(object))) continue
      if (others.has(object) || mustStay(object, { world, inLists, deletions, isAddedHere })) continue
      const listing = inLists.get(object)
      if (listing) addDeletion(object, listing.mark, 'the written list lacks it', { extra: true })
      else addDeletion(object, undefined, 'no manifest declares it (prune: all)')
    }
  }
  for (const [object, problem] of stays) {
    if (!deletions.has(object) && !insideDeleted(object, deletions)) problems.push(problem)
  }
  const told = [...unseen].filter(
    (each) => !deletions.has(each) && !insideDeleted(each, deletions) && (!each.parent || !unseen.has(each.parent)),
  )
  problems.push(...perhapsOurs(told.map(world.addressOfLive).sort()))
  const roots = [...deletions.values()].filter(({ object }) => !insideDeleted(object, deletions))
  // Kinds that are only referred to are nobody's business, unless everything is.
  const declared = new Set(manifests.resources.map((resource) => resource.kind))
  const unmanaged = findUnmanaged({ world, base, deletions, inLists, isAddedHere }).filter(
    (each) => settings.prune === 'all' || declared.has(each.kind) || each.inList,
  )
  const accepted = [...kept].flatMap(([object, each]) => (insideDeleted(object, deletions) ? [] : [each]))
  const released = [...theirs].filter((object) => isClaimed(object, world, input.ownedElsewhere))
  return {
    deletions: roots,
    accepted,
    unmanaged,
    released: new Set(released.map((object) => world.addressOfLive(object))),
    problems,
  }
}

/** What is known when it is decided on one of the objects that are gone from the manifests. */
interface Gone {
  readonly world: Matches
  readonly base: Base
  readonly inLists: ReadonlyMap<LiveObject, Resource>
  readonly gone: ReadonlySet<LiveObject>
  readonly others: ReadonlySet<LiveObject>
  /** What is deleted so far: what documents name, before anything else. */
  readonly deletions: ReadonlyMap<LiveObject, Deletion>
  readonly isAddedHere: (object: LiveObject) => boolean
  readonly isNeeded: (object: LiveObject) => boolean
}

/** What happens to an object that was removed from the manifests; `left`: nothing, without a message. */
type Outcome =
  | { readonly is: 'goes' | 'theirs' | 'left' }
  | { readonly is: 'renamed' | 'stays'; readonly problem: Problem }

function outcomeOf(object: LiveObject, known: Gone): Outcome {
  const { world, base, inLists, others, isAddedHere } = known
  if (others.has(object)) return { is: 'theirs' }
  const address = world.addressOfLive(object)
  const renamed = renamedFrom(object, world)
  if (renamed) return { is: 'renamed', problem: formerNameIsLive(address, renamed.address, placeOf(renamed.mark)) }
  const unrecorded = unrecordedInside(object, base, world, isListed)
  if (unrecorded) return { is: 'stays', problem: holdsUnrecorded(address, world.addressOfLive(unrecorded)) }
  const isUnlistedAddition = isAddedHere(object) && !inLists.has(object)
  // A run that was cut off announced it, and nobody has declared it.
  if (isUnlistedAddition && base.objects.get(address)?.announced) return { is: 'left' }
  if (isLastOne(object, known)) {
    return { is: 'stays', problem: lastOneStays(address, object.parent?.kind ?? '', object.kind) }
  }
  // A run counts it as its own, though no manifest ever named it: it goes only from a list that is written.
  return { is: isUnlistedAddition ? 'left' : 'goes' }
}

const wasApplied = 'removed from the manifests'
const wasAdded = 'the platform added it by itself, and the written list lacks it'

/**
 * Two proofs: the object is in the base and gone from the manifests, and exactly one live object has its identity, the
 * very one (same id) that a recorded run created or adopted.
 */
function goneFromManifests(world: Matches, base: Base, removals: readonly Removal[]): readonly LiveObject[] {
  const removed = new Set(removals.map((removal) => removal.address))
  const gone = [...base.objects.values()].filter(
    (each) => world.resources.get(each.address)?.implied !== false && !removed.has(each.address) && !isNothing(each),
  )
  if (gone.length === 0) return []
  const byAddress = new Map<string, LiveObject[]>()
  for (const object of world.live.all) append(byAddress, world.addressOfLive(object), object)
  return gone.flatMap((each) => {
    const kind = catalog[each.kind]
    if (kind.blocked.delete !== undefined || kind.fixedSet) return []
    const found = byAddress.get(each.address) ?? []
    const [object] = found
    if (!object || isInFieldOfParent(object, world)) return []
    return found.length === 1 && isRecordedObject(each, object, base) ? [object] : []
  })
}

/**
 * What a run that was cut off was about to create, where something of that address is live: it may be somebody else's, and so
 * no record lets it go.
 */
function perhapsMade(world: Matches, { base, manifests }: DeletionInput): readonly LiveObject[] {
  const removed = new Set(manifests.removals.map((removal) => removal.address))
  const open = [...(base?.objects.values() ?? [])].filter(
    ({ address, announced }) => announced && !removed.has(address),
  )
  if (open.length === 0) return []
  const addresses = new Set(open.map(({ address }) => address))
  return world.live.all.filter((object) => !isBlank(object) && addresses.has(world.addressOfLive(object)))
}

/** A link whose parent writes the field that holds it: that field says whether it stays (roles of a service). */
function isInFieldOfParent(object: LiveObject, world: Matches): boolean {
  const kind = catalog[object.kind]
  const parent = object.parent && world.resources.get(world.addressOfLive(object.parent))
  return isFieldOfParent(kind) && parent?.fields[kind.parent?.field ?? ''] !== undefined
}

/** The objects that Removed documents name. */
function removedObjects(
  world: Matches,
  removals: readonly Removal[],
  problems: Problem[],
): readonly { removal: Removal; object: LiveObject }[] {
  if (removals.length === 0) return []
  const byAddress = new Map<string, LiveObject[]>()
  for (const object of world.live.all) {
    // What recorded platforms show where nothing is: it is gone already.
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
    const place = placeOf(removal.mark)
    if (!object) problems.push(removalFindsNothing(removal.address, place))
    else if (other) problems.push(removalAmbiguous(removal.address, found.map((each) => each.id).sort(), place))
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

/** Something that would go with an object although it is neither declared nor among what is deleted. */
export function lostInside(
  object: LiveObject,
  known: { readonly world: Matches; readonly base: Base | undefined; readonly found: Deletions },
): LiveObject | undefined {
  const { world, base, found } = known
  for (const child of object.children) {
    if (found.deletions.some((each) => each.object === child)) continue
    const isDeclared = world.claimed.get(child)?.implied === false
    if (isListed(child) && !isDeclared && !isAdded(child, base, world)) return child
    const inner = lostInside(child, known)
    if (inner) return inner
  }
  return undefined
}

/** Live children that the written list of their declared parent lacks, with that parent. */
export function extrasInLists(world: Matches): ReadonlyMap<LiveObject, Resource> {
  const extras = new Map<LiveObject, Resource>()
  for (const resource of world.resources.values()) {
    const parent = resource.wholeLists.length === 0 ? undefined : world.matched.get(resource.address)
    if (!parent) continue
    for (const child of childFields(catalog[resource.kind])) {
      if (!resource.wholeLists.includes(child.field) || child.kind.fixedSet) continue
      for (const object of world.live.among(child.kind.name, parent)) {
        if (!world.claimed.has(object)) extras.set(object, resource)
      }
    }
  }
  return extras
}

/** Objects that hold a declared one somewhere below: they must stay. */
function withClaimedInside(claimed: Matches['claimed']): ReadonlySet<LiveObject> {
  const holding = new Set<LiveObject>()
  for (const object of claimed.keys()) {
    for (let parent = object.parent; parent && !holding.has(parent); parent = parent.parent) holding.add(parent)
  }
  return holding
}

/** An object that its parent owns in a list, or one at the root: not a link, a fixed message, or a single child. */
export function isListed(object: LiveObject): boolean {
  // What can only be referred to is nobody's to keep or to delete.
  if (catalog[object.kind].within === undefined && isReadOnly(catalog[object.kind])) return false
  const kind = catalog[object.kind]
  if (kind.fixedSet) return false
  if (!kind.parent) return true
  return !kind.parent.single && childFields(catalog[kind.parent.kind]).some((child) => child.kind === kind)
}

/**
 * What the platform adds by itself goes only from a list that is written; and of what a parent must have at least one, one
 * stays where no manifest says anything of them: nobody's decision.
 */
function mustStay(
  object: LiveObject,
  { world, inLists, deletions, isAddedHere }: Pick<Gone, 'world' | 'inLists' | 'deletions' | 'isAddedHere'>,
): boolean {
  if (inLists.has(object)) return false
  if (isAddedHere(object)) return true
  return leftToNobody(object, world, deletions)?.some(isAddedHere) === false
}

/**
 * Of what a parent must have at least one, whoever no longer writes any has given up managing them: the first of the last
 * ones is left to the platform, since no delete of it could be carried out.
 */
function isLastOne(object: LiveObject, known: Gone): boolean {
  const { gone, world, deletions } = known
  const siblings = leftToNobody(object, world, deletions)
  return siblings?.every((each) => gone.has(each)) === true && !(object.parent && goesItself(object.parent, known))
}

/**
 * The children of which a parent must have at least one and that no manifest says, without those that are deleted, told of the
 * first of them.
 */
function leftToNobody(
  object: LiveObject,
  world: Matches,
  deletions: Gone['deletions'],
): readonly LiveObject[] | undefined {
  const row = catalog[object.kind].parent
  const { parent } = object
  if (!row || !parent || !catalog[row.kind].atLeastOne.includes(row.field)) return undefined
  if (world.declaredUnder(world.addressOfLive(parent), object.kind).length > 0) return undefined
  const siblings = world.live.among(object.kind, parent).filter((each) => !deletions.has(each))
  return object === siblings[0] ? siblings : undefined
}

/** Whether an object that is gone from the manifests goes by its own delete: what it holds may keep it. */
const goesItself = (object: LiveObject, known: Gone): boolean =>
  known.gone.has(object) &&
  !known.isNeeded(object) &&
  !isPlatformOwned(object) &&
  outcomeOf(object, known).is === 'goes'

const mayBePruned = (object: LiveObject): boolean =>
  isListed(object) && !isPlatformOwned(object) && catalog[object.kind].blocked.delete === undefined

/** Whether `prune: all` may delete what lies at the end of a path of kinds and names. */
export function scopeTest({
  kinds,
  names,
}: PlanSettings['scope']): (path: readonly Pick<LiveObject, 'kind' | 'key'>[]) => boolean {
  const patterns = names.map(nameMatcher)
  return (path) =>
    (kinds.length === 0 || path.some((each) => kinds.includes(each.kind))) &&
    (names.length === 0 || patterns.some((fits) => path.some((each) => fits(each.key))))
}

function insideDeleted(object: LiveObject, deletions: ReadonlyMap<LiveObject, Deletion>): boolean {
  for (let parent = object.parent; parent; parent = parent.parent) if (deletions.has(parent)) return true
  return false
}

/** The topmost live objects that nobody declares and nothing deletes, and the extra members of written lists. */
function findUnmanaged({
  world,
  base,
  deletions,
  inLists,
  isAddedHere,
}: Pick<Gone, 'world' | 'deletions' | 'inLists' | 'isAddedHere'> & {
  readonly base: Base | undefined
}): readonly Unmanaged[] {
  const { claimed } = world
  return world.live.all
    .filter(
      (object) =>
        !claimed.has(object) &&
        !deletions.has(object) &&
        !insideDeleted(object, deletions) &&
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
      ...(inLists.has(object) && isApplied(object, base, world) && { applied: true }),
    }))
    .sort(by((each) => each.address))
}
