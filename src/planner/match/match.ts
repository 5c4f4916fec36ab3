import { catalog } from '../../catalog/catalog.js'
import { isHiddenAnswer } from '../../catalog/hidden-answer.js'
import { hasSecretName } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import { append } from '../../json/groups.js'
import { once } from '../../json/once.js'
import { indexLive, type LiveIndex } from '../../live/live-index.js'
import type { LiveObject, Snapshot } from '../../live/live-object.js'
import { rangeOfName, rangeOfParent, rangeOfPin } from '../../manifest/reference-use.js'
import type { Manifests, Name, Resource } from '../../manifest/resource.js'
import { isNameUnavailable } from '../../manifest/secret-names.js'
import { placeOf } from '../../manifest/source.js'
import {
  ambiguousKey,
  ambiguousName,
  eitherKey,
  parentNotFound,
  perhapsThisKey,
  pinnedNotFound,
  twoForOneObject,
} from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import { limitedNearest } from '../../problems/suggest.js'
import { candidates, withSameReferences } from './candidates.js'
import { declaredIn } from './declared.js'
import { type KeyName, liveAddresses } from './live-address.js'
import { type Finding, type Located, locate, namesThere, type Sides } from './locate.js'

/** The desired and the live objects, matched. */
export interface Matches extends Sides {
  /** Declared and implicit objects by address, parents before their children. */
  readonly resources: ReadonlyMap<string, Resource>
  /** The declared object of each matched live object. */
  readonly claimed: ReadonlyMap<LiveObject, Resource>
  /** The resources of a kind that are declared under a parent's address. */
  declaredUnder(parent: string | undefined, kind: KindName): readonly Resource[]
  /** The object that a name means under a parent (undefined: at the root). */
  locate(kind: KindName, name: Name, parent: Located | undefined): Finding
  /** The names that `locate` finds there, for "did you mean". */
  namesThere(kind: KindName, parent: Located | undefined): readonly string[]
  /** Addresses of objects whose live objects are not known, because their secret names are unavailable. */
  readonly uncertain: ReadonlySet<string>
  /** Addresses of objects with a problem, or whose parent has one. No other message is about them. */
  readonly unclear: ReadonlyMap<string, Problem>
  readonly problems: readonly Problem[]
}

/** The objects in the records, by address. */
interface KnownObjects {
  readonly idOf: (address: string) => string | undefined
  /** Whether an object that is not found by its name is searched for by its recorded id. */
  readonly isFoundById: (address: string) => boolean
  /** Whether the records have the live object under any address. */
  readonly isKnown: (object: LiveObject) => boolean
}

/** The records, and the test for nameless keys whose value the platform may hide. */
interface KnownAndHidden extends KnownObjects {
  readonly isHidden: (object: LiveObject) => boolean
}

const noneKnown: KnownObjects = { idOf: () => undefined, isFoundById: () => false, isKnown: () => false }

/** Finds the live object of every resource. The time is linear in both. */
export function match(
  manifests: Manifests,
  snapshot: Snapshot,
  keyName: KeyName,
  records: KnownObjects = noneKnown,
): Matches {
  const live = indexLive(snapshot)
  const declared = declaredIn(manifests.resources)
  const matched = new Map<string, LiveObject>()
  const claimed = new Map<LiveObject, Resource>()
  const sides: Sides = { declared, live, matched, addressOfLive: liveAddresses(live, claimed, keyName) }
  const nearest = limitedNearest()
  const found: KnownAndHidden = { ...records, isHidden: hiddenIn(live) }
  const problems: Problem[] = []
  const uncertain = new Set<string>()
  const unclear = new Map<string, Problem>()

  for (const siblings of declared.groups) {
    // Siblings have the same parents, which are searched for once. A problem with the parents is reported for each sibling.
    let known: Parents | undefined
    const unnamed: Resource[] = []
    for (const resource of siblings) {
      if (isNameUnavailable(resource)) {
        unnamed.push(resource)
        continue
      }
      const parents = known ?? parentsOf(resource, sides, nearest)
      if ('problem' in parents) {
        problems.push(parents.problem)
        unclear.set(resource.address, parents.problem)
        continue
      }
      known = parents
      const { object, problem } = matchCandidate(resource, parents.nearest, sides, found)
      if (problem) problems.push(problem)
      const why = problem ?? unclear.get(parents.nearest?.address ?? '')
      if (why) unclear.set(resource.address, why)
      const other = object && claimed.get(object)
      if (other && isNamelessKey(object)) {
        problems.push(eitherKey(resource.address, other.address, object.id, placeOf(rangeOfName(resource))))
      } else if (other) {
        const isMoved = resource.formerly.includes(other.key) || other.formerly.includes(resource.key)
        problems.push(twoForOneObject(placed(other), placed(resource), isMoved ? 'moved' : 'apart'))
      } else if (object) {
        matched.set(resource.address, object)
        claimed.set(object, resource)
      }
    }
    if (unnamed.length > 0) matchUnnamed(unnamed, { sides, nearest, matched, claimed, uncertain, problems })
  }

  return {
    ...sides,
    resources: declared.resources,
    claimed,
    declaredUnder: declared.under,
    locate: (kind, name, parent) => locate(sides, kind, name, parent),
    namesThere: (kind, parent) => namesThere(sides, claimed, kind, parent),
    uncertain,
    unclear,
    problems,
  }
}

