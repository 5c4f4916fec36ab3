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
import { hide, markedText, type Source } from './source.js'

/**
 * Frames show lines of a file to whoever sees the output. What may be a secret is kept out of them: the values of secret
 * fields, and those of keys that nobody knows, which may be secret fields that are misspelt.
 */

/** Hides what may be a secret in a document, or a layer, with mistakes. */
export function hideDoubtful(root: Node): void {
  if (root.is === 'map') hideInside(root, new Set())
  else hide(root.mark)
}

/** `seen`: aliases give the very node that they repeat. */
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
  const shownInOperation = wordsOfOperation(node)
  for (const { key, mark, value } of node.entries) {
    if (shownInOperation.includes(key)) continue
    if (mayBeShown(key) && !(isMapping(key) && isText(value))) hideInside(value, seen)
    else if (keyWords(key) !== key) hide({ ...mark, end: Math.max(mark.end, value.mark.end) })
    // From the key on: what looks like a tag or an anchor may be a part of the secret.
    else if (value.mark.end > mark.end)
      hide({ ...mark, start: behindColon(mark.source.text, mark.end), end: value.mark.end })
    else if (value.mark.end <= mark.start) hide(value.mark)
  }
}

/** The keys of an operation of a patch (RFC 6902) that show no secret: beside the value its path tells of which field it is. */
function wordsOfOperation(node: MapNode): readonly string[] {
  const [op, path] = ['op', 'path'].map((key) => valueAt(node, key))
  if (op?.is !== 'scalar' || path?.is !== 'scalar') return []
  const isOpen = keysOf(String(path.value)).every((key) => mayBeShown(key) || /^(?:\d+|-)$/.test(key))
  return isOpen ? ['op', 'path', 'value'] : ['op', 'path']
}

/** What other lines go on with may have been another value, and so may what has a secret's name in it. */
function hideText({ value, mark }: ScalarNode): void {
  if (typeof value !== 'string') return
  const lineBreak = markedText(mark).indexOf('\n')
  if (words().secretName.test(value)) hide(mark)
  else if (lineBreak !== -1) hide({ ...mark, start: mark.start + lineBreak })
}

/** Values have the names that a project gives them: one with a secret's name in its own may be a secret written out. */
export function hideNamed(name: string, node: Node): void {
  if (words().secretName.test(name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|_/g, ' '))) hide(node.mark)
}

/** A value without any key: no object. */
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

/** Hides credentials that are written out in a project: what is told of its values and patches may stand in their lines. */
export function hideCredentials(node: Node): void {
  if (node.is !== 'map') return
  for (const { key, value } of node.entries) {
    if (key !== 'credentials' || value.is !== 'map') hideCredentials(value)
    else for (const each of value.entries) if (words().secret.has(each.key)) hideWritten(each.value)
  }
}

