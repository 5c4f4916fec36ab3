import { addressOf, ownerAddress } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { childFields, hasSecretName, referredKind } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import type { Json } from '../../json/json.js'
import { isObject } from '../../json/json.js'
import { byKey, fewSiblings, indexLive, type LiveIndex } from '../../live/live-index.js'
import type { LiveObject, Snapshot } from '../../live/live-object.js'
import { shownName } from '../../live/names.js'
import type { Ancestor, Manifests, Name, Resource } from '../../manifest/resource.js'
import { placeOf } from '../../manifest/source.js'
import {
  ambiguousKey,
  ambiguousName,
  parentNotFound,
  pinnedNotFound,
  twoForOneObject,
} from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'

/** A declared object, a live one, or both: what a name stands for. */
export interface Located {
  readonly address: string
  readonly resource: Resource | undefined
  readonly live: LiveObject | undefined
}

type Finding = Located | 'nothing' | 'several'

/** What is wanted and what is live, side by side. */
export interface Matches {
  /** Declared and implied objects by address, parents before their children. */
  readonly resources: ReadonlyMap<string, Resource>
  readonly live: LiveIndex
  /** The live object that a declared one stands for, by address. */
  readonly matched: ReadonlyMap<string, LiveObject>
  /** The same the other way round. */
  readonly claimed: ReadonlyMap<LiveObject, Resource>
  /** Whether no live object is left that nobody declares. */
  readonly isAllClaimed: boolean
  /** The address of any live object: that of its declaration, or one made from its own names. */
  addressOfLive(object: LiveObject): string
  /** The resources of a kind declared under a parent's address. */
  declaredUnder(parent: string | undefined, kind: KindName): readonly Resource[]
  /** What a name stands for under a parent (undefined: at the root). */
  locate(kind: KindName, name: Name, parent: Located | undefined): Finding
  /** Names that `locate` would find there, for "did you mean". */
  namesThere(kind: KindName, parent: Located | undefined): readonly string[]
  readonly problems: readonly Problem[]
}

/** How the name part of a package key's address is made: its apikey itself must not be shown. */
export type KeyName = (owner: string, key: string | undefined, keyIs: LiveObject['keyIs']) => string

