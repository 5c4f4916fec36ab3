import { catalog } from '../../catalog/catalog.js'
import { isHiddenAnswer } from '../../catalog/hidden-answer.js'
import { hasSecretName } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import { append } from '../../json/groups.js'
import { once } from '../../json/once.js'
import { indexLive, type LiveIndex } from '../../live/live-index.js'
import type { LiveObject, Snapshot } from '../../live/live-object.js'
import { markOfName, markOfParent, markOfPin } from '../../manifest/reference-use.js'
import type { Manifests, Name, Resource } from '../../manifest/resource.js'
import { isNameUnavailable } from '../../manifest/secret-names.js'
import { placeOf } from '../../manifest/source.js'
import {
  ambiguousKey,
  ambiguousName,
  eitherKey,
  parentNotFound,
  pinnedNotFound,
  twoForOneObject,
} from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import { candidates, withSameReferences } from './candidates.js'
import { declaredIn } from './declared.js'
import { type KeyName, liveAddresses } from './live-address.js'
import { type Finding, type Located, locate, namesThere, type Sides } from './locate.js'

/** What is desired and what is live, side by side. */
export interface Matches extends Sides {
  /** Declared and implied objects by address, parents before their children. */
  readonly resources: ReadonlyMap<string, Resource>
  /** The declared object that a live one stands for. */
  readonly claimed: ReadonlyMap<LiveObject, Resource>
  /** The resources of a kind declared under a parent's address. */
  declaredUnder(parent: string | undefined, kind: KindName): readonly Resource[]
  /** What a name stands for under a parent (undefined: at the root). */
  locate(kind: KindName, name: Name, parent: Located | undefined): Finding
  /** Names that `locate` would find there, for "did you mean". */
  namesThere(kind: KindName, parent: Located | undefined): readonly string[]
  /** Addresses of objects of which nobody can say here which live ones they are: their secret names are not set. */
  readonly uncertain: ReadonlySet<string>
  /** Addresses of objects that a problem is told of, or of what they lie in: nothing is to be said of them beside that. */
  readonly unclear: ReadonlyMap<string, Problem>
  readonly problems: readonly Problem[]
}

/** What records know of objects, by address. */
export interface KnownObjects {
  readonly idOf: (address: string) => string | undefined
  /** Whether an object that is not there by its name is looked for by that id. */
  readonly isFoundById: (address: string) => boolean
  /** Whether any address has that live object. */
  readonly isKnown: (object: LiveObject) => boolean
}

/** What records know, and which keys without a value may have one that the platform hides. */
interface KnownAndHidden extends KnownObjects {
  readonly isHidden: (object: LiveObject) => boolean
}

const noneKnown: KnownObjects = { idOf: () => undefined, isFoundById: () => false, isKnown: () => false }

