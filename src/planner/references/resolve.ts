import { catalog } from '../../catalog/catalog.js'
import { ancestors, childFields, elementOf, metadataWord, referredKind } from '../../catalog/queries.js'
import { linkValues } from '../../catalog/reference-form.js'
import type { Field, KindName } from '../../catalog/types.js'
import type { Json } from '../../json/json.js'
import { asList, isObject } from '../../json/json.js'
import { by } from '../../json/order.js'
import type { LiveObject } from '../../live/live-object.js'
import { markAt } from '../../manifest/reference-use.js'
import type { Name, Resource } from '../../manifest/resource.js'
import { placeOf } from '../../manifest/source.js'
import { ambiguousReference, referenceToNothing, referenceToRemoved } from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import type { Located, Matches } from '../match/match.js'
import type { ReferenceEntry, ReferenceTarget } from '../plan.js'

/** Resolves the references of one field to targets: live ids, or addresses of objects that this plan creates. */
export interface Resolver {
  /** The entries of a written reference field, without those that lead nowhere. */
  entries(resource: Resource, field: Field, written: Json): readonly ReferenceEntry[]
  /** The object that a link stands for: the service of a plan service. */
  link(resource: Resource): ReferenceEntry | undefined
  /** What is wrong with the references resolved so far: each once, however often they were resolved. */
  problems(): readonly Problem[]
}

/** Which live objects will no longer stand, or will stand under another id, after the plan. */
export interface Fate {
  readonly deleted: ReadonlySet<LiveObject>
  /** Addresses of resources that are deleted and created anew. */
  readonly replaced: ReadonlySet<string>
}

/** How names are looked up. */
export type Names = Pick<Matches, 'live' | 'matched' | 'addressOfLive' | 'declaredUnder' | 'namesThere' | 'locate'>

