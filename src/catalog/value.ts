import type { Json, JsonObject } from '../json/json.js'
import { asList, isList, isObject, sameJson } from '../json/json.js'
import { by, canonicalText, inCanonicalOrder } from '../json/order.js'
import { memberName, shapes } from './shapes.js'
import type { FieldType } from './types.js'
import { documentWord } from './vocabulary.js'

/**
 * Semantic equality (design §4): lists are sets, a bare string is a list of one, 0 and 1 are booleans in a boolean field,
 * datetimes are compared to the second, and null, "", [], [""] and an object of empty values are all "empty".
 */

/** The canonical form of a value with that type: undefined for all forms of empty. */
export function canonical(type: FieldType, value: Json | undefined): Json | undefined {
  if (value === undefined || value === null || value === '') return undefined
  switch (type.is) {
    case 'string':
      return typeof value === 'object' ? value : String(value)
    case 'integer':
    case 'number':
      return numberFrom(value)
    case 'identifier':
      return identifierOf(value)
    case 'boolean':
      return booleanOf(value)
    case 'datetime':
      return instantOf(value)
    case 'enum':
      return type.base === 'integer' ? numberFrom(value) : enumWord(value, type)
    case 'domain':
      return domainOf(value)
    case 'map':
      return nonEmpty(inCanonicalOrder(type.of === 'string' ? withTexts(value) : value, 'as written'))
    case 'shape':
      return canonicalShape(type, value)
    case 'reference':
    case 'child':
      return value
    case 'list':
      return canonicalSet(type.of, value)
  }
}

/**
 * The canonical form of a live value. An object keeps the members that are equal to their defaults, because an update sends them
 * too, and they may have other defaults elsewhere.
 */
export function liveForm(type: FieldType, value: Json | undefined): Json | undefined {
  const form = canonical(type, value)
  if (type.is !== 'shape' || !isObject(form) || !isObject(value)) return form
  const whole = entriesOfShape(type, value, liveForm)
  return Object.fromEntries(whole.map(({ name, form }) => [name, form]))
}

/**
 * Whether a live value has the desired meaning (A12). Missing and null mean empty, or the platform's default; a written empty
 * list always means empty. A live field that is missing or null can also mean false or 0, if that is the platform's default: some
 * platforms do not return these.
 */
export function sameValue(
  type: FieldType,
  desired: Json | undefined,
  live: Json | undefined,
  byDefault: Json | undefined,
): boolean {
  if (desired === live || sameElements(desired, live)) return true
  const [one, other] = [canonical(type, desired), canonical(type, live)]
  if (one === undefined && other !== undefined)
    return !Array.isArray(desired) && sameJson(other, canonical(type, byDefault))
  if (one !== undefined && other === undefined) return one === byDefault && (one === false || one === 0)
  if (sameJson(one, other)) return true
  // The values in a free map have no type: some platforms store all of them as texts.
  if (type.is === 'map') return sameJson(asTexts(one), asTexts(other))
  return holdsHosts(type) && sameJson(inLowerCase(type, one), inLowerCase(type, other))
}

function asTexts(value: Json | undefined): Json {
  if (isList(value)) return value.map(asTexts)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asTexts(each)]))
  return value === undefined || value === null ? null : String(value)
}

/** Whether values with that type are host names, which are compared without case (A72). */
export function holdsHosts(type: FieldType): boolean {
  if (type.is === 'list') return holdsHosts(type.of)
  return type.is === 'domain' || (type.is === 'string' && type.isHost === true)
}

function inLowerCase(type: FieldType, form: Json | undefined): Json | undefined {
  if (type.is === 'list' && isList(form)) {
    return canonicalSet(
      type.of,
      form.map((each) => inLowerCase(type.of, each) ?? null),
    )
  }
  return typeof form === 'string' ? form.toLowerCase() : form
}

/** Compares lists element by element. In most cases they are equal, and then the sets need not be sorted. */
function sameElements(left: Json | undefined, right: Json | undefined): boolean {
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
  const other: readonly Json[] = right
  return left.every((element, index) => element === other[index])
}

/** The host name of a domain that is written as a string, as {domain} or as {address}. */
export function domainOf(value: Json): Json | undefined {
  if (!isObject(value)) return value
  return unlessBlank(value.domain) ?? unlessBlank(value.address)
}

const unlessBlank = (value: Json | undefined): Json | undefined => (value === null || value === '' ? undefined : value)

function numberFrom(value: Json): Json {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
}

/** A text that looks like an integer becomes one, unless that would change the text. */
function identifierOf(value: Json): Json {
  return typeof value === 'string' && String(Number(value)) === value && /^\d+$/.test(value) ? Number(value) : value
}

