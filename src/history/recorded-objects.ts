import { addressOf, parseAddress, pinnedId, unescapeName } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import {
  attributeField,
  extraField,
  givenByParent,
  hasSecretName,
  inverseReferenceOf,
  isKindName,
  isWritable,
  referredKind,
} from '../catalog/queries.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import { isObject, type Json, type JsonObject } from '../json/json.js'
import { keysOf, withMember } from '../json/pointer.js'
import type { ObjectValues } from '../manifest/from-values.js'
import type { Ancestor, Name } from '../manifest/resource.js'
import { fieldOfKey, pathOfPrint } from '../planner/compare/secret-values.js'
import type { Done } from './done.js'
import { changedMembers } from './members.js'

/** The names that objects, or the objects that links refer to, had before the run renamed them, by their addresses since then. */
export function formerNames(done: readonly Done[]): ReadonlyMap<string, string> {
  const targets = new Map(done.map((each) => [`${each.kind} ${each.id}`, nameBefore(each)]))
  const names = done.flatMap((each): (readonly [string, string])[] => {
    const { association } = catalog[each.kind]
    // A link has the id of the object that it refers to.
    const name = association ? targets.get(`${association} ${each.id}`) : nameBefore(each)
    return name === undefined ? [] : [[each.address, name]]
  })
  return new Map(names)
}

function nameBefore({ address, kind, id, before }: Done): string | undefined {
  const { naming } = catalog[kind]
  const name = naming === undefined ? undefined : before?.fields[naming]
  if (typeof name === 'string') return name
  return id !== '' && address.endsWith(pinOf(id))
    ? unescapeName(address.slice(address.lastIndexOf('/') + 1, -pinOf(id).length))
    : undefined
}

/** The end of the name in the address of a pinned object. */
export const pinOf = (id: string): string => `~${id}`

/** The object before the run; undefined if the record cannot restore it. */
export function objectBefore(
  done: Done,
  names: ReadonlyMap<string, string>,
  ids: ReadonlySet<string>,
): ObjectValues | undefined {
  const { kind, before, after, action } = done
  if (!before) return undefined
  // An absent secret is not a secret: it can be removed again.
  const keys = Object.keys(after?.fingerprints ?? {})
  const named: JsonObject = { ...Object.fromEntries(keys.map((key) => [fieldOfKey(key), null])), ...after?.fields }
  const added = keys.filter((key) => key !== fieldOfKey(key) && !Object.hasOwn(before.fingerprints, key))
  const written = added.reduce<Json>((object, key) => withMember(object, keysOf(pathOfPrint(key)), null), named)
  const managed = action === 'update' && isObject(written) ? written : undefined
  const row = catalog[kind]
  const then = managed ? { ...besides(row, before.fields, managed), ...before.fields } : before.fields
  const spec = specOf(row, then, managed && { managed, after: after?.fields ?? {} })
  // A key is identified by the package that it is for.
  const identity = Object.entries(after?.fields ?? {}).flatMap(([name, value]): [string, Json][] => {
    const field = name === row.namedBy ? row.fields[name] : undefined
    return field ? [[name, underFormerName(field, value, names)]] : []
  })
  return objectValues(done, { ...Object.fromEntries(identity), ...spec }, names, ids)
}

/**
 * Fields that exclude the side that an object changes back to. They were written next to it before and after the run, because its
 * manifest wrote them, so they are still written (A363).
 */
function besides({ sides }: Kind, before: JsonObject, managed: JsonObject): JsonObject {
  if (!sides || !Object.hasOwn(before, sides.by)) return {}
  const names = [...sides.one, ...sides.other].filter((name) => managed[name] !== undefined && managed[name] !== null)
  return Object.fromEntries(names.map((name): [string, Json] => [name, managed[name] ?? null]))
}

export const isOfASide = ({ sides }: Kind, name: string): boolean =>
  sides !== undefined && (sides.one.includes(name) || sides.other.includes(name))

