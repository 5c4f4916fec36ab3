import { isNamedOpenly, metadataKeys } from '../catalog/metadata-keys.js'
import { openApiSpecSchema } from '../catalog/openapi-schema.js'
import { projectSchema } from '../catalog/project-schema.js'
import { childFields, kinds } from '../catalog/queries.js'
import { shapes } from '../catalog/shapes.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject, objectOf } from '../json/json.js'
import { once } from '../json/once.js'
import { keysOf } from '../json/pointer.js'
import { keyWords, type MapNode, type Node, type ScalarNode, valueAt } from './node.js'
import { hide, type Source, textOfRange } from './source.js'

/**
 * Code frames show lines of a file to everyone who sees the output. They must not show possible secrets: the values of secret
 * fields, and the values of unknown keys, which may be misspelt secret fields.
 */

/** Hides possible secrets in a document or layer with mistakes. */
export function hideDoubtful(root: Node): void {
  if (root.is === 'map') hideInside(root, new Set())
  else hide(root.range)
}

/** `seen`: an alias is the same node as the one that it repeats. */
function hideInside(node: Node, seen: Set<Node>): void {
  if (seen.has(node)) return
  seen.add(node)
  if (node.is === 'scalar') {
    hideText(node)
    return
  }
  if (node.is === 'list') {
    for (const item of node.items) hideInside(item, seen)
    return
  }
  const displayedInOperation = wordsOfOperation(node)
  for (const { key, range, value } of node.entries) {
    if (displayedInOperation.includes(key)) continue
    if (mayBeDisplayed(key) && !(isMapping(key) && isText(value))) hideInside(value, seen)
    else if (keyWords(key) !== key) hide({ ...range, end: Math.max(range.end, value.range.end) })
    // The text is hidden from the key on: what looks like a tag or an anchor may be a part of the secret.
    else if (value.range.end > range.end)
      hide({ ...range, start: behindColon(range.source.text, range.end), end: value.range.end })
    else if (value.range.end <= range.start) hide(value.range)
  }
}

/**
 * The keys of an operation of a JSON Patch (RFC 6902) that show no secret. The value is shown if the path leads to a field that
 * may be shown.
 */
function wordsOfOperation(node: MapNode): readonly string[] {
  const [op, path] = ['op', 'path'].map((key) => valueAt(node, key))
  if (op?.is !== 'scalar' || path?.is !== 'scalar') return []
  const isOpen = keysOf(String(path.value)).every((key) => mayBeDisplayed(key) || /^(?:\d+|-)$/.test(key))
  return isOpen ? ['op', 'path', 'value'] : ['op', 'path']
}

/**
 * The second line of a text and the lines after it may have been another value, so they are hidden. A text with the name of a
 * secret is hidden whole.
 */
function hideText({ value, range }: ScalarNode): void {
  if (typeof value !== 'string') return
  const lineBreak = textOfRange(range).indexOf('\n')
  if (words().secretName.test(value)) hide(range)
  else if (lineBreak !== -1) hide({ ...range, start: range.start + lineBreak })
}

/**
 * Projects choose the names of their values. If such a name has the name of a secret in it, the value may be a secret in clear
 * text.
 */
export function hideNamed(name: string, node: Node): void {
  if (words().secretName.test(name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|_/g, ' '))) hide(node.range)
}

/** A value without any key: not an object. */
const isText = (node: Node): boolean =>
  node.is === 'scalar' ? node.value !== null : node.is === 'list' && node.items.some(isText)

function behindColon(text: string, end: number): number {
  const colon = /[ \t]*:[ \t]*/y
  colon.lastIndex = end
  return end + (colon.exec(text)?.[0].length ?? 0)
}

