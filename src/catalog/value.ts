import type { Json, JsonObject } from '../json/json.js'
import { asList, isList, isObject, sameJson } from '../json/json.js'
import { by, canonicalText, inCanonicalOrder } from '../json/order.js'
import { memberName, shapes } from './shapes.js'
import type { FieldType } from './types.js'
import { documentWord } from './vocabulary.js'

/**
 * Equality of meaning (design §4): lists are sets, a bare string is a list of one, 0 and 1 are booleans where the field is
 * one, datetimes are instants to the second, and null, "", [], [""] and an object of empty values are one "empty".
 */

/** The canonical form of a value of that type: undefined for every spelling of empty. */
export function canonical(type: FieldType, value: Json | undefined): Json | undefined {
  if (value === undefined || value === null || value === '') return undefined
  switch (type.is) {
    case 'string':
      return typeof value === 'object' ? value : String(value)
    case 'integer':
    case 'number':
      return numberOf(value)
    case 'identifier':
      return identifierOf(value)
    case 'boolean':
      return booleanOf(value)
    case 'datetime':
      return instantOf(value)
    case 'enum':
      return type.base === 'integer' ? numberOf(value) : enumWord(value, type)
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
 * The canonical form of what is live: an object keeps the members that say no more than a default, for an update sends them
 * along. Elsewhere another default may take their place.
 */
export function liveForm(type: FieldType, value: Json | undefined): Json | undefined {
  const form = canonical(type, value)
  if (type.is !== 'shape' || !isObject(form) || !isObject(value)) return form
  const whole = entriesOfShape(type, value, liveForm)
  return Object.fromEntries(whole.map(({ name, form }) => [name, form]))
}

/**
 * Whether a live value means what is desired (A12). Missing and null desire nothing, or what the platform puts there by
 * itself; a written list without elements desires nothing. A live field that is missing or null may as well be false or 0,
 * if that is what the platform puts there: some do not show these.
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
  // What a free map holds has no type: some platforms keep all of it as texts.
  if (type.is === 'map') return sameJson(asTexts(one), asTexts(other))
  return holdsHosts(type) && sameJson(inLowerCase(type, one), inLowerCase(type, other))
}

function asTexts(value: Json | undefined): Json {
  if (isList(value)) return value.map(asTexts)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asTexts(each)]))
  return value === undefined || value === null ? null : String(value)
}

/** Whether values of that type are host names, which compare without case (A72). */
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

/** The same list element by element, as it nearly always is: sets need not be put in order for that. */
function sameElements(left: Json | undefined, right: Json | undefined): boolean {
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
  const other: readonly Json[] = right
  return left.every((element, index) => element === other[index])
}

/** The host name of a domain written as a string, as {domain} or as {address}. */
export function domainOf(value: Json): Json | undefined {
  if (!isObject(value)) return value
  return unlessBlank(value.domain) ?? unlessBlank(value.address)
}

const unlessBlank = (value: Json | undefined): Json | undefined => (value === null || value === '' ? undefined : value)

function numberOf(value: Json): Json {
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
}

/** What reads like a whole number is one, unless it would read differently afterwards. */
function identifierOf(value: Json): Json {
  return typeof value === 'string' && String(Number(value)) === value && /^\d+$/.test(value) ? Number(value) : value
}

function booleanOf(value: Json): Json {
  if (value === 0 || value === '0' || value === 'false') return false
  if (value === 1 || value === '1' || value === 'true') return true
  return value
}

/** More seconds than there are before the year 5138: a platform that answers such a number counts milliseconds. */
const mostSeconds = 1e11

/** A map of texts, with the texts that other scalars stand for. */
function withTexts(value: Json): Json {
  if (!isObject(value)) return value
  const textOf = (inner: Json): Json => (typeof inner === 'object' && inner !== null ? inner : String(inner ?? ''))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, textOf(inner)]))
}

/** Whole seconds since 1970, or the value itself where it is no datetime. */
function instantOf(value: Json): Json {
  if (typeof value === 'number' && value >= mostSeconds) return Math.floor(value / 1000)
  const milliseconds = parseDatetime(typeof value === 'string' ? inDocumentsForm(value) : value)
  return milliseconds === undefined ? value : Math.floor(milliseconds / 1000)
}

/**
 * Manifests write datetimes as the document does. Platforms also answer them without seconds, with a blank or small letters,
 * with the hours of an offset alone, and without an offset, which means UTC (A433).
 */
function inDocumentsForm(text: string): string {
  const [, day, minute, second = ':00', offset = 'Z', minutes = ''] = answeredPattern.exec(text) ?? []
  if (day === undefined || minute === undefined) return text
  const zone = offset.toUpperCase() === 'Z' ? 'Z' : offset + (minutes || '00')
  return `${day}T${minute}${second.replace(',', '.')}${zone}`
}

const answeredPattern = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:[.,]\d+)?)? ?(?:(Z|[+-]\d{2}):?(\d{2})?)?$/i

const datetimePattern = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d+)?)(Z|[+-]\d{2}:?\d{2})$/

/** Milliseconds since 1970 of a datetime as the document or the recordings write it, or undefined. */
export function parseDatetime(value: Json | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const [, day, clock, offset] = datetimePattern.exec(value) ?? []
  if (day === undefined || clock === undefined || offset === undefined || !isDay(day)) return undefined
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset
  const milliseconds = Date.parse(day + clock + zone)
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

/** Whether a text is a day of the calendar, such as 2027-01-31; Date.parse takes the 31st of every month. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text

/**
 * OAuth grant types appear with underscores as well (field notes), words in capitals are the same words (A346), and some have
 * one for each vocabulary.
 */
function enumWord(value: Json, type: Extract<FieldType, { is: 'enum' }>): Json {
  if (typeof value !== 'string' || type.values.includes(value)) return value
  const form = value.replaceAll('_', '-').toLowerCase()
  const known = type.values.find((each) => typeof each === 'string' && each.toLowerCase() === form)
  return known ?? documentWord(type, value)
}

function canonicalShape(type: Shape, value: Json): Json | undefined {
  if (!isObject(value)) return value
  const told = entriesOfShape(type, value, canonical).filter(({ member, form }) => {
    return member?.default === undefined || !sameJson(form, canonical(member.type, member.default))
  })
  return nonEmpty(Object.fromEntries(told.map(({ name, form }) => [name, form])))
}

type Shape = Extract<FieldType, { is: 'shape' }>

/** The members of an object that are not empty, in the document's words, by name. */
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

/** Texts that rise, or one element alone: nothing to sort, and nothing twice. */
const isInOrder = (forms: readonly Json[]): boolean =>
  forms.length === 1 ||
  forms.every((form, index) => typeof form === 'string' && (index === 0 || String(forms[index - 1]) < form))

const sortKey = (form: Json): string => (typeof form === 'string' ? form : canonicalText(form, 'as written'))

const nonEmpty = (value: Json): Json | undefined =>
  isObject(value) && Object.keys(value).length === 0 ? undefined : value

/** The document's spelling of an instant in seconds since 1970: `2027-01-01T00:00:00.000+0000`. */
export const datetimeText = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('Z', '+0000')