/** Finds for every resource the live object that it stands for. Linear in both. */
export function match(
  manifests: Manifests,
  snapshot: Snapshot,
  keyName: KeyName,
  recordedId: (address: string) => string | undefined = () => undefined,
): Matches {
  const live = indexLive(snapshot)
  const resources = new Map<string, Resource>()
  for (const resource of parentsFirst(manifests.resources)) resources.set(resource.address, resource)
  const matched = new Map<string, LiveObject>()
  const declared = groupDeclared(resources.values())
  const bearing = byKey<Resource>()
  const problems: Problem[] = []

  const declaredUnder = (parent: string | undefined, kind: KindName): readonly Resource[] =>
    declared.get(parent)?.find((group) => group.kind === kind)?.resources ?? noResources
  // While objects are matched only those that others lie in are asked for; afterwards all, and where nothing is left over
  // nobody asks.
  const holders = new Map<LiveObject, Resource>()
  let isMatched = false
  let claimed: ReadonlyMap<LiveObject, Resource> | undefined
  const claims = (): ReadonlyMap<LiveObject, Resource> => {
    if (!isMatched) return holders
    claimed ??= claimedIn(matched, resources)
    return claimed
  }
  const addressOfLive = liveAddresses(live, claims, keyName)

  const locate = (kind: KindName, name: Name, parent: Located | undefined): Finding => {
    const [resource, second] = bearing(declaredUnder(parent?.address, kind), name.name).filter((each) =>
      isMeant(each, name, matched),
    )
    if (second) return 'several'
    if (resource) return { address: resource.address, resource, live: matched.get(resource.address) }
    if (parent && !parent.live) return 'nothing'
    const found = live.find(kind, parent?.live, name.name).filter((object) => !name.id || object.id === name.id)
    const [object, other] = found
    if (!object) return 'nothing'
    return other ? 'several' : { address: addressOfLive(object), resource: undefined, live: object }
  }

  const locateAncestors = (resource: Resource): Located | undefined | 'missing' => {
    // What stands inside a declared object need not be looked for along its names.
    const declaredParent = resource.parent === undefined ? undefined : resources.get(resource.parent)
    if (declaredParent) {
      const { address } = declaredParent
      return { address, resource: declaredParent, live: matched.get(address) }
    }
    let parent: Located | undefined
    for (const ancestor of resource.ancestors) {
      const found = locate(ancestor.kind, ancestor, parent)
      if (typeof found === 'string') {
        problems.push(ancestorProblem(found, ancestor, resource, live, parent))
        return 'missing'
      }
      parent = found
    }
    return parent
  }

  const findLive = (resource: Resource, parent: Located | undefined): LiveObject | undefined => {
    if (parent && !parent.live) return undefined
    const named = candidates(resource, parent?.live, live, matched, declaredUnder)
    const found = named.length > 0 ? named : renamedLive(resource, parent?.live)
    // The id of a link is that of what it links to: the link itself may be new.
    if (resource.id !== undefined && found.length === 0 && !catalog[resource.kind].linkTo) {
      problems.push(pinnedNotFound(resource.kind, resource.key, resource.id, placeOf(resource.mark)))
    }
    if (found.length > 1) {
      const ids = found.map((object) => object.id).sort()
      problems.push(
        hasSecretName(catalog[resource.kind])
          ? ambiguousKey(resource.address, ids, placeOf(resource.mark))
          : ambiguousName(resource.kind, resource.key, ids, placeOf(resource.mark)),
      )
      return undefined
    }
    return found[0]
  }

  /** An object that somebody has renamed on the platform, unless a sibling is declared under its new name. */
  const renamedLive = (resource: Resource, parent: LiveObject | undefined): readonly LiveObject[] => {
    const id = resource.id === undefined ? recordedId(resource.address) : undefined
    if (id === undefined || id === '') return []
    const isOfSibling = ({ key }: LiveObject) =>
      declaredUnder(resource.parent, resource.kind).some((each) => [each.key, ...each.formerly].includes(key))
    return live.among(resource.kind, parent).filter((object) => object.id === id && !isOfSibling(object))
  }

  const matchOne = (resource: Resource, parent: Located | undefined, taken: Taken): void => {
    const object = findLive(resource, parent)
    if (!object) return
    const other = taken.by(object)
    if (other) {
      problems.push(twoForOneObject(other.address, placeOf(other.mark), resource.address, placeOf(resource.mark)))
      return
    }
    taken.add(object, resource)
    if (childFields(catalog[object.kind]).length > 0) holders.set(object, resource)
    matched.set(resource.address, object)
  }

  // Two groups of siblings have the same live parent only where one of them names it in another way than its declaration.
  const isDeclared = (parent: string | undefined) => parent === undefined || resources.has(parent)
  const takenByAll = [...declared.keys()].every(isDeclared) ? undefined : takenAmong(resources.size)
  for (const siblings of declared.values()) {
    for (const { resources: group } of siblings) {
      // Siblings have the same parents, which are found once for all of them; what is wrong with these is told of each.
      let parent: ReturnType<typeof locateAncestors> = 'missing'
      const taken = takenByAll ?? takenAmong(group.length)
      for (const resource of group) {
        if (parent === 'missing') parent = locateAncestors(resource)
        if (parent !== 'missing') matchOne(resource, parent, taken)
      }
    }
  }

  isMatched = true

  return {
    resources,
    live,
    matched,
    get claimed() {
      return claims()
    },
    isAllClaimed: matched.size === live.all.length,
    addressOfLive,
    declaredUnder,
    locate,
    namesThere: (kind, parent) => [
      ...declaredUnder(parent?.address, kind).map((resource) => resource.key),
      ...(parent && !parent.live ? [] : live.among(kind, parent?.live).map((object) => object.key)),
    ],
    problems,
  }
}

