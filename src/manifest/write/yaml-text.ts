import {
  Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Scalar,
  type ToStringOptions,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { isList, isObject, type Json, type JsonObject } from '../../json/json.js'
import { hasNoCommand, isPrintable, printable, printableLines } from '../../json/printable.js'

/** How a value is written: in lines of its own, or between brackets. */
export type Style = 'block' | 'flow'

/** One manifest document as text, without separators. */
export const documentText = (document: JsonObject): string => textInStyle(document, 'block')

/** The same in fewer lines: short values are on one line, except the spec and the values of the keys `inLines`. */
export const compactText = (document: JsonObject, inLines: readonly string[]): string =>
  textInStyle(document, 'block', undefined, inLines)

/** Several manifest documents as one file; the first line names the schema for editors, if there is one. */
export function fileText(schema: string | undefined, documents: readonly JsonObject[]): string {
  const head = schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`
  return head + documents.map(documentText).join('---\n')
}

/** `key: value` in as many lines as needed, each indented by `indent` spaces; ends with a line break. */
export function pairText(key: string, value: Json, indent: number, anchor?: string): string {
  return indented(textInStyle({ [key]: value }, 'block', anchor), indent)
}

/** `- value`, like `pairText`. */
export const itemText = (value: Json, indent: number): string => indented(textInStyle([value], 'block'), indent)

/** A value on one line, for use between brackets or behind a key. */
export function inlineText(value: Json): string {
  // It is formatted as the value of a key, so that a text is quoted if it would not be plain there.
  return textInStyle([[value]], 'flow')
    .trimEnd()
    .slice(2, -2)
}

/** The same for a file that is JSON and stays JSON. */
export function inlineJson(value: Json): string {
  if (isList(value)) return `[${value.map(inlineJson).join(', ')}]`
  if (!isObject(value)) return printable(JSON.stringify(value))
  const pairs = Object.entries(value).map(([key, each]) => `${printable(JSON.stringify(key))}: ${inlineJson(each)}`)
  return `{${pairs.join(', ')}}`
}

/** A value for a line of its own behind `key: `, or undefined if it takes several lines. */
export function behindKey(value: Json): string | undefined {
  const text = textInStyle({ k: value }, 'block')
  const [line = '', ...rest] = text.trimEnd().split('\n')
  return rest.length === 0 && line.startsWith('k: ') ? line.slice(3) : undefined
}

const options: ToStringOptions = {
  lineWidth: 0,
  flowCollectionPadding: false,
  doubleQuotedAsJSON: true,
}

function textInStyle(value: Json, style: Style, anchor?: string, inLines?: readonly string[]): string {
  const document = new Document(value, { aliasDuplicateObjects: false, keepUndefined: false })
  visit(document, {
    Scalar: (key, node) => {
      quote(node, key === 'key' ? 'key' : style)
    },
    Seq: (key, node) => {
      // The root is the list that is made for one entry.
      if (style === 'flow' || (key !== null && isShortList(node))) node.flow = true
    },
    Map: (key, node) => {
      const isItem = typeof key === 'number'
      if (style === 'flow' || node.items.length === 0 || (isItem && isShortMap(node))) node.flow = true
    },
  })
  if (inLines && isMap(document.contents)) shorten(document.contents, inLines)
  if (anchor !== undefined && isMap(document.contents)) {
    const first: unknown = document.contents.items[0]?.value
    if (isScalar(first) || isMap(first) || isSeq(first)) first.anchor = anchor
  }
  // Invisible characters are between double quotes, where YAML has the same escapes.
  return printableLines(document.toString(options))
}

/** Texts that a reader of another YAML version may take for a word, a number or a date. */
const lookAlike = /^(?:y|n|yes|no|on|off|true|false|null|~|<<|[-+]?[\d.][\d_.:,eExXoObB+-]*)$/i

/** What a block scalar cannot contain safely: line ends and blanks that editors change. */
const unsafeInBlock = /[ \t](?:\n|$)|^\s|\n\n$/u

function quote(node: Scalar, where: Style | 'key'): void {
  if (typeof node.value !== 'string') return
  const isPlaceholder = node.value.includes('${')
  const isSafe = isPrintable(node.value) && hasNoCommand(node.value) && isWellFormed(node.value)
  if (isPlaceholder || lookAlike.test(node.value) || /[\n\t]/.test(node.value) || !isSafe) {
    node.type = Scalar.QUOTE_DOUBLE
  }
  if (!node.value.includes('\n')) return
  const fits = where === 'block' && isSafe && !unsafeInBlock.test(node.value) && node.value.trim() !== ''
  node.type = fits ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE
}

/** Whether a text contains no half of a surrogate pair. */
const isWellFormed = (text: string): boolean =>
  !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text)

const shortest = 90

const isShortScalar = (node: unknown): boolean =>
  isScalar(node) && (typeof node.value !== 'string' || !node.value.includes('\n'))

const lengthOf = (node: unknown): number => (isScalar(node) ? String(node.value).length + 4 : shortest)

/** Whether a list is short enough for one line. */
function isShortList({ items }: YAMLSeq): boolean {
  return items.every(isShortScalar) && items.reduce<number>((sum, item) => sum + lengthOf(item), 0) <= shortest
}

/** Whether a mapping in a list is short enough for one line: a name and one or two other members. */
function isShortMap({ items }: YAMLMap): boolean {
  if (items.length < 2 || items.length > 3) return false
  const length = items.reduce((sum, { key, value }) => sum + lengthOf(key) + lengthOf(value), 0)
  return length <= shortest && items.every(({ value }) => isShortScalar(value))
}

/** The longest line for metadata, which names an object, and for anything else. */
const longest = { names: 160, others: 100 }

/** Puts each mapping and list below a root on one line, if it is short enough. */
function shorten(root: YAMLMap, inLines: readonly string[]): void {
  for (const { key, value } of root.items) {
    const word = isScalar(key) ? String(key.value) : ''
    if (isMap(value) && inLines.includes(word)) shorten(value, inLines)
    else if (isMap(value) || isSeq(value)) shortenNode(value, word === 'metadata' ? longest.names : longest.others)
  }
}

function shortenNode(node: YAMLMap | YAMLSeq, most: number): void {
  node.flow = flowLength(node) <= most
  if (node.flow) return
  for (const item of node.items) {
    const value: unknown = isMap(node) && isPair(item) ? item.value : item
    if (isMap(value) || isSeq(value)) shortenNode(value, longest.others)
  }
}

/** About how many characters a node needs on one line; more than any limit if it has a text of several lines. */
function flowLength(node: unknown): number {
  if (isPair(node)) return flowLength(node.key) + flowLength(node.value) + 2
  if (isMap(node) || isSeq(node)) {
    return node.items.reduce<number>((sum, item) => sum + flowLength(item) + 2, 2)
  }
  return isShortScalar(node) && isScalar(node) ? String(node.value).length : Number.POSITIVE_INFINITY
}

function indented(text: string, indent: number): string {
  if (indent === 0) return text
  const blanks = ' '.repeat(indent)
  return text
    .split('\n')
    .map((line) => (line === '' ? line : blanks + line))
    .join('\n')
}