/** Hides the logins of addresses, such as that of a database. */
export function hideLogins(source: Source): void {
  for (const { 0: login, index } of source.text.matchAll(/(?<=:\/\/)[^\s"']*(?=@)/g)) {
    hide({ source, start: index, end: index + login.length })
  }
}

/** Hides credentials in clear text in a project: messages about its values and patches may show their lines. */
export function hideCredentials(node: Node): void {
  if (node.is !== 'map') return
  for (const { key, value } of node.entries) {
    if (key !== 'credentials' || value.is !== 'map') hideCredentials(value)
    else for (const each of value.entries) if (words().secret.has(each.key)) hideWritten(each.value)
  }
}

/** A text that is one placeholder and nothing else shows no secret. */
function hideWritten({ range }: Node): void {
  if (!/^["']?\$\{[^{}]*\}["']?$/.test(textOfRange(range))) hide(range)
}

/**
 * Hides possible secrets in a text whose YAML cannot be read, so that nobody knows which value belongs to which key. A line is
 * shown as far as it is `key: value` with known keys, or an entry of the list below such a key. Everything else is hidden. After
 * a secret or unknown key, everything is hidden up to a line that starts with a known key and is indented no deeper. If the text
 * contains `sensitive`, a key whose name is in the text behind a slash also counts as secret: it may be in one of the pointers
 * (A117).
 */
export function hideInUnreadable(source: Source): void {
  const marked = /\bsensitive\b/.test(source.text) ? source.text.matchAll(/(?<=\/)[\w-]+/g) : []
  const sensitive = new Set([...marked].map(([name]) => name))
  let open: OpenBlock = {}
  let start = 0
  for (const line of source.text.split('\n')) {
    const read = readLine(line, open, sensitive)
    const end = line.trimEnd().length
    if (read.displayed < end) hide({ source, start: start + read.displayed, end: start + end })
    open = read.open
    start += line.length + 1
  }
}

/** The key that the next line of unreadable YAML may belong to. */
interface OpenBlock {
  /** The column of a known key without a value; entries of a list may follow. */
  readonly list?: number
  /** The column of a key whose value may be a secret. */
  readonly secret?: number
  /** The quote that opens its value. */
  readonly quote?: string
}

interface HiddenLine {
  /** The length of the part that may be shown. */
  readonly displayed: number
  readonly open: OpenBlock
}

const lineStart = /^[ \t]*(?:-[ \t]+|[{[][ \t]*)*/
const brackets = /^[\s[\]{},-]*$/

function readLine(line: string, open: OpenBlock, sensitive: ReadonlySet<string>): HiddenLine {
  if (open.quote !== undefined) return { displayed: 0, open: line.includes(open.quote) ? withoutQuote(open) : open }
  if (brackets.test(line)) return { displayed: line.length, open }
  if (/^\s*#/.test(line)) return { displayed: line.length, open }
  const column = lineStart.exec(line)?.[0].length ?? 0
  if (open.secret !== undefined && column > open.secret) return { displayed: 0, open }
  if (open.list !== undefined && isEntry(line, open.list, column)) return { displayed: line.length, open }
  if (keyAt(line, column)) return readPairs(line, column, sensitive)
  return { displayed: 0, open: { secret: Math.min(column, open.secret ?? column) } }
}

const withoutQuote = ({ quote: _, ...open }: OpenBlock): OpenBlock => open

const isEntry = (line: string, list: number, column: number): boolean =>
  line.search(/\S/) >= list && /^[ \t]*-[ \t]/.test(line) && !keyAt(line, column) && isPlain(line.slice(column))

/** Reads the pairs of a line up to the first whose key or value may be a secret. */
function readPairs(line: string, column: number, sensitive: ReadonlySet<string>): HiddenLine {
  let at = column
  for (let key = keyAt(line, at); key; key = keyAt(line, at)) {
    const value = line.slice(key.end, nextPair(line, key.end))
    // Text that looks like an unknown key may be a part of a secret.
    if (!words().known.has(key.name)) return { displayed: at, open: { secret: at, ...quoteIn(value) } }
    const isOpen = mayBeDisplayed(key.name) && !sensitive.has(key.name)
    if (!isOpen || !isPlain(value) || (isMapping(key.name) && /[^\s[{]/.test(value))) {
      return { displayed: key.end, open: { secret: at, ...quoteIn(value) } }
    }
    at = key.end + value.length
    if (at === line.length) {
      return { displayed: at, open: at > 0 && value.trim() === '' && !isMapping(key.name) ? { list: column } : {} }
    }
  }
  return { displayed: at, open: { secret: at } }
}

const keyForm = /(["']?)([\w.$-]+)\1[ \t]*:(?=[ \t\r]|$)|(["'])([\w.$-]+)\3[ \t]*:/y

/** The key at that offset, and where its value may start. */
function keyAt(line: string, offset: number): { readonly name: string; readonly end: number } | undefined {
  keyForm.lastIndex = offset
  const found = keyForm.exec(line)
  if (!found) return undefined
  const end = offset + found[0].length
  return { name: found[2] ?? found[4] ?? '', end: line[end] === ' ' ? end + 1 : end }
}

/** The start of the next key of a line, after a bracket or a comma; otherwise the end of the line. */
function nextPair(line: string, offset: number): number {
  const separator = /[,{[][ \t]*/g
  separator.lastIndex = offset
  for (let found = separator.exec(line); found; found = separator.exec(line)) {
    if (keyAt(line, separator.lastIndex)) return separator.lastIndex
  }
  return line.length
}

/**
 * Whether the text behind a known key is only its value: no other key that is hard to see, no name of a secret, no anchor,
 * nothing that looks like several values or lines.
 */
const isPlain = (value: string): boolean =>
  !/:(?=[\s"'{[]|$)|&|\S\s{2,}\S|\{\s*[^\s}]/.test(value) &&
  !/(?<![,[{]\s*|^\s*)["'](?!\s*[,\]}]|\s*$)/.test(value) &&
  !/,\s*\S/.test(value.replaceAll(/\[[^{}[\]]*\]/g, '')) &&
  !words().secretName.test(value)

function quoteIn(value: string): Pick<OpenBlock, 'quote'> {
  const [, quote] = /^\s*(["'])/.exec(value) ?? []
  return quote !== undefined && value.indexOf(quote) === value.lastIndexOf(quote) ? { quote } : {}
}

const mayBeDisplayed = (key: string): boolean => words().known.has(key) && !words().secret.has(key)

/** Whether the field holds objects, which no scalar can replace. */
const isMapping = (key: string): boolean => words().mappings.has(key)

interface Words {
  readonly known: ReadonlySet<string>
  readonly secret: ReadonlySet<string>
  readonly mappings: ReadonlySet<string>
  readonly secretName: RegExp
}

/** Computed on first use: most runs hide nothing. */
const words = once((): Words => {
  const fields = kinds.flatMap((kind) => Object.values(kind.fields))
  const secret = new Set(fields.filter((field) => field.secret).map((field) => field.name))
  const credentials = propertiesIn(projectSchema('allowed'), ({ writeOnly }) => writeOnly === true)
  const children = kinds.flatMap((kind) => childFields(kind))
  const known = [
    ...fields.map((field) => field.name),
    ...Object.values(shapes).flatMap((members) => Object.keys(members)),
    ...kinds.flatMap((kind) => [...metadataKeys(kind, 'document').known, ...metadataKeys(kind, 'inline').known]),
    ...propertiesIn(projectSchema('allowed')),
    ...propertiesIn(openApiSpecSchema()),
  ]
  return {
    known: new Set(known),
    secret: new Set([...secret, ...credentials]),
    mappings: new Set([
      'metadata',
      'spec',
      'merge',
      ...kinds.map((kind) => kind.name),
      ...children.filter(({ kind }) => !isNamedOpenly(kind)).map(({ field }) => field),
    ]),
    secretName: new RegExp(`\\b(?:${[...secret].join('|')})\\b`, 'i'),
  }
})

/** The names of the properties of a schema, at any depth, that pass the test; default: all. */
function propertiesIn(schema: Json, isRequested: (property: JsonObject) => boolean = () => true): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((each: Json) => propertiesIn(each, isRequested))
  if (!isObject(schema)) return []
  const own = isObject(schema.properties) ? Object.entries(schema.properties) : []
  return [
    ...own.flatMap(([name, property]) => (isRequested(objectOf(property)) ? [name] : [])),
    ...Object.values(schema).flatMap((each) => propertiesIn(each, isRequested)),
  ]
}