/** Finds for every resource the live object that it stands for. Linear in both. */
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
  const found: KnownAndHidden = { ...records, isHidden: hiddenIn(live) }
  const problems: Problem[] = []
  const uncertain = new Set<string>()
  const unclear = new Map<string, Problem>()

  for (const siblings of declared.groups) {
    // Siblings have the same parents, which are found once for all of them; what is wrong with these is told of each.
    let known: Parents | undefined
    const unnamed: Resource[] = []
    for (const resource of siblings) {
      if (isNameUnavailable(resource)) {
        unnamed.push(resource)
        continue
      }
      const parents = known ?? parentsOf(resource, sides)
      if ('problem' in parents) {
        problems.push(parents.problem)
        unclear.set(resource.address, parents.problem)
        continue
      }
      known = parents
      const { object, problem } = objectOf(resource, parents.nearest, sides, found)
      if (problem) problems.push(problem)
      const why = problem ?? unclear.get(parents.nearest?.address ?? '')
      if (why) unclear.set(resource.address, why)
      const other = object && claimed.get(object)
      if (other && isNamelessKey(object)) {
        problems.push(eitherKey(resource.address, other.address, object.id, placeOf(markOfName(resource))))
      } else if (other) {
        const isMoved = resource.formerly.includes(other.key) || other.formerly.includes(resource.key)
        problems.push(twoForOneObject(placed(other), placed(resource), isMoved ? 'moved' : 'apart'))
      } else if (object) {
        matched.set(resource.address, object)
        claimed.set(object, resource)
      }
    }
    if (unnamed.length > 0) matchUnnamed(unnamed, { sides, matched, claimed, uncertain, problems })
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

const placed = ({ address, mark }: Resource) => ({ address, place: placeOf(mark) })

/** What a match has found so far. */
interface Found {
  readonly sides: Sides
  readonly matched: Map<string, LiveObject>
  readonly claimed: Map<LiveObject, Resource>
  readonly uncertain: Set<string>
  readonly problems: Problem[]
}

/**
 * Siblings whose secret names are not set here. One alone is the only live object that it can be; where there are more,
 * nothing is compared, and none of the live ones counts as gone from the manifests.
 */
function matchUnnamed(siblings: readonly Resource[], { sides, matched, claimed, uncertain, problems }: Found): void {
  const taken = new Map<LiveObject, Resource[]>()
  for (const resource of siblings) {
    const parents = parentsOf(resource, sides)
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

/** What a resource lies in: undefined at the root. */
interface Parents {
  readonly nearest: Located | undefined
}

function parentsOf(resource: Resource, sides: Sides): Parents | { problem: Problem } {
  const { address, parent, ancestors } = resource
  // What stands inside a declared object need not be looked for along its names.
  const declared = parent === undefined ? undefined : sides.declared.resources.get(parent)
  if (declared) {
    return { nearest: { address: declared.address, resource: declared, live: sides.matched.get(declared.address) } }
  }
  let nearest: Located | undefined
  for (const ancestor of ancestors) {
    const found = locate(sides, ancestor.kind, ancestor, nearest)
    const place = () => placeOf(markOfParent(resource, ancestor.kind))
    if (found === 'nothing') {
      const names = sides.live.among(ancestor.kind, nearest?.live).map((object) => object.key)
      return { problem: parentNotFound(address, ancestor.kind, ancestor.name, names, place()) }
    }
    if (found === 'several') {
      const ids = sides.live.find(ancestor.kind, nearest?.live, ancestor.name).map((object) => object.id)
      return { problem: ambiguousName(ancestor.kind, ancestor.name, { ids: [...ids].sort() }, place()) }
    }
    nearest = found
  }
  return { nearest }
}

interface Candidate {
  readonly object?: LiveObject | undefined
  readonly problem?: Problem
}

/** The one live object under a parent that a resource stands for. */
function objectOf(resource: Resource, parent: Located | undefined, sides: Sides, records: KnownAndHidden): Candidate {
  if (parent && !parent.live) return {}
  const named = candidates(resource, parent?.live, sides).filter((each) => !isAnothers(each, resource, records))
  const renamed = named.length > 0 ? named : renamedLive(resource, parent?.live, sides, records)
  const found = renamed.length > 0 ? renamed : withHiddenName(resource, parent?.live, sides, records)
  const { kind, key, id, address } = resource
  if (found.length > 1) {
    const ids = found.map((object) => object.id).sort()
    const several = { ids, applied: ids.find((each) => each === records.idOf(address)) }
    const isSecret = hasSecretName(catalog[kind])
    const place = placeOf(markOfName(resource))
    return {
      problem: isSecret
        ? ambiguousKey(address, several, place)
        : ambiguousName(kind, calledBy(found, key), several, place),
    }
  }
  const [object] = found
  // The id of a link is that of what it links to: the link itself may be new.
  if (object || id === undefined || catalog[kind].association) return { object }
  return { problem: pinnedNotFound(kind, key, id, placeOf(markOfPin(resource))) }
}

/** A key of which the platform hides the value is known by its id, or as the only one of its package that no record has (A391). */
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
 * Whether the platform may hide the value of a nameless key. One that answers nothing in its place, and the values of other
 * keys, hides none: the key has no value yet (A446).
 */
function hiddenIn({ all, secrets }: LiveIndex): (key: LiveObject) => boolean {
  const answersKeys = once(
    () => secrets === 'answered' && all.some(({ kind, key }) => key !== '' && hasSecretName(catalog[kind])),
  )
  return ({ kind, fields }) => isHiddenAnswer(fields[catalog[kind].naming ?? ''] ?? null) || !answersKeys()
}

const isNamelessKey = ({ kind, key }: LiveObject): boolean => key === '' && hasSecretName(catalog[kind])

/** What several objects are called: by the name of today, or by earlier ones. */
const calledBy = (objects: readonly LiveObject[], key: string): string =>
  objects.some((each) => each.key === key) ? key : [...new Set(objects.map((each) => each.key))].sort().join('" or "')

/**
 * Whether an object has only an earlier name of what was applied as another object since it has its name of today: it is
 * somebody else's, who took the name that was free.
 */
function isAnothers({ id, key }: LiveObject, { kind, key: name, address }: Resource, { idOf }: KnownObjects): boolean {
  const isFormer = catalog[kind].naming !== undefined && !catalog[kind].association && key !== name
  const applied = isFormer && name !== '' ? idOf(address) : undefined
  return applied !== undefined && applied !== id
}

/** An object that somebody has renamed on the platform, unless a sibling is declared under its new name. */
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
