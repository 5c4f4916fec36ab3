import type { Json } from '../../json/json.js'
import { unknownValue as unknownWord, wrongType } from '../../problems/manifests.js'
import type { ReportProblem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import { readString, refusesNumber } from '../field-value.js'
import {
  displayedText,
  type Entry,
  formWords,
  isNull,
  type MapNode,
  type Node,
  plain,
  type ScalarNode,
  valueAt,
} from '../node.js'
import { placeOf, type SourceRange } from '../source.js'
import { reportUnknownKeys } from '../unknown-keys.js'

const types = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const

export type TypeName = (typeof types)[number]

/** The declaration of one value in `spec.values`. */
export interface Declaration {
  readonly name: string
  readonly range: SourceRange
  readonly type: TypeName | undefined
  readonly items: TypeName | undefined
  readonly choices: Node | undefined
  readonly fallback: Node | undefined
}

/** Whether a value matches its declaration; reports why not. */
export function fits({ name, type, items, choices }: Declaration, node: Node, report: ReportProblem): boolean {
  const wrong = (expected: string, at: Node): false => {
    report(wrongType(placeOf(at.range), `the value "${name}"`, expected, formWords(at)))
    return false
  }
  if (refusesNumber(node, `the value "${name}"`, { report })) return false
  if (type !== undefined && !isOfType(node, type)) return wrong(typeWords[type], node)
  if (items !== undefined && node.is === 'list') {
    const other = node.items.find((item) => !isOfType(item, items))
    if (other) return wrong(`a list of which each entry is ${typeWords[items]}`, other)
  }
  const allowed = choices?.is === 'list' ? choices.items.map(plain) : undefined
  // The placeholder of a variable gives a text, even if it stands for a number.
  const isText = node.is === 'scalar' && node.from === 'placeholder' && typeof node.value === 'string'
  const isAllowed = (each: Json) => node.is === 'scalar' && (isText ? String(each) : each) === node.value
  if (!allowed || node.is !== 'scalar' || isKept(node) || allowed.some(isAllowed)) return true
  const known = allowed.map(String)
  if (known.includes(String(node.value))) return wrong(`one of ${known.join(', ')}`, node)
  report(
    unknownWord(
      placeOf(node.range),
      `the value "${name}"`,
      displayedText(node),
      nearest(String(node.value), known),
      known,
    ),
  )
  return false
}

/** Whether the value keeps its placeholder, as in rendered documents: its meaning is not known. */
const isKept = ({ value }: ScalarNode): boolean => typeof value === 'string' && value.includes('${')

const typeWords: Readonly<Record<TypeName, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
}

/** The placeholder of a variable gives a text. The text counts as a number, or as true or false, if it has that form. */
function isOfType(node: Node, type: TypeName): boolean {
  if (type === 'array') return node.is === 'list'
  if (type === 'object') return node.is === 'map'
  if (node.is !== 'scalar') return false
  if (isKept(node)) return true
  const text = node.from === 'placeholder' ? String(node.value) : undefined
  switch (type) {
    case 'string':
      return typeof node.value === 'string'
    case 'boolean':
      return typeof node.value === 'boolean' || text === 'true' || text === 'false'
    case 'integer':
      return Number.isSafeInteger(node.value) || (text !== undefined && /^-?\d{1,15}$/.test(text))
    case 'number':
      return typeof node.value === 'number' || (text !== undefined && /^-?\d+(\.\d+)?$/.test(text))
  }
}

const isTypeName = (value: unknown): value is TypeName => types.some((type) => type === value)

const isFraction = (node: Node): boolean =>
  node.is === 'scalar' && typeof node.value === 'number' && !Number.isInteger(node.value)

/** The type of a default. `choices`: the values of its enum, which may have fractions even if the default is a whole number. */
const inferredType = (node: Node, choices: readonly Node[] = []): TypeName | undefined => {
  if (isNull(node)) return undefined
  if (node.is === 'list') return 'array'
  if (node.is === 'map') return 'object'
  if (typeof node.value === 'number') return [node, ...choices].some(isFraction) ? 'number' : 'integer'
  const type = typeof node.value
  return isTypeName(type) && !String(node.value).includes('${') ? type : undefined
}

