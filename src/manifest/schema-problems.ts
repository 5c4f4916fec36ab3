import { apiVersion } from '../catalog/metadata-keys.js'
import { nameFault, nameWords } from '../catalog/schema-parts.js'
import { isObject, objectOf } from '../json/json.js'
import { keysOf } from '../json/pointer.js'
import type { SchemaError } from '../json/schema.js'
import {
  misplacedField,
  notMetadata,
  notOurApiVersion,
  unknownField,
  unknownValue,
  wrongType,
} from '../problems/manifests.js'
import type { Place, Problem } from '../problems/problem.js'
import { invalidProjectValue, missingProjectField, notADocumentOf } from '../problems/project.js'
import { nearest } from '../problems/suggest.js'
import { quotesHint } from './field-value.js'
import { displayedText, entryAt, formWords, keyWords, type MapNode, type Node, nodeAt, wordsFor } from './node.js'
import { placeOf, textOfRange } from './source.js'

/** The options of validators: all errors are reported, with their schemas. */
export const validatorOptions = { allErrors: true, verbose: true } as const

/** The name of the checked document in messages: `the project file`. */
type CheckedWord = string

/**
 * The problems of a document, each at the place that the schema complains about. The errors must come from a validator with
 * `validatorOptions`.
 */
export const schemaProblems = (
  errors: readonly SchemaError[],
  root: MapNode,
  checked: CheckedWord,
  belongs: Belongs = () => undefined,
): readonly Problem[] =>
  errors
    .filter((error) => isReported(error, errors))
    .flatMap((error) => problemFor(error, root, checked, belongs) ?? [])

/** Where an unknown key of the mapping at a path belongs, as the end of "write it in". */
type Belongs = (path: readonly string[], key: string) => string | undefined

const ranges: readonly string[] = ['minimum', 'exclusiveMinimum', 'maximum']

/**
 * Whether an error is reported. If a choice fails, the errors of its branches are not: only errors deeper inside are, or else the
 * choice itself. If a number has the wrong type, or a key is not a name, nothing else is reported about it.
 */
function isReported(error: SchemaError, errors: readonly SchemaError[]): boolean {
  const isOfType = (other: SchemaError) => other.keyword === 'type' && other.instancePath === error.instancePath
  if (ranges.includes(error.keyword) && errors.some(isOfType)) return false
  if (error.propertyName !== undefined) return false
  const isChoice = (other: SchemaError) => other.keyword === 'anyOf' && other.instancePath === error.instancePath
  if (error.keyword !== 'anyOf') return !errors.some(isChoice)
  return !errors.some((other) => other.instancePath.startsWith(`${error.instancePath}/`))
}

function problemFor(error: SchemaError, root: MapNode, checked: CheckedWord, belongs: Belongs): Problem | undefined {
  const node = nodeAt(root, error.instancePath)
  if (!node || (node.is === 'scalar' && node.from === 'unresolved')) return undefined
  const path = keysOf(error.instancePath)
  const place = placeOf(node.range)
  const where = path.join('.') || checked
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKey(error, where, node, belongs(path, String(error.params.additionalProperty)))
    case 'required':
      return missingProjectField(place, [...path, String(error.params.missingProperty)].join('.'), checked)
    case 'const':
      return path[0] === 'apiVersion'
        ? notOurApiVersion(place, displayedText(node), apiVersion, 'anything')
        : notADocumentOf(place, checked, `the kind ${wordsFor(node)}`, String(error.params.allowedValue))
    case 'enum':
      return wrongWord(error, where, node, place)
    case 'type':
      return wrongType(place, where, formOf(error), writtenIn(node, error, formWords), textHint(node, error))
    case 'anyOf':
      return wrongType(place, where, 'a text or a list of texts', wordsFor(node))
    case 'pattern':
      return wrongType(place, where, formOf(error), faultIn(node, error) ?? writtenIn(node, error, wordsFor))
    case 'propertyNames':
      return noName(error, where, node, place)
    case 'minLength':
      return invalidProjectValue(place, where, 'a text', 'an empty one')
    case 'minItems':
      return invalidProjectValue(place, where, 'a list with at least one entry', 'an empty one')
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
      return invalidProjectValue(place, where, limitWords(error), writtenIn(node, error, wordsFor))
    default:
      return invalidProjectValue(place, where, 'something else', writtenIn(node, error, wordsFor))
  }
}

