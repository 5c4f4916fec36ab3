import type { IsSecret } from '../catalog/secret-places.js'
import { shapes } from '../catalog/shapes.js'
import type { FieldType } from '../catalog/types.js'
import { canonical, datetimeText, parseDatetime } from '../catalog/value.js'
import { hasWords, spelled, type Vocabulary } from '../catalog/vocabulary.js'
import type { Json } from '../json/json.js'
import { isList, isObject } from '../json/json.js'
import { pointerTo } from '../json/pointer.js'

/** Whether members that only repeat the platform's defaults are left out or written. */
export type Fullness = 'short' | 'full'

/** How much of a value is written: no part of it that contains a known secret (A359). */
interface Extent {
  readonly fullness: Fullness
  readonly isSecret: IsSecret
}

const everything: Extent = { fullness: 'short', isSecret: () => false }

/** Texts in the form of manifests: `${` begins a placeholder, so it is written as `$${`. */
export function escaped(text: string): string
export function escaped(value: Json): Json
export function escaped(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (value === null || typeof value !== 'object') return value
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escaped(inner)]))
    : value.map((each) => escaped(each))
}

/**
 * A live value, from its canonical form, in the form of manifests and in the vocabulary of the platform. undefined if no manifest
 * can contain it, such as a word that the enum does not have.
 */
export function valueForm(
  type: FieldType,
  value: Json,
  { vocabulary, ...writing }: Extent & { readonly vocabulary: Vocabulary },
): Json | undefined {
  const form = plainForm(type, value, writing)
  return form === undefined ? undefined : escaped(hasWords(type) ? spelled(type, form, vocabulary) : form)
}

/** The same before `${` is escaped, in the vocabulary of the document. */
export function plainForm(type: FieldType, value: Json, writing = everything): Json | undefined {
  switch (type.is) {
    case 'string':
    case 'domain':
      return typeof value === 'string' ? value : undefined
    case 'integer':
      return Number.isSafeInteger(value) ? value : undefined
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'identifier':
      return typeof value === 'string' || Number.isSafeInteger(value) ? value : undefined
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'datetime':
      return datetimeForm(value)
    case 'enum':
      return [...type.values, ...(type.noted ?? [])].find((each) => each === value)
    case 'map':
      return mapForm(type.of, value)
    case 'shape':
      return shapeForm(type.shape, value, writing)
    case 'list':
      return listForm(type.of, value)
    case 'child':
    case 'reference':
      return undefined
  }
}

/**
 * The parts of a live value that no manifest can contain, as JSON Pointers within it: members of an object field, or '' for the
 * whole value.
 */
export function unwritablePlaces(type: FieldType, value: Json): readonly string[] {
  if (type.is !== 'shape' || !isObject(value)) return plainForm(type, value) === undefined ? [''] : []
  return Object.entries(shapes[type.shape]).flatMap(([name, member]) => {
    const live = value[name]
    if (live === undefined || live === null) return []
    return unwritablePlaces(member.type, live).map((place) => pointerTo(name) + place)
  })
}

/** A datetime in the form of the document, in UTC; live datetimes are whole seconds since 1970. */
function datetimeForm(value: Json): Json | undefined {
  if (typeof value !== 'number' || !Number.isFinite(new Date(value * 1000).getTime())) return undefined
  const text = datetimeText(value)
  return parseDatetime(text) === undefined ? undefined : text
}

function mapForm(of: 'string' | 'any', value: Json): Json | undefined {
  if (!isObject(value)) return undefined
  return of === 'string' && Object.values(value).some((each) => typeof each !== 'string') ? undefined : value
}

function shapeForm(shape: keyof typeof shapes, value: Json, writing: Extent): Json | undefined {
  const { fullness, isSecret } = writing
  const reported = fullness === 'short' ? canonical({ is: 'shape', shape }, value) : value
  if (!isObject(reported)) return undefined
  const written = Object.entries(shapes[shape]).flatMap(([name, member]): [string, Json][] => {
    const live = reported[name]
    if (live !== undefined && member.type.is !== 'shape' && isSecret(live)) return []
    const fallback = fullness === 'full' ? (member.default ?? emptyMember(member.type)) : undefined
    if (live === undefined || live === null) return fallback === undefined ? [] : [[name, fallback]]
    const form = plainForm(member.type, live, writing)
    return form === undefined ? [] : [[name, form]]
  })
  return Object.fromEntries(written)
}

/** Members with lists or maps are written as empty if they have no value. */
function emptyMember({ is }: FieldType): Json | undefined {
  if (is === 'list') return []
  return is === 'map' ? {} : undefined
}

function listForm(of: FieldType, value: Json): Json | undefined {
  if (!isList(value)) return undefined
  const forms = value.map((each) => plainForm(of, each))
  const known = forms.filter((form) => form !== undefined)
  if (known.length !== forms.length) return undefined
  // Verbs are written in the usual order, that of the document: get, post, put, delete.
  if (of.is !== 'enum') return known
  return [...known].sort((left, right) => placeIn(of.values, left) - placeIn(of.values, right))
}

const placeIn = (values: readonly (string | number)[], form: Json): number => values.map(String).indexOf(String(form))

/** The empty value of a type: an empty list or text, otherwise null. */
export function emptyForm(type: FieldType): Json {
  if (type.is === 'list') return []
  return type.is === 'string' || type.is === 'domain' ? '' : null
}
