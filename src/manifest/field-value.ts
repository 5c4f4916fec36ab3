import { recordOf } from '../catalog/record.js'
import { memberName, shapes } from '../catalog/shapes.js'
import type { FieldType } from '../catalog/types.js'
import { canonical, parseDatetime } from '../catalog/value.js'
import { documentWord, wordsInAny } from '../catalog/vocabulary.js'
import type { Json } from '../json/json.js'
import { isSamePlace, withValueAt } from '../problems/compose.js'
import { duplicateKey, extraField, unknownField, unknownValue, wrongType } from '../problems/manifests.js'
import type { Place, Problem } from '../problems/problem.js'
import { nearest } from '../problems/suggest.js'
import { displayedText, formWords, keyWords, type Node, plain, type ScalarNode, wordsFor } from './node.js'
import type { Reporter, Scope } from './scope.js'
import { placeOf, textOfRange } from './source.js'

type ValueType = Exclude<FieldType, { is: 'child' | 'reference' }>

/** A value of that type with its shorthand expanded; undefined if it is wrong, which is reported. */
export function readValue(type: FieldType, node: Node, at: string, scope: Scope): Json | undefined {
  // Already reported where it was resolved.
  if (node.is === 'scalar' && node.from === 'unresolved') return undefined
  const { given, range, secret } = node
  if (!given || secret) return readWritten(type, node, at, scope)
  const isOfThis = ({ place }: Problem) => place !== undefined && isSamePlace(place, placeOf(range))
  const report: Scope['report'] = (problem) =>
    scope.report(isOfThis(problem) ? withValueAt(problem, placeOf(given)) : problem)
  return readWritten(type, node, at, { ...scope, report })
}

function readWritten(type: FieldType, node: Node, at: string, scope: Scope): Json | undefined {
  switch (type.is) {
    case 'string':
    case 'integer':
    case 'number':
    case 'identifier':
    case 'boolean':
    case 'datetime':
    case 'enum':
      return readScalar(type, node, at, scope)
    case 'map':
      return readMap(type.of, node, at, scope)
    case 'domain':
      return readDomain(node, at, scope)
    case 'shape':
      return readShape(type, node, at, scope)
    case 'list':
      return readList(type.of, node, at, scope)
    case 'child':
    case 'reference':
      throw new Error(`${at} holds objects: it is no plain value`)
  }
}

const refuse = (node: Node, at: string, scope: Reporter, expected: string, hint?: string): undefined => {
  scope.report(wrongType(placeOf(node.range), at, expected, wordsFor(node), hint))
  return undefined
}

/** Reports a text in the place of a mapping without showing it: it may be a secret from the mapping. */
const refuseText = (node: Node, at: string, scope: Reporter, expected: string): undefined => {
  scope.report(wrongType(placeOf(node.range), at, expected, formWords(node)))
  return undefined
}

type Scalar = Extract<
  ValueType,
  { is: 'string' | 'integer' | 'number' | 'identifier' | 'boolean' | 'datetime' | 'enum' }
>

function readScalar(type: Scalar, node: Node, at: string, scope: Scope): Json | undefined {
  if (node.is !== 'scalar') {
    return refuse(node, at, scope, type.is === 'enum' ? `one of ${type.values.join(', ')}` : expectation[type.is])
  }
  switch (type.is) {
    case 'string':
      return readString(node, at, scope)
    case 'integer':
      return (
        readInteger(node) ??
        refuse(
          node,
          at,
          scope,
          isTooLarge(node) ? safeInteger(node) : expectation.integer,
          bareHint(node, /^-?\d{1,15}$/),
        )
      )
    case 'number':
      return (
        readNumber(node) ??
        refuse(
          node,
          at,
          scope,
          isRounded(node) ? safeInteger(node) : expectation.number,
          bareHint(node, /^-?\d{1,15}(\.\d{1,15})?$/),
        )
      )
    case 'identifier':
      return readIdentifier(node) ?? refuse(node, at, scope, expectation.identifier)
    case 'boolean':
      return readBoolean(node) ?? refuse(node, at, scope, expectation.boolean, 'write true or false, without quotes')
    case 'datetime':
      return readDatetime(node) ?? refuse(node, at, scope, expectation.datetime, datetimeHint)
    case 'enum':
      return readEnum(type, node, at, scope)
  }
}

const expectation = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  identifier: 'a text or a whole number',
  boolean: 'true or false',
  datetime: 'a date and time',
} as const

/** A larger number would be read as another number. */
const safeInteger = ({ value }: ScalarNode): string =>
  Number(value) < 0
    ? `a whole number of at least ${Number.MIN_SAFE_INTEGER}`
    : `a whole number of at most ${Number.MAX_SAFE_INTEGER}`
const isTooLarge = ({ value }: ScalarNode): boolean => Number.isInteger(value) && !Number.isSafeInteger(value)

const datetimeHint = 'write it like 2027-01-01T00:00:00.000+0000'