function claimedIn(
  matched: ReadonlyMap<string, LiveObject>,
  resources: ReadonlyMap<string, Resource>,
): ReadonlyMap<LiveObject, Resource> {
  const claimed = new Map<LiveObject, Resource>()
  for (const [address, object] of matched) {
    const resource = resources.get(address)
    if (resource) claimed.set(object, resource)
  }
  return claimed
}

/** Which live object has been taken by which of several siblings. */
interface Taken {
  by(object: LiveObject): Resource | undefined
  add(object: LiveObject, resource: Resource): void
}

/** Among a few siblings looking at all of them is faster than a table, and areas hold thousands of such groups. */
function takenAmong(count: number): Taken {
  if (count > fewSiblings) {
    const table = new Map<LiveObject, Resource>()
    return { by: (object) => table.get(object), add: (object, resource) => void table.set(object, resource) }
  }
  const objects: LiveObject[] = []
  const resources: Resource[] = []
  return {
    by: (object) => resources[objects.indexOf(object)],
    add: (object, resource) => {
      objects.push(object)
      resources.push(resource)
    },
  }
}

/** Level by level, each in the order of the addresses, as the manifests are. */
function parentsFirst(resources: readonly Resource[]): readonly Resource[] {
  const levels: Resource[][] = []
  for (const resource of resources) {
    // Links are matched by the object that they refer to, which must be matched before.
    const level = 2 * resource.ancestors.length + (isLink(resource) ? 1 : 0)
    while (levels.length <= level) levels.push([])
    levels[level]?.push(resource)
  }
  return levels.flat()
}

const isLink = (resource: Resource): boolean => catalog[resource.kind].linkTo !== undefined

/** Resources of one kind under one parent. */
interface Group {
  readonly kind: KindName
  readonly resources: Resource[]
}

/** By the address of the parent. */
function groupDeclared(resources: Iterable<Resource>): ReadonlyMap<string | undefined, readonly Group[]> {
  const byParent = new Map<string | undefined, Group[]>()
  for (const resource of resources) {
    const groups = byParent.get(resource.parent)
    const group = groups?.find(({ kind }) => kind === resource.kind)
    if (group) group.resources.push(resource)
    else if (groups) groups.push({ kind: resource.kind, resources: [resource] })
    else byParent.set(resource.parent, [{ kind: resource.kind, resources: [resource] }])
  }
  return byParent
}

const noResources: readonly Resource[] = []

/** Whether a name that is that of a resource means it: true unless an id is said with it that is not the resource's. */
const isMeant = ({ id, address }: Resource, name: Name, matched: ReadonlyMap<string, LiveObject>): boolean =>
  name.id === undefined || name.id === (id ?? matched.get(address)?.id)

type DeclaredUnder = (parent: string | undefined, kind: KindName) => readonly Resource[]

/** The live objects that a resource may stand for: pinned, by its own key, or by an earlier name. */
function candidates(
  resource: Resource,
  parent: LiveObject | undefined,
  live: LiveIndex,
  matched: ReadonlyMap<string, LiveObject>,
  declaredUnder: DeclaredUnder,
): readonly LiveObject[] {
  const kind = catalog[resource.kind]
  if (kind.naming === undefined) return live.among(kind.name, parent)
  const names = { live, matched, declaredUnder }
  if (kind.linkTo) return byLink(resource, kind.linkTo, parent, names)
  if (resource.id !== undefined) return live.among(kind.name, parent).filter((object) => object.id === resource.id)
  if (resource.key === '') return sameReferences(resource, live.among(kind.name, parent), names)
  const bearing = live.find(kind.name, parent, resource.key, resource.owner)
  if (bearing.length > 1) return narrowed(resource, bearing, names)
  if (bearing.length === 1) return bearing
  return resource.formerly.flatMap((name) => live.find(kind.name, parent, name, resource.owner))
}

/** What tells which live objects a name of today's manifests means. */
interface Meanings {
  readonly live: LiveIndex
  readonly matched: ReadonlyMap<string, LiveObject>
  readonly declaredUnder: DeclaredUnder
}