/** Reads `spec.values`: a mapping is a declaration with type and default; any other value is the default. */
export function readDeclarations(node: Node | undefined, report: ReportProblem): readonly Declaration[] {
  const entries = mappingEntries(node, 'values', report)
  return entries.map(({ key, range, value }) =>
    value.is === 'map' ? declarationOf(key, range, value, report) : shorthandOf(key, range, value),
  )
}

export function mappingEntries(node: Node | undefined, at: string, report: ReportProblem): readonly Entry[] {
  if (!node || isNull(node)) return []
  if (node.is === 'map') return node.entries
  report(wrongType(placeOf(node.range), at, 'a mapping', formWords(node)))
  return []
}

/** A name without anything behind it declares a value with neither default nor type. */
function shorthandOf(name: string, range: SourceRange, node: Node): Declaration {
  const fallback = isNull(node) ? undefined : node
  return { name, range, fallback, type: fallback && inferredType(fallback), items: undefined, choices: undefined }
}

const declarationKeys = ['type', 'default', 'enum', 'items', 'description']

function declarationOf(name: string, range: SourceRange, map: MapNode, report: ReportProblem): Declaration {
  reportUnknownKeys(map, `the value "${name}"`, declarationKeys, report)
  const fallback = valueAt(map, 'default')
  const items = valueAt(map, 'items')
  const written = valueAt(map, 'enum')
  const wrong = (node: Node, key: string, expected: string) =>
    report(
      wrongType(
        placeOf(node.range),
        `${key} of the value "${name}"`,
        expected,
        node.is === 'list' && node.items.length === 0 ? 'an empty one' : formWords(node),
      ),
    )
  const about = valueAt(map, 'description')
  if (about) readString(about, `description of the value "${name}"`, { report })
  const isChoice = written?.is === 'list' && written.items.length > 0
  if (written && !isChoice) wrong(written, 'enum', 'a list of at least one value')
  if (items?.is === 'map') reportUnknownKeys(items, `items of the value "${name}"`, ['type'], report)
  else if (items) wrong(items, 'items', 'a mapping with a type')
  const choices = isChoice ? written.items : []
  const type = readType(valueAt(map, 'type'), name, report) ?? (fallback && inferredType(fallback, choices))
  if (items && type !== undefined && type !== 'array') {
    const where = `the type of the value "${name}", which has items,`
    report(wrongType(placeOf(items.range), where, 'array', type, 'write type: array, or leave items out'))
  }
  const isRight = isChoice && areChoices(written.items, name, type, report)
  return {
    ...{ name, range, type, fallback, choices: isRight ? written : undefined },
    items: items?.is === 'map' ? readType(valueAt(items, 'type'), name, report) : undefined,
  }
}

/** Whether a value of that type can have these enum values; reports the first that it cannot have. */
function areChoices(
  choices: readonly Node[],
  name: string,
  type: TypeName | undefined,
  report: ReportProblem,
): boolean {
  const [first] = choices
  const where = `enum of the value "${name}"`
  if (first && (type === 'array' || type === 'object')) {
    const expected = 'string, integer, number or boolean'
    const what = `the type of the value "${name}", which has enum,`
    report(wrongType(placeOf(first.range), what, expected, type, 'leave enum out, or write another type'))
    return false
  }
  const odd = choices.find((each) => each.is !== 'scalar' || (type !== undefined && !isOfType(each, type)))
  if (!odd) return true
  const expected = type === undefined ? 'a text, a number, or true or false' : typeWords[type]
  const text =
    odd.is === 'scalar' && type === 'string' && !isNull(odd) ? `put it in quotes: "${displayedText(odd)}"` : undefined
  report(wrongType(placeOf(odd.range), where, expected, formWords(odd), text))
  return false
}

function readType(node: Node | undefined, name: string, report: ReportProblem): TypeName | undefined {
  if (!node) return undefined
  if (node.is === 'scalar' && isTypeName(node.value)) return node.value
  report(
    unknownWord(
      placeOf(node.range),
      `the type of "${name}"`,
      displayedText(node),
      nearest(displayedText(node), types),
      types,
    ),
  )
  return undefined
}