const placed = ({ address, range }: Resource) => ({ address, place: placeOf(range) })

/** The results so far. */
interface MatchState {
  readonly sides: Sides
  readonly nearest: Nearest
  readonly matched: Map<string, LiveObject>
  readonly claimed: Map<LiveObject, Resource>
  readonly uncertain: Set<string>
  readonly problems: Problem[]
}

/**
 * Matches siblings whose secret names are unavailable. If exactly one resource and one live object fit, they match. Otherwise
 * nothing is compared, and none of the live objects counts as gone from the manifests.
 */
function matchUnnamed(
  siblings: readonly Resource[],
  { sides, nearest, matched, claimed, uncertain, problems }: MatchState,
): void {
  const taken = new Map<LiveObject, Resource[]>()
  for (const resource of siblings) {
    const parents = parentsOf(resource, sides, nearest)
    if ('problem' in parents) {
      problems.push(parents.problem)
      continue
    }
    if (parents.nearest && !parents.nearest.live) continue
    const free = candidates(resource, parents.nearest?.live, sides).filter((object) => !claimed.has(object))
    for (const object of free) append(taken, object, resource)
  }
  const counts = new Map<Resource, number>()
  for (const resources of taken.values()) for (const each of resources) counts.set(each, (counts.get(each) ?? 0) + 1)
  for (const [object, resources] of taken) {
    const [resource, other] = resources
    if (!resource) continue
    claimed.set(object, resource)
    if (!other && counts.get(resource) === 1) matched.set(resource.address, object)
    else for (const each of resources) uncertain.add(each.address)
  }
}

/** The nearest parent of a resource. Undefined at the root. */
interface Parents {
  readonly nearest: Located | undefined
}

type Nearest = ReturnType<typeof limitedNearest>

function parentsOf(resource: Resource, sides: Sides, nearest: Nearest): Parents | { problem: Problem } {
  const { address, parent, ancestors } = resource
  // The parent is declared, so no search along its names is needed.
  const declared = parent === undefined ? undefined : sides.declared.resources.get(parent)
  if (declared) {
    return { nearest: { address: declared.address, resource: declared, live: sides.matched.get(declared.address) } }
  }
  let outer: Located | undefined
  for (const ancestor of ancestors) {
    const found = locate(sides, ancestor.kind, ancestor, outer)
    const place = () => placeOf(rangeOfParent(resource, ancestor.kind))
    if (found === 'nothing') {
      const names = () => sides.live.among(ancestor.kind, outer?.live).map((object) => object.key)
      return {
        problem: parentNotFound(address, ancestor.kind, ancestor.name, nearest(ancestor.name, names), place()),
      }
    }
    if (found === 'several') {
      const ids = sides.live.find(ancestor.kind, outer?.live, ancestor.name).map((object) => object.id)
      return { problem: ambiguousName(ancestor.kind, ancestor.name, { ids: [...ids].sort() }, place()) }
    }
    outer = found
  }
  return { nearest: outer }
}

interface MatchCandidate {
  readonly object?: LiveObject | undefined
  readonly problem?: Problem
}

/** The live object of a resource under a parent, if there is exactly one. */
function matchCandidate(
  resource: Resource,
  parent: Located | undefined,
  sides: Sides,
  records: KnownAndHidden,
): MatchCandidate {
  if (parent && !parent.live) return {}
  const named = candidates(resource, parent?.live, sides).filter((each) => !isAnothers(each, resource, records))
  const renamed = named.length > 0 ? named : renamedLive(resource, parent?.live, sides, records)
  const found = renamed.length > 0 ? renamed : withHiddenName(resource, parent?.live, sides, records)
  const { kind, key, id, address } = resource
  if (found.length > 1) {
    const ids = found.map((object) => object.id).sort()
    const several = { ids, applied: ids.find((each) => each === records.idOf(address)) }
    const isSecret = hasSecretName(catalog[kind])
    const place = placeOf(rangeOfName(resource))
    return {
      problem: isSecret
        ? ambiguousKey(address, several, place)
        : ambiguousName(kind, calledBy(found, key), several, place),
    }
  }
  const unanswered = found.length > 0 ? [] : withoutReference(resource, parent?.live, sides, records)
  const applied = unanswered.find((each) => each.id === records.idOf(address))
  if (unanswered.length > 0 && !applied) {
    const ids = unanswered.map((each) => each.id).sort()
    return { problem: perhapsThisKey(address, catalog[kind].namedBy ?? '', ids, placeOf(rangeOfName(resource))) }
  }
  const object = found[0] ?? applied
  // The id of a link is the id of its linked object, so the link itself may be new.
  if (object || id === undefined || catalog[kind].association) return { object }
  return { problem: pinnedNotFound(kind, key, id, placeOf(rangeOfPin(resource))) }
}