/** How to write what is probably meant as a text; the number of a secret is not shown. */
function textHint(node: Node, { params, parentSchema }: SchemaError): string | undefined {
  if (![params.type].flat().includes('string') || node.is !== 'scalar' || node.value === null) return undefined
  if (parentSchema?.writeOnly === true) return 'put it in quotes'
  const form = parentSchema?.pattern === undefined ? /^/ : new RegExp(String(parentSchema.pattern), 'u')
  return form.test(textOfRange(node.range)) ? quotesHint(node) : undefined
}

/** What is wrong with a text that is not a valid name: often this cannot be seen. */
const faultIn = (node: Node, { parentSchema }: SchemaError): string | undefined =>
  String(parentSchema?.title).startsWith(nameWords) && node.is === 'scalar' && node.from === 'text'
    ? nameFault(String(node.value))
    : undefined

/** A value that is write-only, and never shown, may be a secret. */
function writtenIn(node: Node, { parentSchema }: SchemaError, words: (node: Node) => string): string {
  if (parentSchema?.writeOnly !== true) return words(node)
  return node.is === 'scalar' && typeof node.value === 'number' ? 'a number' : formWords(node)
}

function unknownKey(error: SchemaError, where: string, node: Node, belongs: string | undefined): Problem {
  const key = String(error.params.additionalProperty)
  const properties = isObject(error.parentSchema?.properties) ? error.parentSchema.properties : {}
  const known = Object.keys(properties)
  const range = node.is === 'map' ? entryAt(node, key)?.range : undefined
  const at = placeOf(range ?? node.range)
  if (belongs !== undefined) return misplacedField(at, where, keyWords(key), belongs)
  if (where === 'metadata') return notMetadata(at, keyWords(key), nearest(key, known))
  return unknownField(at, where, keyWords(key), nearest(key, known), known)
}

function noName({ params, parentSchema }: SchemaError, where: string, node: Node, place: Place): Problem {
  const key = String(params.propertyName)
  const range = node.is === 'map' ? entryAt(node, key)?.range : undefined
  const { title } = objectOf(parentSchema?.propertyNames)
  return wrongType(range ? placeOf(range) : place, `a key of ${where}`, String(title), nameFault(key) ?? 'another text')
}

function wrongWord(error: SchemaError, where: string, node: Node, place: Place): Problem {
  const known: readonly unknown[] = Array.isArray(error.params.allowedValues) ? error.params.allowedValues : []
  const words = known.map(String)
  const written = displayedText(node)
  return unknownValue(place, where, written, nearest(written, words), words)
}

/** If a text must have a form, the title of its schema describes it. */
const formOf = ({ params, parentSchema }: SchemaError): string =>
  parentSchema?.pattern === undefined ? typeWords(params.type) : String(parentSchema.title)

/** The allowed range, for a number outside it. */
function limitWords({ parentSchema }: SchemaError): string {
  const { type, minimum, exclusiveMinimum, maximum } = parentSchema ?? {}
  const from = minimum === undefined ? `above ${exclusiveMinimum}` : `from ${minimum}`
  if (maximum !== undefined) return `${typeWords(type)} ${from} up to ${maximum}`
  return `${typeWords(type)} ${from}${minimum === undefined ? '' : ' on'}`
}

const typeWords = (type: unknown): string => {
  const words: Readonly<Record<string, string>> = {
    object: 'a mapping',
    array: 'a list',
    string: 'a text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
  }
  const first: unknown = Array.isArray(type) ? type[0] : type
  return words[String(first)] ?? String(first)
}
