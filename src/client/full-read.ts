import { catalog } from '../catalog/catalog.js'
import { isWritable, kinds, linkFields, ownFields } from '../catalog/queries.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { LiveObject, ReadSpec, Snapshot } from '../live/live-object.js'
import { joinedCollections } from './merge.js'
import type { Client, Reading } from './types.js'

type Containers = NonNullable<ReadSpec['containers']>

/** Every field of a kind that answers can have: the fields of a snapshot and of `get`. */
export function readableFields(kind: Kind): readonly string[] {
  return ownFields(kind)
    .filter((field) => !field.writeOnly && isDisplayed(kind, field))
    .map((field) => field.name)
}

/** A link shows only its own fields. A list that belongs to another object is read there. */
function isDisplayed(kind: Kind, field: Field): boolean {
  if (field.readOnly !== undefined) return false
  return kind.association === undefined || isWritable(field)
}

/**
 * The given kinds, or all, with all their fields and extended attributes (A351). Kinds whose owner is not a resource are read in
 * a second reading.
 */
export function fullSpec(names: readonly KindName[] = kinds.map((kind) => kind.name)): ReadSpec {
  const desired = new Set([...names, ...names.flatMap(linkKinds)])
  const requested = kinds.filter((kind) => kind.within === undefined && desired.has(kind.name))
  return {
    fields: new Map(requested.map((kind) => [kind.name, readableFields(kind)])),
    ...(requested.some((kind) => kind.extendedAttributes) && { unknown: 'attributes' }),
    // A reading of only kinds outside the document needs them, so a refusal is an error.
    ...(requested.some((kind) => kind.origin === 'document') && { refused: 'left out' }),
    linksOf: [...desired].some((name) => catalog[name].association !== undefined) ? 'all' : 'none',
  }
}

/** The links that a field of a kind shows have data of their own: the action of a service's role. */
const linkKinds = (name: KindName): readonly KindName[] => linkFields(catalog[name]).map(({ kind }) => kind.name)

/** Reads all objects of every kind in the area; of kinds in containers, those whose containers are given or named by other objects. */
export async function readAll(
  client: Pick<Client, 'read'>,
  { extrasOf, containers: given = {} }: Pick<ReadSpec, 'extrasOf' | 'containers'> = {},
): Promise<Reading> {
  const main = await client.read({ ...fullSpec(), extrasOf })
  const containers = joinedContainers(given, namedContainers(main.snapshot))
  if (Object.keys(containers).length === 0) return main
  const sets = await client.read(containedSpec(containers))
  return {
    snapshot: {
      ...main.snapshot,
      objects: [...main.snapshot.objects, ...sets.snapshot.objects],
      kinds: [...main.snapshot.kinds, ...sets.snapshot.kinds],
    },
    raw: joinedCollections([main.raw, sets.raw]),
    cost: [...main.cost, ...sets.cost],
    notOffered: [...main.notOffered, ...sets.notOffered],
  }
}

/** The kinds in the given containers, which are not resources: email templates. */
export function containedSpec(containers: Containers): ReadSpec {
  const contained = kinds.filter((kind) => kind.within !== undefined)
  return { fields: new Map(contained.map((kind) => [kind.name, readableFields(kind)])), containers, linksOf: 'none' }
}

/** The containers that live objects name, in a field with the name of their id in paths: the email template set of a plan. */
export function namedContainers(snapshot: Snapshot): Containers {
  const named = kinds.flatMap(({ name, within }): [KindName, readonly string[]][] => {
    const ids = within ? [...idsIn(snapshot.objects, within.parameter)].sort() : []
    return ids.length === 0 ? [] : [[name, ids]]
  })
  return Object.fromEntries(named)
}

function joinedContainers(a: Containers, b: Containers): Containers {
  const joined = kinds.flatMap(({ name }): [KindName, readonly string[]][] => {
    const ids = new Set([...(a[name] ?? []), ...(b[name] ?? [])])
    return ids.size === 0 ? [] : [[name, [...ids].sort()]]
  })
  return Object.fromEntries(joined)
}

function idsIn(objects: readonly LiveObject[], field: string, found = new Set<string>()): ReadonlySet<string> {
  for (const { fields, children } of objects) {
    const value = fields[field]
    if (typeof value === 'number' || (typeof value === 'string' && value !== '')) found.add(String(value))
    idsIn(children, field, found)
  }
  return found
}
