import { catalog } from '../catalog/catalog.js'
import { isWritable, kinds, linkFields, ownFields } from '../catalog/queries.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { ReadSpec, Snapshot } from '../live/live-object.js'
import type { Client, Reading } from './types.js'

/** Every field of a kind that its answers can have: what a snapshot holds and what `get` shows. */
export function readableFields(kind: Kind): readonly string[] {
  return ownFields(kind)
    .filter((field) => !field.writeOnly && isShown(kind, field))
    .map((field) => field.name)
}

/** A link shows only what it says of itself, and a list that another object owns is read there. */
function isShown(kind: Kind, field: Field): boolean {
  if (field.readOnly !== undefined) return false
  return kind.linkTo === undefined || isWritable(field)
}

/** The given kinds, or all, with all their fields; owners that are no resource come in a second reading. */
export function fullSpec(names: readonly KindName[] = kinds.map((kind) => kind.name)): ReadSpec {
  const wanted = new Set([...names, ...names.flatMap(linkKinds)])
  const asked = kinds.filter((kind) => kind.within === undefined && wanted.has(kind.name))
  return {
    fields: new Map(asked.map((kind) => [kind.name, readableFields(kind)])),
    emailTemplateSets: [],
    linksOf: [...wanted].some((name) => catalog[name].linkTo !== undefined) ? 'all' : 'none',
  }
}

/** The links that objects of a kind show in a field say something of themselves: the action of a service's role. */
const linkKinds = (name: KindName): readonly KindName[] => linkFields(catalog[name]).map(({ kind }) => kind.name)

/** Reads everything that the area holds of every kind; email templates of the sets that its plans name. */
export async function readAll(client: Pick<Client, 'read'>): Promise<Reading> {
  const main = await client.read(fullSpec())
  const emailTemplateSets = namedSets(main.snapshot)
  if (emailTemplateSets.length === 0) return main
  const sets = await client.read({ ...ownedSpec(), emailTemplateSets })
  return {
    snapshot: {
      ...main.snapshot,
      objects: [...main.snapshot.objects, ...sets.snapshot.objects],
      kinds: [...main.snapshot.kinds, ...sets.snapshot.kinds],
    },
    raw: { ...main.raw, ...sets.raw },
    cost: [...main.cost, ...sets.cost],
    notOffered: [...main.notOffered, ...sets.notOffered],
  }
}

/** The kinds that live in an owner which is no resource: email templates. */
export function ownedSpec(): Omit<ReadSpec, 'emailTemplateSets'> {
  const owned = kinds.filter((kind) => kind.within !== undefined)
  return { fields: new Map(owned.map((kind) => [kind.name, readableFields(kind)])), linksOf: 'none' }
}

/** The identifiers of the email template sets that live objects name in a field called after the set. */
export function namedSets(snapshot: Snapshot): readonly string[] {
  const parameters = kinds.flatMap((kind) => kind.within?.parameter ?? [])
  const found = new Set<string>()
  const visit = (object: Snapshot['objects'][number]): void => {
    for (const name of parameters) addId(object.fields, name, found)
    for (const child of object.children) visit(child)
  }
  for (const object of snapshot.objects) visit(object)
  return [...found].sort()
}

function addId(fields: JsonObject, name: string, found: Set<string>): void {
  const value = fields[name]
  if (typeof value === 'number' || (typeof value === 'string' && value !== '')) found.add(String(value))
}
