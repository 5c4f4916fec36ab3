import { catalog } from '../../catalog/catalog.js'
import { append } from '../../json/groups.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Removal, Resource } from '../../manifest/resource.js'
import { placeOf } from '../../manifest/source.js'
import { appliedElsewhere, formerNameIsLive, holdsUnrecorded, lastOneStays } from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import type { Base } from '../base/base-object.js'
import { isBlank, isNothing } from '../compare/blank.js'
import type { Matches } from '../match/match.js'
import type { PlanSettings } from '../plan.js'
import type { Decisions } from './decisions.js'
import { isInFieldOfParent } from './listed.js'
import { isNoted, isPlatformOwned, isRecordedObject, renamedFrom, unrecordedInside } from './ownership.js'

/** What the decisions about live objects need to know. */
export interface Known {
  readonly world: Matches
  readonly base: Base | undefined
  readonly settings: PlanSettings
  /** Live children that the written list of their declared parent lacks, with that parent. */
  readonly inLists: ReadonlyMap<LiveObject, Resource>
  /** What other projects have, and what holds one of these objects. */
  readonly others: ReadonlySet<LiveObject>
  /** Whether the platform added the object by itself to one that a run created. */
  readonly isAddedHere: (object: LiveObject) => boolean
  /** Whether the object is declared, or holds a declared one. */
  readonly isNeeded: (object: LiveObject) => boolean
}

/** The same for one of the objects that are gone from the manifests. */
interface Gone extends Known {
  readonly base: Base
  readonly gone: ReadonlySet<LiveObject>
  /** What documents name is decided before. */
  readonly decisions: Decisions
}

/**
 * Decides about what was applied and is gone from the manifests. The result: those of the objects that other projects have,
 * which are theirs from now on.
 */
export function deleteGone(known: Known, removals: readonly Removal[], decisions: Decisions): ReadonlySet<LiveObject> {
  const { world, base, settings, inLists } = known
  const theirs = new Set<LiveObject>()
  if (settings.prune === 'none' || !base) return theirs
  const added = new Set([...inLists.keys()].filter((object) => isNoted(object, base, world)))
  const gone = new Set([...goneFromManifests(world, base, removals), ...added])
  const reasonOf = (object: LiveObject) => (added.has(object) ? wasAdded : (settings.goneBecause ?? wasApplied))
  for (const object of gone) {
    if (known.isNeeded(object) || isPlatformOwned(object)) continue
    const outcome = outcomeOf(object, { ...known, base, gone, decisions })
    if (outcome.is === 'theirs' && !isBlank(object) && !decisions.isAccepted(object)) theirs.add(object)
    if (outcome.is === 'renamed') decisions.report(outcome.problem)
    if (outcome.is === 'stays') decisions.keep(object, outcome.problem)
    if (outcome.is === 'goes' && !isBlank(object)) {
      decisions.delete({ object, source: inLists.get(object)?.mark, reason: reasonOf(object) })
    }
  }
  for (const object of theirs) {
    if (!object.parent || !theirs.has(object.parent)) {
      decisions.keep(object, appliedElsewhere(world.addressOfLive(object)))
    }
  }
  return theirs
}

const wasApplied = 'removed from the manifests'
const wasAdded = 'the platform added it by itself, and the written list lacks it'

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
  const unrecorded = unrecordedInside(object, base, world)
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
 * What the platform adds by itself goes only from a list that is written; and of what a parent must have at least one, one
 * stays where no manifest says anything of them: nobody's decision.
 */
export function mustStay(object: LiveObject, { world, inLists, isAddedHere }: Known, decisions: Decisions): boolean {
  if (inLists.has(object)) return false
  if (isAddedHere(object)) return true
  return leftToNobody(object, world, decisions)?.some(isAddedHere) === false
}

/**
 * Of what a parent must have at least one, whoever no longer writes any has given up managing them: the first of the last
 * ones is left to the platform, since no delete of it could be carried out.
 */
function isLastOne(object: LiveObject, known: Gone): boolean {
  const { gone, world, decisions } = known
  const siblings = leftToNobody(object, world, decisions)
  return siblings?.every((each) => gone.has(each)) === true && !(object.parent && goesItself(object.parent, known))
}

/**
 * The children of which a parent must have at least one and that no manifest says, without those that are deleted, told of the
 * first of them.
 */
function leftToNobody(object: LiveObject, world: Matches, decisions: Decisions): readonly LiveObject[] | undefined {
  const row = catalog[object.kind].parent
  const { parent } = object
  if (!row || !parent || !catalog[row.kind].atLeastOne.includes(row.field)) return undefined
  if (world.declaredUnder(world.addressOfLive(parent), object.kind).length > 0) return undefined
  const siblings = world.live.among(object.kind, parent).filter((each) => !decisions.isDeleted(each))
  return object === siblings[0] ? siblings : undefined
}

/** Whether an object that is gone from the manifests goes by its own delete: what it holds may keep it. */
const goesItself = (object: LiveObject, known: Gone): boolean =>
  known.gone.has(object) &&
  !known.isNeeded(object) &&
  !isPlatformOwned(object) &&
  outcomeOf(object, known).is === 'goes'