/** A reference as a manifest wrote it, with the name that its object had before the run. */
function underFormerName(field: Field, written: Json, names: ReadonlyMap<string, string>): Json {
  const kind = referredKind(field)
  const name = isObject(written) ? written.name : written
  const former = kind && typeof name === 'string' ? names.get(addressOf(catalog[kind], name, undefined)) : undefined
  if (former === undefined) return written
  return isObject(written) ? { ...written, name: former } : former
}

export const objectAfter = (done: Done, ids: ReadonlySet<string>): ObjectValues | undefined =>
  objectValues(done, specOf(catalog[done.kind], done.after?.fields ?? {}, undefined), new Map(), ids)

/** The fields that a manifest may write; for an updated object, only those that the manifests of that run managed. */
function specOf(kind: Kind, fields: JsonObject, updated: Updated | undefined): JsonObject {
  const managed = updated?.managed
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, Json][] => {
      const written = managed && Object.hasOwn(managed, name) ? extraField(name) : attributeField(kind, name)
      const field = kind.fields[name] ?? written
      if (!field || !isWritable(field) || name === kind.naming) return []
      if (field.secret && value !== null) return []
      if (name === givenByParent(kind) || inverseReferenceOf(kind, field)) return []
      if (managed && !Object.hasOwn(managed, name)) return []
      if (value === null && (!managed || field.create === 'Req' || field.update === 'Req')) return []
      const before = updated ? changedMembers(field.type, value, updated.managed[name], updated.after[name]) : value
      return before === undefined ? [] : [[name, before]]
    }),
  )
}

/**
 * For an updated object: the fields that its manifest managed, with null for secrets; and the same after the run, without
 * secrets.
 */
interface Updated {
  readonly managed: JsonObject
  readonly after: JsonObject
}

/** An object by its address in the record, with the names that it and its parents had before the run. */
export function objectValues(
  { address, kind, id }: Pick<Done, 'address' | 'kind' | 'id'>,
  fields: JsonObject,
  names: ReadonlyMap<string, string>,
  ids: ReadonlySet<string>,
): ObjectValues | undefined {
  const parts = address.split('/')
  const ancestors: Ancestor[] = []
  let used = 0
  for (const step of parseAddress(address)?.steps ?? []) {
    used += step.name === undefined ? 1 : 2
    if (!isKindName(step.kind)) return undefined
    const before = names.get(parts.slice(0, used).join('/'))
    const isParent = used < parts.length
    if (isParent && step.name !== undefined) ancestors.push({ kind: step.kind, ...ancestorOf(step.name, before, ids) })
    if (!isParent) return { kind, recordedAs: address, ancestors, fields, ...identityOf(kind, id, step.name, before) }
  }
  return undefined
}

/** How a restored object is found: by its id if its address has it, otherwise by the name that it has had since. */
function identityOf(
  kind: KindName,
  id: string,
  name: string | undefined,
  before = name,
): Pick<ObjectValues, 'name' | 'id' | 'formerly'> {
  const row = catalog[kind]
  if (hasSecretName(row)) return { name: undefined, id: id === '' ? undefined : id, formerly: [] }
  if (before === undefined) return { name: undefined, id: undefined, formerly: [] }
  const pin = pinOf(id)
  const isPinned = name?.endsWith(pin)
  return {
    name: before.endsWith(pin) ? before.slice(0, -pin.length) : before,
    id: isPinned ? id : undefined,
    // A link is found by the object that it refers to.
    formerly: isPinned || row.association || name === undefined || name === before ? [] : [name],
  }
}

/** A parent in an address, with the name that it had before the run. */
function ancestorOf(name: string, before: string | undefined, ids: ReadonlySet<string>): Name {
  const id = pinnedId(name, (each) => ids.has(each))
  if (id === undefined) return { name: before ?? name }
  return { name: before ?? name.slice(0, -pinOf(id).length), id }
}