/**
 * The keys without a visible value that a resource can match: by the recorded id, or by the package if the records do not have
 * the key (A391).
 */
function withHiddenName(
  resource: Resource,
  parent: LiveObject | undefined,
  sides: Sides,
  { idOf, isKnown, isHidden }: KnownAndHidden,
): readonly LiveObject[] {
  const { kind, id, key, address } = resource
  if (id !== undefined || key === '' || !hasSecretName(catalog[kind])) return []
  const nameless = sides.live.among(kind, parent).filter(isNamelessKey)
  if (nameless.length === 0) return []
  const pinned = new Set(sides.declared.under(resource.parent, kind).map((sibling) => sibling.id))
  const hidden = nameless.filter((object) => !pinned.has(object.id))
  const recorded = hidden.filter((object) => object.id === idOf(address))
  if (recorded.length > 0) return recorded
  return withSameReferences(resource, hidden, sides).filter((object) => isHidden(object) && !isKnown(object))
}

/**
 * The live keys that a resource may be, because the platform does not return their packages: keys without a visible value, and for
 * a resource without its own value all others. Keys that the records have under another address, that a manifest pins, or that one
 * declares by their value are others (A480).
 */
function withoutReference(
  { kind, id, key, address, parent }: Resource,
  live: LiveObject | undefined,
  { declared, live: all }: Sides,
  { idOf, isKnown, isHidden }: KnownAndHidden,
): readonly LiveObject[] {
  const { namedBy } = catalog[kind]
  if (id !== undefined || namedBy === undefined) return []
  const pinned = new Set(declared.under(parent, kind).map((sibling) => sibling.id))
  const isPossible = (object: LiveObject): boolean =>
    object.key === ''
      ? key === '' || isHidden(object)
      : key === '' && declared.named(parent, kind, object.key).length === 0
  return all
    .among(kind, live)
    .filter((object) => object.fields[namedBy] === undefined && !pinned.has(object.id) && isPossible(object))
    .filter((object) => object.id === idOf(address) || !isKnown(object))
}

/**
 * Whether the platform may hide the value of a nameless key. If it returns the values of other keys and shows nothing in the
 * place of this value, the key has no value yet (A446).
 */
function hiddenIn({ all, secrets }: LiveIndex): (key: LiveObject) => boolean {
  const answersKeys = once(
    () => secrets === 'answered' && all.some(({ kind, key }) => key !== '' && hasSecretName(catalog[kind])),
  )
  return ({ kind, fields }) => isHiddenAnswer(fields[catalog[kind].naming ?? ''] ?? null) || !answersKeys()
}

const isNamelessKey = ({ kind, key }: LiveObject): boolean => key === '' && hasSecretName(catalog[kind])

/** The name of several objects for a message: today's name, or else their earlier names. */
const calledBy = (objects: readonly LiveObject[], key: string): string =>
  objects.some((each) => each.key === key) ? key : [...new Set(objects.map((each) => each.key))].sort().join('" or "')

/**
 * Whether an object belongs to somebody else: it has only an earlier name of the resource, and the records know another object
 * under the name of today. Somebody has then reused the earlier name.
 */
function isAnothers({ id, key }: LiveObject, { kind, key: name, address }: Resource, { idOf }: KnownObjects): boolean {
  const isFormer = catalog[kind].naming !== undefined && !catalog[kind].association && key !== name
  const applied = isFormer && name !== '' ? idOf(address) : undefined
  return applied !== undefined && applied !== id
}

/** The live object that somebody has renamed on the platform, unless a sibling is declared under its new name. */
function renamedLive(
  resource: Resource,
  parent: LiveObject | undefined,
  { declared, live }: Sides,
  { idOf, isFoundById }: KnownObjects,
): readonly LiveObject[] {
  const { address } = resource
  const id = resource.id === undefined && isFoundById(address) ? idOf(address) : undefined
  if (id === undefined || id === '') return []
  const isOfSibling = ({ key }: LiveObject) =>
    [declared.named, declared.formerlyNamed].some((find) => find(resource.parent, resource.kind, key).length > 0)
  return live.withId(resource.kind, parent, id).filter((object) => !isOfSibling(object))
}