/** A text; numbers and the words true and false must be put in quotes, because YAML would change them ("1.10"). */
export function readString(node: Node, at: string, scope: Reporter): string | undefined {
  if (node.is !== 'scalar') return refuse(node, at, scope, expectation.string)
  if (node.from === 'unresolved') return undefined
  if (typeof node.value === 'string') return node.value
  return refuse(node, at, scope, expectation.string, node.value === null ? undefined : quotesHint(node))
}

/** A text that is not empty; undefined if it is wrong, which is reported. */
export function readNonEmpty(node: Node, at: string, scope: Reporter): string | undefined {
  const text = readString(node, at, scope)
  if (text !== '') return text
  scope.report(wrongType(placeOf(node.range), at, expectation.string, 'an empty one'))
  return undefined
}

/** How to write a number, or true or false, as a text. Any other node comes from a value, or from an operation of a patch. */
export function quotesHint({ range }: ScalarNode): string | undefined {
  const written = textOfRange(range)
  if (/^[\w.+-]+$/.test(written)) return `put it in quotes: "${written}"`
  return written.includes('${value:') ? 'give the value as a text: in quotes, or declared with type: string' : undefined
}

/** A number in quotes is a text. */
function bareHint({ range }: ScalarNode, number: RegExp): string | undefined {
  const [, , inner = ''] = /^(["'])(.*)\1$/.exec(textOfRange(range)) ?? []
  return number.test(inner) ? `write ${inner}, without quotes` : undefined
}

/** Texts of placeholders become numbers; quoted numbers do not. */
function readInteger(node: ScalarNode): number | undefined {
  if (typeof node.value === 'number') return Number.isSafeInteger(node.value) ? node.value : undefined
  const text = fromPlaceholder(node)
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** With or without a fraction; texts of placeholders become numbers. */
function readNumber(node: ScalarNode): number | undefined {
  if (typeof node.value === 'number') return Number.isFinite(node.value) && !isRounded(node) ? node.value : undefined
  const text = fromPlaceholder(node)
  return text !== undefined && /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined
}

function readIdentifier(node: ScalarNode): Json | undefined {
  const text = typeof node.value === 'string' && node.value !== '' ? node.value : undefined
  return text === undefined ? readInteger(node) : canonical({ is: 'identifier' }, text)
}

/** The platform stores some of these fields as 0 and 1, so these are accepted as well. */
function readBoolean(node: ScalarNode): boolean | undefined {
  if (typeof node.value === 'boolean') return node.value
  const text = typeof node.value === 'number' ? String(node.value) : fromPlaceholder(node)
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

const fromPlaceholder = (node: ScalarNode): string | undefined =>
  node.from === 'placeholder' && typeof node.value === 'string' ? node.value.trim() : undefined

const datetimeForm = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,3})\d*)?(?:Z|([+-]\d{2}):?(\d{2}))$/

/** In the form of the document, with the offset as written. */
function readDatetime(node: ScalarNode): string | undefined {
  const text = typeof node.value === 'string' ? node.value.trim() : ''
  const [, year, month, day, clock, fraction = '', hours = '+00', minutes = '00'] = datetimeForm.exec(text) ?? []
  if (parseDatetime(text) === undefined) return undefined
  return `${year}-${month}-${day}T${clock}.${fraction.padEnd(3, '0')}${hours}${minutes}`
}

function readEnum(
  type: Extract<FieldType, { is: 'enum' }>,
  node: ScalarNode,
  at: string,
  scope: Scope,
): Json | undefined {
  const value = type.base === 'integer' ? (readInteger(node) ?? node.value) : node.value
  const word = typeof value === 'string' ? documentWord(type, value) : value
  const found = [...type.values, ...(type.noted ?? [])].find((each) => each === word) ?? hyphenated(type.values, value)
  if (found !== undefined) return found
  const known = wordsInAny(type).map(String)
  // Only its type is wrong.
  if (known.includes(String(node.value))) {
    return refuse(node, at, scope, `one of ${known.join(', ')}`, bareHint(node, /^-?\d{1,15}$/))
  }
  const displayed = node.from === 'text' ? displayedText(node) : 'the value of its placeholder'
  const suggestion = type.base === 'string' && typeof value === 'string' ? nearest(value, known) : undefined
  scope.report(unknownValue(placeOf(node.range), at, displayed, suggestion, known))
  return undefined
}

/** OAuth grant types also appear with underscores (field notes): both spellings mean the same. */
function hyphenated(values: readonly (string | number)[], value: unknown): string | number | undefined {
  return typeof value === 'string' ? values.find((each) => each === value.replaceAll('_', '-')) : undefined
}

/** True or false; undefined if it is neither, which is reported. */
export function readFlag(node: Node, at: string, report: Scope['report']): boolean | undefined {
  if (node.is === 'scalar' && typeof node.value === 'boolean') return node.value
  report(wrongType(placeOf(node.range), at, expectation.boolean, wordsFor(node)))
  return undefined
}

/** One of these words; undefined if it is none of them, which is reported. */
export function readWord<const Word extends string>(
  node: Node,
  at: string,
  words: readonly Word[],
  report: Scope['report'],
): Word | undefined {
  const found = node.is === 'scalar' ? words.find((word) => word === node.value) : undefined
  if (found === undefined) {
    const displayed = displayedText(node)
    report(unknownValue(placeOf(node.range), at, displayed, nearest(displayed, words), words))
  }
  return found
}

function readMap(of: 'string' | 'any', node: Node, at: string, scope: Scope): Json | undefined {
  if (node.is !== 'map') return refuseText(node, at, scope, 'a mapping')
  const values = node.entries.flatMap(({ key, value }): [string, Json][] => {
    const within = `${at}.${key}`
    const read = of === 'any' ? readAny(value, within, scope) : readString(value, within, scope)
    return read === undefined ? [] : [[key, read]]
  })
  // No assignment: a free map may have the key __proto__.
  return Object.fromEntries(values)
}

/** A value of unknown type: any JSON value. */
export function readAny(node: Node, at: string, scope: Scope): Json | undefined {
  if (refusesNumber(node, at, scope)) return undefined
  return node.is === 'scalar' && node.from === 'unresolved' ? undefined : plain(node)
}

/** Whether a value has a number that would be sent as another number; this is reported. */
export function refusesNumber(node: Node, at: string, scope: Reporter): boolean {
  const odd = oddNumberIn(node)
  if (odd) refuse(odd, at, scope, Number.isFinite(odd.value) ? safeInteger(odd) : 'a value that JSON has')
  return odd !== undefined
}

/** The first number in a value that JSON cannot express, or that would be sent as another number. */
function oddNumberIn(node: Node): ScalarNode | undefined {
  switch (node.is) {
    case 'scalar':
      return typeof node.value === 'number' && (!Number.isFinite(node.value) || isRounded(node)) ? node : undefined
    case 'list':
      return firstOdd(node.items)
    case 'map':
      return firstOdd(node.entries.map(({ value }) => value))
  }
}

function firstOdd(nodes: readonly Node[]): ScalarNode | undefined {
  for (const node of nodes) {
    const odd = oddNumberIn(node)
    if (odd) return odd
  }
  return undefined
}

/** A whole number with more digits than a number can have here. */
function isRounded({ value, range }: ScalarNode): boolean {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return false
  const [, digits] = /^[-+]?(\d+|0x[\da-f]+|0o[0-7]+)$/i.exec(textOfRange(range)) ?? []
  const sent = String(Math.abs(Number(value)))
  return digits !== undefined && (!/^\d+$/.test(sent) || BigInt(sent) !== BigInt(digits))
}

function readDomain(node: Node, at: string, scope: Scope): Json | undefined {
  if (node.is === 'scalar') return readString(node, at, scope)
  const [only, ...others] = node.is === 'map' ? node.entries : []
  const isDomain = only && others.length === 0 && (only.key === 'domain' || only.key === 'address')
  if (!isDomain) return refuse(node, at, scope, 'a host name, {domain: …} or {address: …}')
  return readString(only.value, `${at}.${only.key}`, scope)
}

function readShape(type: Extract<FieldType, { is: 'shape' }>, node: Node, at: string, scope: Scope): Json | undefined {
  if (node.is !== 'map') return refuseText(node, at, scope, `a mapping (${Object.keys(shapes[type.shape]).join(', ')})`)
  const values = recordOf<Json>()
  const places = new Map<string, Place>()
  for (const part of node.entries) {
    const within = `${at}.${part.key}`
    const name = memberName(type.shape, part.key, 'document')
    const known = shapes[type.shape][name]
    if (!known) reportUnknown(at, part.key, Object.keys(shapes[type.shape]), part.range, scope)
    const first = places.get(name)
    if (first) scope.report(duplicateKey(placeOf(part.range), part.key, first))
    places.set(name, placeOf(part.range))
    const read = known ? readMember(known.type, part.value, within, scope) : readAny(part.value, within, scope)
    if (read !== undefined) values[name] = read
  }
  return values
}

/** Members are managed one by one, so null clears one member. */
function readMember(type: FieldType, node: Node, at: string, scope: Scope): Json | undefined {
  return node.is === 'scalar' && node.value === null && node.from === 'text' ? null : readValue(type, node, at, scope)
}

/** Reports an unknown field of an object or of a value object: a warning if it is passed through, otherwise an error. */
export function reportUnknown(
  owner: string,
  field: string,
  known: readonly string[],
  range: Node['range'],
  { extraFields, report }: Pick<Scope, 'extraFields' | 'report'>,
  meant = nearest(field, known),
): void {
  const place = placeOf(range)
  if (extraFields === 'pass') report(extraField(place, owner, keyWords(field)))
  else report(unknownField(place, owner, keyWords(field), meant, known))
}

function readList(of: FieldType, node: Node, at: string, scope: Scope): Json | undefined {
  const read: Json[] = []
  for (const item of itemsOf(node, at, scope)) {
    const value = readValue(of, item, at, scope)
    if (value === undefined) scope.leftOut.push(item)
    else read.push(value)
  }
  return read
}

/** The entries of a list; a single scalar is a list of one. */
export function itemsOf(node: Node, at: string, scope: Reporter): readonly Node[] {
  if (node.is === 'list') return node.items
  if (node.is === 'scalar') return [node]
  refuse(node, at, scope, 'a list', 'put "- " before each entry')
  return []
}