/** The ids of the live objects at the root that a name means: those of what is declared under it, whatever it is called live. */
function idsOf(kind: KindName, name: string, { live, matched, declaredUnder }: Meanings): ReadonlySet<string> {
  const declared = declaredUnder(undefined, kind).filter((each) => each.key === name)
  if (declared.length > 0) return new Set(declared.map((each) => matched.get(each.address)?.id ?? ''))
  return new Set(live.find(kind, undefined, name).map((each) => each.id))
}

/** A link is the relation to one object: it is known by that object's id. */
function byLink(
  resource: Resource,
  to: KindName,
  parent: LiveObject | undefined,
  names: Meanings,
): readonly LiveObject[] {
  const ids = resource.id === undefined ? idsOf(to, resource.key, names) : new Set([resource.id])
  return names.live.among(resource.kind, parent).filter((object) => ids.has(object.id))
}

/** A key without its own value is the only one there of its package. */
function sameReferences(resource: Resource, objects: readonly LiveObject[], names: Meanings): readonly LiveObject[] {
  const { namedBy = '', fields } = catalog[resource.kind]
  const kind = fields[namedBy] && referredKind(fields[namedBy])
  if (kind === undefined) return objects
  return objects.filter((object) => refersTo(object.fields[namedBy], resource.fields[namedBy], kind, names))
}

/** Two live keys that share their value are told apart by their packages. */
function narrowed(resource: Resource, bearing: readonly LiveObject[], names: Meanings): readonly LiveObject[] {
  const fitting = sameReferences(resource, bearing, names)
  return fitting.length === 1 ? fitting : bearing
}

/** Whether a live reference is to the object that a name (or id) means today: one that is only renamed is the same. */
export function refersTo(live: Json | undefined, wanted: Json | undefined, kind: KindName, names: Meanings): boolean {
  if (!isObject(live) || !isObject(wanted)) return false
  if (wanted.id !== undefined) return live.id === wanted.id
  if (typeof wanted.name !== 'string') return false
  return typeof live.id === 'string' ? idsOf(kind, wanted.name, names).has(live.id) : live.name === wanted.name
}

function ancestorProblem(
  found: 'nothing' | 'several',
  ancestor: Ancestor,
  resource: Resource,
  live: LiveIndex,
  parent: Located | undefined,
): Problem {
  const place = placeOf(resource.mark)
  if (found === 'nothing') {
    const names = live.among(ancestor.kind, parent?.live).map((object) => object.key)
    return parentNotFound(resource.address, ancestor.kind, ancestor.name, names, place)
  }
  const ids = live.find(ancestor.kind, parent?.live, ancestor.name).map((object) => object.id)
  return ambiguousName(ancestor.kind, ancestor.name, [...ids].sort(), place)
}

/** Addresses of live objects, made once each. */
function liveAddresses(
  live: LiveIndex,
  claims: () => ReadonlyMap<LiveObject, Resource>,
  keyName: KeyName,
): (object: LiveObject) => string {
  const made = new Map<LiveObject, string>()
  const addressFor = (object: LiveObject): string => {
    const declared = claims().get(object)
    if (declared) return declared.address
    const known = made.get(object)
    if (known !== undefined) return known
    const kind = catalog[object.kind]
    const parent = object.parent
      ? addressFor(object.parent)
      : kind.within && ownerAddress(kind.within.name, object.owner ?? '')
    const name = kind.naming === undefined ? undefined : addressName(object, keyName)
    const namesakes =
      kind.naming === undefined ? 1 : live.find(kind.name, object.parent, object.key, object.owner).length
    const address = addressOf(kind, name, parent, namesakes > 1 ? object.id : undefined)
    made.set(object, address)
    return address
  }
  return addressFor
}

/** The name of a live object as its address shows it: a secret natural key is shown by what it belongs to. */
const addressName = (object: LiveObject, keyName: KeyName): string =>
  hasSecretName(catalog[object.kind]) ? keyName(shownName(object), object.key || undefined, object.keyIs) : object.key
