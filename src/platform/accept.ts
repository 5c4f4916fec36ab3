import { recordOf } from '../catalog/record.js'
import { memberOf, shapes } from '../catalog/shapes.js'
import type { FieldType } from '../catalog/types.js'
import { domainOf } from '../catalog/value.js'
import type { Json, JsonObject } from '../json/json.js'
import { isList, isObject } from '../json/json.js'
import { below, type Write } from './area.js'
import { normalDatetime } from './dates.js'
import { checkUnknown } from './recorded.js'

/** Where complaints are collected, the vocabulary of the body, and the settings of the platform. */
type Accepting = Pick<Write, 'complaints' | 'understood' | 'area'>

type Understood = Write['understood']

/**
 * Reads one value of a request body by its type. Returns it in the store's spelling. Returns undefined if the value clears the
 * field, or if it is wrong: then there is a complaint about exactly that property.
 */
export function accept(type: FieldType, value: Json | undefined, path: string, accepting: Accepting): Json | undefined {
  const { complaints, understood, area } = accepting
  const { dialect } = area.settings
  if (value === null || value === undefined) return undefined
  if (value === '' && type.is !== 'string' && dialect === 'recorded') return undefined
  const wrong = (words: string): undefined => {
    complaints.push({ property: path, message: `Property '${path}' must be ${words}.` })
    return undefined
  }
  switch (type.is) {
    case 'string':
      return typeof value === 'string' ? value : wrong('a string')
    case 'integer':
      return Number.isSafeInteger(value) ? value : wrong('an integer')
    case 'number':
      if (dialect === 'document' && !Number.isSafeInteger(value)) return wrong('an integer')
      return typeof value === 'number' ? value : wrong('a number')
    case 'identifier':
      if (dialect === 'recorded' && typeof value === 'string') return value
      return Number.isSafeInteger(value) ? value : wrong('an integer')
    case 'boolean':
      return booleanOf(value) ?? wrong('true or false')
    case 'datetime':
      return (typeof value === 'string' ? normalDatetime(value) : undefined) ?? wrong('a datetime')
    case 'enum':
      if (value === '') return undefined
      if (dialect === 'recorded' && typeof value === 'string' && type.noted?.includes(value)) return value
      return wordIn(type, value, understood) ?? wrong(`one of ${understoodWords(type, understood).join(', ')}`)
    case 'map':
      return isMapOf(value, type.of) ? value : wrong(type.of === 'string' ? 'an object of strings' : 'an object')
    case 'domain':
      return hostOf(value) ?? wrong('a domain')
    case 'shape':
      return isObject(value) ? acceptShape(type, value, path, accepting) : wrong('an object')
    case 'list':
      return acceptList(type.of, value, path, accepting)
    case 'child':
    case 'reference':
      return value
  }
}

/** 0 and 1 mean false and true: the document uses them for inboundSslRequired. */
function booleanOf(value: Json): boolean | undefined {
  if (value === true || value === 1) return true
  if (value === false || value === 0) return false
  return undefined
}

type AcceptedEnum = Extract<FieldType, { is: 'enum' }>

/** The words of an enum that the platform accepts. */
const understoodWords = ({ values, mashery }: AcceptedEnum, understood: Understood): readonly (string | number)[] =>
  understood === 'mashery' && mashery ? Object.values(mashery) : values

/** The value in the catalogue's spelling. Grant types are also accepted with underscores (field notes). */
function wordIn({ values, mashery }: AcceptedEnum, value: Json, understood: Understood): string | number | undefined {
  if (typeof value === 'number') return values.includes(value) ? value : undefined
  if (typeof value !== 'string') return undefined
  const own = mashery && values.find((each) => mashery[each] === value)
  if (own !== undefined && understood !== 'document') return own
  if (mashery && understood === 'mashery') return undefined
  if (values.includes(value)) return value
  const hyphenated = value.replaceAll('_', '-')
  return values.includes(hyphenated) ? hyphenated : undefined
}

function isMapOf(value: Json, of: 'string' | 'any'): value is JsonObject {
  if (!isObject(value)) return false
  return of === 'any' || Object.values(value).every((inner) => typeof inner === 'string')
}

function hostOf(value: Json): string | undefined {
  const host = domainOf(value)
  return typeof host === 'string' && host !== '' ? host : undefined
}

/** Reads the known members of a value object. Unknown members are ignored or kept, like unknown fields. */
function acceptShape(
  type: Extract<FieldType, { is: 'shape' }>,
  value: JsonObject,
  path: string,
  accepting: Accepting,
): Json {
  const kept = recordOf(unknownMembers(type, value, path, accepting))
  for (const [name, member] of Object.entries(shapes[type.shape])) {
    const given = understoodNames(name, member, accepting.understood).find((each) => Object.hasOwn(value, each))
    if (given === undefined) continue
    kept[name] = accept(member.type, value[given], below(path, given), accepting) ?? null
  }
  return kept
}

/** The unknown members that a recorded platform keeps: those that are in neither vocabulary. */
function unknownMembers(
  type: Extract<FieldType, { is: 'shape' }>,
  value: JsonObject,
  path: string,
  accepting: Accepting,
): readonly (readonly [string, Json])[] {
  if (accepting.area.settings.dialect === 'document') return []
  const unknown = Object.entries(value).filter(([name]) => memberOf(type.shape, name) === undefined)
  checkUnknown(accepting, unknown, path)
  return unknown
}

function understoodNames(name: string, { mashery }: { readonly mashery: string | undefined }, understood: Understood) {
  if (mashery === undefined || understood === 'document') return [name]
  return understood === 'mashery' ? [mashery] : [name, mashery]
}

/** A bare value is a list of one. Empty texts in lists of enums and domains are ignored. */
function acceptList(of: FieldType, value: Json, path: string, accepting: Accepting): Json {
  const elements: readonly Json[] = isList(value) ? value : [value]
  return elements.flatMap((element, index) => {
    if (element === '' && of.is !== 'string') return []
    const accepted = accept(of, element, isList(value) ? `${path}[${index}]` : path, accepting)
    return accepted === undefined ? [] : [accepted]
  })
}
