import { catalog } from '../../catalog/catalog.js'
import { append } from '../../json/groups.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Removal, Resource } from '../../manifest/resource.js'
import { placeOf } from '../../manifest/source.js'
import {
  appliedElsewhere,
  formerNameIsLive,
  holdsOthers,
  holdsUnrecorded,
  lastOneStays,
} from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import type { Base } from '../base/base-object.js'
import { isBlank, isNothing } from '../compare/blank.js'
import type { Matches } from '../match/match.js'
import type { PlanSettings } from '../plan.js'
import type { Decisions } from './decisions.js'
import { isInFieldOfParent } from './listed.js'
import { isNoted, isPlatformOwned, isRecordedObject, renamedFrom, unrecordedInside } from './ownership.js'

/** The input for the decisions about live objects. */
export interface Known {
  readonly world: Matches
  readonly base: Base | undefined
  readonly settings: PlanSettings
  /** Live children that are missing in a written list of their declared parent, with that parent. */
  readonly inLists: ReadonlyMap<LiveObject, Resource>
  /** The objects of other projects, and the objects that contain them. */
  readonly others: ReadonlySet<LiveObject>
  /** The other environment that declares the object, or something in it. Undefined: none is known. */
  readonly environmentOf: (object: LiveObject) => string | undefined
  /** Whether the platform added the object by itself to one that a run created. */
  readonly isAddedHere: (object: LiveObject) => boolean
  /** Whether the object is declared, or holds a declared one. */
  readonly isNeeded: (object: LiveObject) => boolean
}

/** The same, with the objects that are gone from the manifests. */
interface Gone extends Known {
  readonly base: Base
  readonly gone: ReadonlySet<LiveObject>
  /** The decisions about objects that documents name are made earlier. */
  readonly decisions: Decisions
}

/**
 * Decides about objects that were applied and are gone from the manifests. Returns those that other projects have claimed, which
 * belong to these projects from now on.
 */
export function deleteGone(known: Known, removals: readonly Removal[], decisions: Decisions): ReadonlySet<LiveObject> {
  const { world, base, settings, inLists } = known
  const theirs = new Set<LiveObject>()
  if (settings.prune === 'none' || !base) return theirs
  const added = [...inLists.keys()].filter((object) => isNoted(object, base, world))
  const gone = new Set([...goneFromManifests(world, base, removals), ...added])
  const reasonOf = (object: LiveObject) => (known.isAddedHere(object) ? wasAdded : (settings.goneBecause ?? wasApplied))
  for (const object of gone) {
    if (known.isNeeded(object) || isPlatformOwned(object)) continue
    const outcome = outcomeOf(object, { ...known, base, gone, decisions })
    if (outcome.is === 'theirs' && !isBlank(object) && !decisions.isAccepted(object)) theirs.add(object)
    if (outcome.is === 'renamed') decisions.report(outcome.problem)
    if (outcome.is === 'stays') decisions.keep(object, outcome.problem)
    if (outcome.is === 'goes' && !isBlank(object)) {
      decisions.delete({ object, source: inLists.get(object)?.range, reason: reasonOf(object) })
    }
  }
  for (const object of theirs) {
    if (!object.parent || !theirs.has(object.parent)) {
      decisions.keep(object, appliedElsewhere(world.addressOfLive(object), known.environmentOf(object)))
    }
  }
  return theirs
}

const wasApplied = 'removed from the manifests'
const wasAdded = 'the platform added it by itself, and the written list lacks it'

/** What happens to an object that was removed from the manifests. `left`: nothing, without a message. */
type GoneOutcome =
  | { readonly is: 'goes' | 'theirs' | 'left' }
  | { readonly is: 'renamed' | 'stays'; readonly problem: Problem }

function outcomeOf(object: LiveObject, known: Gone): GoneOutcome {
  const { world, base, inLists, others, isAddedHere } = known
  if (others.has(object)) return { is: 'theirs' }
  const address = world.addressOfLive(object)
  const renamed = renamedFrom(object, world)
  if (renamed) return { is: 'renamed', problem: formerNameIsLive(address, renamed.address, placeOf(renamed.range)) }
  const unrecorded = unrecordedInside(object, base, world)
  if (unrecorded) {
    const problem = known.settings.madeFor === 'rollback' ? holdsOthers : holdsUnrecorded
    return { is: 'stays', problem: problem(address, world.addressOfLive(unrecorded)) }
  }
  const isUnlistedAddition = isAddedHere(object) && !inLists.has(object)
  // An interrupted run announced it, and no manifest has declared it.
  if (isUnlistedAddition && base.objects.get(address)?.announced) return { is: 'left' }
  if (isLastOne(object, known)) {
    return { is: 'stays', problem: lastOneStays(address, object.parent?.kind ?? '', object.kind) }
  }
  // A run counts it as its own, but no manifest has ever named it. So it is deleted only if a written list does not have it.
  return { is: isUnlistedAddition ? 'left' : 'goes' }
}

/**
 * The objects to delete need two proofs: the object is in the base and gone from the manifests, and exactly one live object has
 * its identity. That must be the object (same id) that a recorded run created or adopted.
 */
function goneFromManifests(world: Matches, base: Base, removals: readonly Removal[]): readonly LiveObject[] {
  const removed = new Set(removals.map((removal) => removal.address))
  const gone = [...base.objects.values()].filter(
    (each) => world.resources.get(each.address)?.implicit !== false && !removed.has(each.address) && !isNothing(each),
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
 * Whether an object must be kept although no manifest declares it. An object that the platform added is deleted only if a written
 * list does not have it. If a parent must have at least one child of a kind and no manifest declares any, one child is kept.
 */
export function mustStay(object: LiveObject, { world, inLists, isAddedHere }: Known, decisions: Decisions): boolean {
  if (inLists.has(object)) return false
  if (isAddedHere(object)) return true
  return leftToNobody(object, world, decisions)?.some(isAddedHere) === false
}

/**
 * Whether an object is the first of the last children of a kind of which a parent must have at least one. A user who declares
 * none of them any more has stopped managing them. This one is kept, because the platform would refuse its delete.
 */
function isLastOne(object: LiveObject, known: Gone): boolean {
  const { gone, world, decisions } = known
  const siblings = leftToNobody(object, world, decisions)
  return siblings?.every((each) => gone.has(each)) === true && !(object.parent && goesItself(object.parent, known))
}

/**
 * The remaining children of a kind of which a parent must have at least one, if no manifest declares any of them. Returned only
 * for the first of these children, otherwise undefined.
 */
function leftToNobody(object: LiveObject, world: Matches, decisions: Decisions): readonly LiveObject[] | undefined {
  const row = catalog[object.kind].parent
  const { parent } = object
  if (!row || !parent || !catalog[row.kind].atLeastOne.includes(row.field)) return undefined
  if (world.declaredUnder(world.addressOfLive(parent), object.kind).length > 0) return undefined
  const siblings = world.live.among(object.kind, parent).filter((each) => !decisions.isDeleted(each))
  return object === siblings[0] ? siblings : undefined
}

/** Whether an object that is gone from the manifests is deleted by its own request. It may be kept because of its contents. */
const goesItself = (object: LiveObject, known: Gone): boolean =>
  known.gone.has(object) &&
  !known.isNeeded(object) &&
  !isPlatformOwned(object) &&
  outcomeOf(object, known).is === 'goes'
