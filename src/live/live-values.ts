import { catalog } from '../catalog/catalog.js'
import { elementOf, referredKind, targetOf } from '../catalog/queries.js'
import { nestedReferenceForm, type ReferenceForm, referenceForm } from '../catalog/reference-form.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import { datetimeText } from '../catalog/value.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import type { LiveIndex } from './live-index.js'
import type { LiveObject } from './live-object.js'

/**
 * The fields of a live object as a manifest would write them, in the order of the kind's table: references by name,
 * datetimes in the document's shape. Secrets are as they are: whoever shows them masks them.
 */
export function liveFields(object: LiveObject, live: LiveIndex): JsonObject {
  const kind = catalog[object.kind]
  const known = Object.values(kind.fields).filter((field) => Object.hasOwn(object.fields, field.name))
  const extra = Object.keys(object.fields).filter((name) => !Object.hasOwn(kind.fields, name))
  return Object.fromEntries([
    ...known.map((field): [string, Json] => [
      field.name,
      liveValue(kind, field, object.fields[field.name] ?? null, live),
    ]),
    ...extra.map((name): [string, Json] => [name, object.fields[name] ?? null]),
  ])
}

function liveValue(kind: Kind, field: Field, value: Json, live: LiveIndex): Json {
  const referred = referredKind(field)
  if (referred !== undefined) return references(kind, field, referred, value, live)
  return elementOf(field.type).is === 'datetime' && typeof value === 'number' ? datetimeText(value) : value
}

function references(holder: Kind, field: Field, referred: KindName, value: Json, live: LiveIndex): Json {
  const form = referenceForm(holder, referred)
  const named = (each: Json): Json => (isObject(each) ? reference(catalog[referred], form, each, live) : each)
  if (field.type.is !== 'list') return named(value)
  if (!Array.isArray(value)) return value
  return (value as readonly Json[]).map(named).sort(bySpelling)
}

/** A reference by its name alone, or with its parents, its own members and what is picked in it. */
function reference(kind: Kind, form: ReferenceForm, answered: JsonObject, live: LiveIndex): Json {
  const target = targetOf(kind)
  const known = live.byId(target.name, String(answered.id))
  const name = known && known.key !== '' ? known.key : (answered.name ?? answered.id ?? null)
  const members = form.members.flatMap((field): [string, Json][] => {
    const value = answered[field.name]
    return value === undefined || value === null ? [] : [[field.name, value]]
  })
  const nested = form.nested.flatMap(({ field, kind: inner }): [string, Json][] => {
    const held = answered[field]
    if (!Array.isArray(held)) return []
    const picked = (held as readonly Json[]).filter(isObject)
    return [[field, picked.map((each) => reference(inner, nestedReferenceForm(inner), each, live)).sort(bySpelling)]]
  })
  const parents = form.parents.length === 0 ? [] : parentNames(known, form.parents)
  const rest = [...members, ...nested]
  return parents.length + rest.length === 0 ? name : Object.fromEntries([...parents, ['name', name], ...rest])
}

/** The names of an object's parents, by the words that a reference has for them. */
function parentNames(object: LiveObject | undefined, words: readonly string[]): readonly [string, Json][] {
  const names: string[] = []
  for (let parent = object?.parent; parent; parent = parent.parent) names.unshift(parent.key)
  return names.length === words.length ? words.map((word, index) => [word, names[index] ?? null]) : []
}

const bySpelling = (left: Json, right: Json): number => {
  const [first, second] = [JSON.stringify(left), JSON.stringify(right)]
  if (first === second) return 0
  return first < second ? -1 : 1
}