/** What is one placeholder and nothing else shows no secret. */
function hideWritten({ mark }: Node): void {
  if (!/^["']?\$\{[^{}]*\}["']?$/.test(markedText(mark))) hide(mark)
}

/**
 * Hides what may be a secret in a text whose YAML cannot be read, so that nobody can tell what belongs to which key. A line is
 * shown as far as it is `key: value` with known keys, or an entry of the list below such a key. All else is hidden, and with a
 * secret or unknown key all that may belong to it: up to a line that starts with a known key and is indented no deeper. A key
 * counts as secret, too, whose name a text with `sensitive` has behind a slash: it may be in one of the pointers (A117).
 */
export function hideInUnreadable(source: Source): void {
  const marked = /\bsensitive\b/.test(source.text) ? source.text.matchAll(/(?<=\/)[\w-]+/g) : []
  const sensitive = new Set([...marked].map(([name]) => name))
  let open: Open = {}
  let start = 0
  for (const line of source.text.split('\n')) {
    const read = readLine(line, open, sensitive)
    const end = line.trimEnd().length
    if (read.shown < end) hide({ source, start: start + read.shown, end: start + end })
    open = read.open
    start += line.length + 1
  }
}

/** What the next line of unreadable YAML may belong to. */
interface Open {
  /** A known key without a value: its column. Entries of a list may follow. */
  readonly list?: number
  /** What may be a secret: the column of its key. */
  readonly secret?: number
  /** The quote that its value has opened. */
  readonly quote?: string
}

interface Line {
  /** How much of the line may be shown. */
  readonly shown: number
  readonly open: Open
}

const lineStart = /^[ \t]*(?:-[ \t]+|[{[][ \t]*)*/
const brackets = /^[\s[\]{},-]*$/

function readLine(line: string, open: Open, sensitive: ReadonlySet<string>): Line {
  if (open.quote !== undefined) return { shown: 0, open: line.includes(open.quote) ? withoutQuote(open) : open }
  if (brackets.test(line)) return { shown: line.length, open }
  if (/^\s*#/.test(line)) return { shown: line.length, open }
  const column = lineStart.exec(line)?.[0].length ?? 0
  if (open.secret !== undefined && column > open.secret) return { shown: 0, open }
  if (open.list !== undefined && isEntry(line, open.list, column)) return { shown: line.length, open }
  if (keyAt(line, column)) return readPairs(line, column, sensitive)
  return { shown: 0, open: { secret: Math.min(column, open.secret ?? column) } }
}

const withoutQuote = ({ quote: _, ...open }: Open): Open => open

const isEntry = (line: string, list: number, column: number): boolean =>
  line.search(/\S/) >= list && /^[ \t]*-[ \t]/.test(line) && !keyAt(line, column) && isPlain(line.slice(column))

/** The pairs of a line, up to the first whose key or value may be a secret. */
function readPairs(line: string, column: number, sensitive: ReadonlySet<string>): Line {
  let at = column
  for (let key = keyAt(line, at); key; key = keyAt(line, at)) {
    const value = line.slice(key.end, nextPair(line, key.end))
    // What looks like a key that nobody knows may be a part of a secret.
    if (!words().known.has(key.name)) return { shown: at, open: { secret: at, ...quoteIn(value) } }
    const isOpen = mayBeShown(key.name) && !sensitive.has(key.name)
    if (!isOpen || !isPlain(value) || (isMapping(key.name) && /[^\s[{]/.test(value))) {
      return { shown: key.end, open: { secret: at, ...quoteIn(value) } }
    }
    at = key.end + value.length
    if (at === line.length) {
      return { shown: at, open: at > 0 && value.trim() === '' && !isMapping(key.name) ? { list: column } : {} }
    }
  }
  return { shown: at, open: { secret: at } }
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

/** Where the next key of a line stands, which brackets or a comma come before, or the end of the line. */
function nextPair(line: string, offset: number): number {
  const separator = /[,{[][ \t]*/g
  separator.lastIndex = offset
  for (let found = separator.exec(line); found; found = separator.exec(line)) {
    if (keyAt(line, separator.lastIndex)) return separator.lastIndex
  }
  return line.length
}

/**
 * Whether a value of a known key is just that: no other key that is hard to see, no secret's name, nothing that others
 * repeat, nothing that looks like several values or lines.
 */
const isPlain = (value: string): boolean =>
  !/:(?=[\s"'{[]|$)|&|\S\s{2,}\S|\{\s*[^\s}]/.test(value) &&
  !/(?<![,[{]\s*|^\s*)["'](?!\s*[,\]}]|\s*$)/.test(value) &&
  !/,\s*\S/.test(value.replaceAll(/\[[^{}[\]]*\]/g, '')) &&
  !words().secretName.test(value)

function quoteIn(value: string): Pick<Open, 'quote'> {
  const [, quote] = /^\s*(["'])/.exec(value) ?? []
  return quote !== undefined && value.indexOf(quote) === value.lastIndexOf(quote) ? { quote } : {}
}

const mayBeShown = (key: string): boolean => words().known.has(key) && !words().secret.has(key)

/** Whether a field holds objects that no bare text can stand for. */
const isMapping = (key: string): boolean => words().mappings.has(key)

interface Words {
  readonly known: ReadonlySet<string>
  readonly secret: ReadonlySet<string>
  readonly mappings: ReadonlySet<string>
  readonly secretName: RegExp
}

/** Made when there is something to hide: most runs have nothing. */
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

/** The names of all properties of a schema, or of those that are as asked. */
function propertiesIn(schema: Json, isAsked: (property: JsonObject) => boolean = () => true): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((each: Json) => propertiesIn(each, isAsked))
  if (!isObject(schema)) return []
  const own = isObject(schema.properties) ? Object.entries(schema.properties) : []
  return [
    ...own.flatMap(([name, property]) => (isAsked(objectOf(property)) ? [name] : [])),
    ...Object.values(schema).flatMap((each) => propertiesIn(each, isAsked)),
  ]
}
