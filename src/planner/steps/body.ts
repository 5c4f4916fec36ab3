import { catalog } from '../../catalog/catalog.js'
import { elementOf } from '../../catalog/queries.js'
import type { FieldType, KindName } from '../../catalog/types.js'
import { parseDatetime } from '../../catalog/value.js'
import { groupBy } from '../../json/groups.js'
import type { Json, JsonObject } from '../../json/json.js'
import { entriesOf, isList } from '../../json/json.js'
import type {
  Change,
  CreateChange,
  FieldValue,
  FieldValues,
  NestedEntries,
  ReferenceEntry,
  ReferenceTarget,
  ReplaceChange,
} from '../plan.js'

/** The facts besides the plan that a body needs. */
export interface Wire {
  /** The id for a target. It is known when the body is made. */
  readonly idOf: (target: ReferenceTarget) => string
  /** The member with the name of a domain on this platform. */
  readonly domainMember: 'domain' | 'address'
}

/** The body with these values, in the names and forms of the interface. */
export function bodyOf(kind: KindName, values: FieldValues, wire: Wire): JsonObject {
  const fields = catalog[kind].fields
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, wireValue(fields[name]?.type, value, wire)]),
  )
}

/** The body of a create with its nested children. `without` returns fields that are written later. */
export function treeBody(
  change: CreateChange | ReplaceChange,
  members: readonly Change[],
  without: (change: CreateChange | ReplaceChange) => readonly string[],
  wire: Wire,
): JsonObject {
  const creates = members.filter((member) => member.action === 'create')
  const inside = groupBy(creates, ({ resource }) => resource.parent)
  const bodyWithin = (each: CreateChange | ReplaceChange): JsonObject => {
    const left = new Set(without(each))
    const values = Object.fromEntries(Object.entries(each.values).filter(([name]) => !left.has(name)))
    const body: Record<string, Json> = { ...linkBody(each, wire), ...bodyOf(each.kind, values, wire) }
    for (const [kind, own] of groupBy(inside.get(each.address) ?? [], (member) => member.kind)) {
      const row = catalog[kind].parent
      if (!row) continue
      const [first = {}, ...others] = own.map(bodyWithin)
      body[row.field] = row.single ? first : [...entriesOf(body[row.field]), first, ...others]
    }
    return body
  }
  return bodyWithin(change)
}

function linkBody(change: CreateChange | ReplaceChange, wire: Wire): JsonObject {
  return change.action === 'create' && change.link ? referenceBody(change.link, wire) : {}
}

/** The whole list of a kind that is written through its parent: the live objects with these changes. */
export function listBody(members: readonly Change[], wire: Wire): JsonObject {
  const [first] = members
  const row = first && catalog[first.kind].parent
  if (!first || !row) return {}
  const kind = catalog[first.kind]
  const own = Object.values(kind.fields).filter((field) => field.create !== 'Ign' || field.name === 'id')
  const entries = new Map<string, JsonObject>()
  for (const live of first.siblings) {
    const known = own.filter((field) => live.fields[field.name] !== undefined)
    const values = Object.fromEntries(known.map((field) => [field.name, live.fields[field.name] ?? null]))
    entries.set(live.id, kind.association ? { id: live.id, name: live.key, ...values } : values)
  }
  for (const change of members) {
    if (change.action === 'delete') entries.delete(change.live.id)
    if (change.action === 'update') {
      entries.set(change.live.id, { ...entries.get(change.live.id), ...bodyOf(change.kind, change.values, wire) })
    }
    if (change.action === 'create') {
      const body = { ...linkBody(change, wire), ...bodyOf(change.kind, change.values, wire) }
      entries.set(String(body.id ?? change.resource.key), { ...kind.sentByDefault, ...body })
    }
  }
  return { [row.field]: [...entries.values()] }
}

function wireValue(type: FieldType | undefined, value: FieldValue, wire: Wire): Json {
  switch (value.is) {
    case 'reference':
      return referenceBody(value.entry, wire)
    case 'references':
      return value.entries.map((entry) => referenceBody(entry, wire))
    case 'value':
      return type ? spelt(type, value.value, wire) : value.value
  }
}

function referenceBody(entry: ReferenceEntry, wire: Wire): JsonObject {
  const nested = entry.nested && { [entry.nested.field]: nestedBody(entry.nested, wire) }
  return { id: wire.idOf(entry.target), name: entry.name, ...entry.extra, ...nested }
}

function nestedBody({ picks, entries }: NestedEntries, wire: Wire): Json {
  const bodies = entries.map((each) => referenceBody(each, wire))
  return picks === 'any' ? bodies : (bodies[0] ?? null)
}

/** A value in the form of the interface: domains are objects, and datetimes have milliseconds and an offset. */
function spelt(type: FieldType, value: Json, wire: Wire): Json {
  if (isList(value)) return value.map((each) => spelt(elementOf(type), each, wire))
  if (type.is === 'domain' && typeof value === 'string') return { [wire.domainMember]: value }
  if (type.is === 'datetime' && typeof value === 'string') return speltDatetime(value)
  return value
}

/** `2027-01-01T00:00:00.000+0000`: the form of the document, in the written offset. */
function speltDatetime(text: string): string {
  const milliseconds = parseDatetime(text)
  if (milliseconds === undefined) return text
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d{2}):?(\d{2})$/.exec(text) ?? []
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const local = new Date(milliseconds + offset * 60_000).toISOString().replace('Z', '')
  return `${local}${sign}${hours}${minutes}`
}