export function resolver(world: Names, fate: Fate): Resolver {
  const problems = new Map<string, Problem>()

  const targetOf = (located: Located): ReferenceTarget =>
    located.live && !fate.replaced.has(located.address)
      ? { is: 'live', id: located.live.id }
      : { is: 'wanted', address: located.address }

  const find = (kind: KindName, name: Name, parent: Located | undefined, from: Resource, at: string) => {
    const located = world.locate(kind, name, parent)
    const isThere =
      typeof located !== 'string' && (located.resource || !located.live || !fate.deleted.has(located.live))
    if (isThere) return located
    // Made once for each reference, and only for a problem: an area has thousands that lead where they should.
    const problem = (): Problem => {
      const place = placeOf(markAt(from, at))
      if (located === 'nothing') {
        const referred = { kind, name: name.name, id: name.id, parent: parent?.address }
        return referenceToNothing(referred, from.address, world.namesThere(kind, parent), place)
      }
      if (located !== 'several') return referenceToRemoved(located.address, from.address, place)
      const ids = world.live.find(kind, parent?.live, name.name).map((object) => object.id)
      return ambiguousReference(kind, name.name, from.address, [...ids].sort(), place)
    }
    const reference = `${from.address} ${at} ${kind} ${name.name} ${name.id ?? ''}`
    if (!problems.has(reference)) problems.set(reference, problem())
    return undefined
  }

  /** All objects of a kind under a parent that will stand after the plan: declared, and live ones that stay. */
  const standing = (kind: KindName, parent: Located): readonly Located[] => {
    const declared = world
      .declaredUnder(parent.address, kind)
      .map((resource) => ({ address: resource.address, resource, live: world.matched.get(resource.address) }))
    const taken = new Set(declared.map((located) => located.live))
    const others = parent.live ? world.live.among(kind, parent.live) : []
    return [
      ...declared,
      ...others
        .filter((object) => !taken.has(object) && !fate.deleted.has(object))
        .map((object) => ({ address: world.addressOfLive(object), resource: undefined, live: object })),
    ].sort(by((each) => each.address))
  }

  const nameOf = (located: Located): string => located.resource?.key ?? located.live?.key ?? ''

  /** The objects that a list inside a reference names: "*" is expanded to all that stand. */
  const inside = (kind: KindName, parent: Located, written: Json, from: Resource, at: string): readonly Located[] => {
    if (written === '*') return standing(kind, parent)
    return namesIn(written).flatMap((name, index) => find(kind, name, parent, from, `${at}/${index}`) ?? [])
  }

  /** The one list of references that an object referred to carries along: the methods of a plan's endpoint. */
  const nestedField = (kind: KindName) => childFields(catalog[kind]).find((child) => !child.single)

  const entryOf = (located: Located, kind: KindName, written: Json, from: Resource, at: string): ReferenceEntry => {
    const nested = nestedField(kind)
    const inner = innerOf(written, nested?.field)
    const entry = { ...plainEntry(located), owner: ownerOf(kind, written), extra: linkValues(kind, written) }
    if (!nested || inner === undefined || inner === null) return entry
    const entries = inside(nested.kind.name, located, inner, from, `${at}/${nested.field}`).map(plainEntry)
    return { ...entry, nested: { field: nested.field, entries } }
  }

  const plainEntry = (located: Located): ReferenceEntry => ({
    target: targetOf(located),
    name: nameOf(located),
    owner: undefined,
    extra: {},
    nested: undefined,
  })

  const entries = (resource: Resource, field: Field, written: Json): readonly ReferenceEntry[] => {
    const kind = referredKind(field)
    if (kind === undefined || written === null) return []
    const at = `/${field.name}`
    const home = homeOf(resource, kind)
    if (written === '*') {
      if (!home) return []
      return standing(kind, home).map((located) => entryOf(located, kind, '*', resource, at))
    }
    const list = asList(written)
    const resolved = list.flatMap((each, index) => {
      const place = elementOf(field.type) === field.type ? at : `${at}/${index}`
      const located = locateEntry(each, kind, resource, home, place)
      return located ? [entryOf(located, kind, each, resource, place)] : []
    })
    return distinct(resolved)
  }

  const locateEntry = (
    written: Json,
    kind: KindName,
    resource: Resource,
    home: Located | undefined,
    at: string,
  ): Located | undefined => {
    const [name] = namesIn([written])
    if (!name) return undefined
    const linked = catalog[kind].linkTo ?? kind
    const parentKind = catalog[linked].parent?.kind
    if (!parentKind) return find(linked, name, undefined, resource, at)
    // A reference to a child names its parent, unless the field itself says which parent that is.
    const word = metadataWord(catalog[parentKind])
    const own = isObject(written) ? namesIn([written[word] ?? null])[0] : undefined
    const parent = own ? find(parentKind, own, undefined, resource, at) : home
    return parent ? find(linked, name, parent, resource, at) : undefined
  }

  /** The parent that a child reference of this resource is looked up in: the linked service, the key's package. */
  const homeOf = (resource: Resource, referred: KindName): Located | undefined => {
    const parentKind = catalog[referred].parent?.kind
    if (!parentKind) return undefined
    const own = catalog[resource.kind]
    if (own.linkTo === parentKind) {
      const name = resource.id === undefined ? { name: resource.key } : { name: resource.key, id: resource.id }
      return find(parentKind, name, undefined, resource, '')
    }
    const sibling = Object.values(own.fields).find((field) => referredKind(field) === parentKind)
    const written = sibling && resource.fields[sibling.name]
    if (sibling && isObject(written)) {
      const [name] = namesIn([written])
      return name && find(parentKind, name, undefined, resource, `/${sibling.name}`)
    }
    const answered = sibling && world.matched.get(resource.address)?.fields[sibling.name]
    if (isObject(answered)) {
      const live = world.live.byId(parentKind, String(answered.id))
      return live && { address: world.addressOfLive(live), resource: undefined, live }
    }
    const ancestor = resource.ancestors.find((each) => each.kind === parentKind)
    if (!ancestor) return undefined
    const found = world.locate(parentKind, ancestor, undefined)
    return typeof found === 'string' ? undefined : found
  }

  const link = (resource: Resource): ReferenceEntry | undefined => {
    const to = catalog[resource.kind].linkTo
    if (!to) return undefined
    const name = resource.id === undefined ? { name: resource.key } : { name: resource.key, id: resource.id }
    const located = find(to, name, undefined, resource, '')
    return located && plainEntry(located)
  }

  return { entries, link, problems: () => [...problems.values()] }
}

/** Names as manifests write them in a list of references, "name" or {name, id}. */
function namesIn(written: Json): readonly Name[] {
  const list = asList(written)
  return list.flatMap((each): Name[] => {
    if (typeof each === 'string') return [{ name: each }]
    if (!isObject(each) || typeof each.name !== 'string') return []
    return [typeof each.id === 'string' ? { name: each.name, id: each.id } : { name: each.name }]
  })
}

/** What a reference says of the objects inside the one that it names; "*" is all of everything. */
function innerOf(written: Json, field: string | undefined): Json | undefined {
  if (written === '*') return '*'
  return isObject(written) && field !== undefined ? written[field] : undefined
}

/** The parent that a reference to a child of another object names: {service, name}. */
function ownerOf(referred: KindName, written: Json): string | undefined {
  if (!isObject(written)) return undefined
  const words = ancestors(catalog[catalog[referred].linkTo ?? referred]).map(metadataWord)
  const owner = Object.entries(written).find(([word]) => words.includes(word))
  return owner && namesIn([owner[1]])[0]?.name
}

/** Two names for one object are one reference. */
function distinct(entries: readonly ReferenceEntry[]): readonly ReferenceEntry[] {
  const byTarget = new Map(entries.map((entry) => [targetKey(entry.target), entry]))
  return byTarget.size === entries.length ? entries : [...byTarget.values()]
}

/** The same text for the same target. */
export const targetKey = (target: ReferenceTarget): string =>
  target.is === 'live' ? `id:${target.id}` : `address:${target.address}`