function booleanOf(value: Json): Json {
  if (value === 0 || value === '0' || value === 'false') return false
  if (value === 1 || value === '1' || value === 'true') return true
  return value
}

/** This many seconds are in the year 5138: a platform that returns a larger number counts milliseconds. */
const mostSeconds = 1e11

/** A map of texts, with other scalars converted to texts. */
function withTexts(value: Json): Json {
  if (!isObject(value)) return value
  const textOf = (inner: Json): Json => (typeof inner === 'object' && inner !== null ? inner : String(inner ?? ''))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, textOf(inner)]))
}

/** Whole seconds since 1970, or the value itself if it is no datetime. */
function instantOf(value: Json): Json {
  if (typeof value === 'number' && value >= mostSeconds) return Math.floor(value / 1000)
  const milliseconds = parseDatetime(typeof value === 'string' ? inDocumentsForm(value) : value)
  return milliseconds === undefined ? value : Math.floor(milliseconds / 1000)
}

/**
 * Manifests write datetimes in the document's form. Platforms also return them without seconds, with a space or small letters,
 * with an offset of hours only, and without an offset, which means UTC (A433).
 */
function inDocumentsForm(text: string): string {
  const [, day, minute, second = ':00', offset = 'Z', minutes = ''] = answeredPattern.exec(text) ?? []
  if (day === undefined || minute === undefined) return text
  const zone = offset.toUpperCase() === 'Z' ? 'Z' : offset + (minutes || '00')
  return `${day}T${minute}${second.replace(',', '.')}${zone}`
}

const answeredPattern = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:[.,]\d+)?)? ?(?:(Z|[+-]\d{2}):?(\d{2})?)?$/i

const datetimePattern = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d+)?)(Z|[+-]\d{2}:?\d{2})$/

/** A datetime in the form of the document or the recordings, in milliseconds since 1970; otherwise undefined. */
export function parseDatetime(value: Json | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const [, day, clock, offset] = datetimePattern.exec(value) ?? []
  if (day === undefined || clock === undefined || offset === undefined || !isDay(day)) return undefined
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset
  const milliseconds = Date.parse(day + clock + zone)
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

/** Whether a text is a valid day, such as 2027-01-31; Date.parse accepts the 31st of every month. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text

/**
 * OAuth grant types are also written with underscores (field notes), words in capitals are the same words (A346), and some words
 * differ between the vocabularies.
 */
function enumWord(value: Json, type: Extract<FieldType, { is: 'enum' }>): Json {
  if (typeof value !== 'string' || type.values.includes(value)) return value
  const form = value.replaceAll('_', '-').toLowerCase()
  const known = type.values.find((each) => typeof each === 'string' && each.toLowerCase() === form)
  return known ?? documentWord(type, value)
}

function canonicalShape(type: Shape, value: Json): Json | undefined {
  if (!isObject(value)) return value
  const reported = entriesOfShape(type, value, canonical).filter(({ member, form }) => {
    return member?.default === undefined || !sameJson(form, canonical(member.type, member.default))
  })
  return nonEmpty(Object.fromEntries(reported.map(({ name, form }) => [name, form])))
}

type Shape = Extract<FieldType, { is: 'shape' }>

/** The members of an object that are not empty, by their names in the document. */
function entriesOfShape(type: Shape, value: JsonObject, formOf: typeof canonical) {
  return Object.entries(value)
    .flatMap(([written, memberValue]) => {
      const name = memberName(type.shape, written, 'document')
      const member = shapes[type.shape][name]
      const form = formOf(member?.type ?? { is: 'map', of: 'any' }, memberValue)
      return form === undefined ? [] : [{ name, member, form }]
    })
    .sort(by(({ name }) => name))
}

function canonicalSet(of: FieldType, value: Json): Json | undefined {
  const elements = asList(value)
  const forms = elements.map((element) => canonical(of, element)).filter((form) => form !== undefined)
  if (forms.length === 0) return undefined
  if (isInOrder(forms)) return forms
  const byText = new Map(forms.map((form) => [sortKey(form), form]))
  return [...byText].sort(by(([text]) => text)).map(([, form]) => form)
}

/** Texts in ascending order, or a single element: they need no sorting and contain no duplicates. */
const isInOrder = (forms: readonly Json[]): boolean =>
  forms.length === 1 ||
  forms.every((form, index) => typeof form === 'string' && (index === 0 || String(forms[index - 1]) < form))

const sortKey = (form: Json): string => (typeof form === 'string' ? form : canonicalText(form, 'as written'))

const nonEmpty = (value: Json): Json | undefined =>
  isObject(value) && Object.keys(value).length === 0 ? undefined : value

/** The document's form of a time in seconds since 1970: `2027-01-01T00:00:00.000+0000`. */
export const datetimeText = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('Z', '+0000')
