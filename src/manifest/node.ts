import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { keysOf } from '../json/pointer.js'
import type { Problem } from '../problems/problem.js'
import type { SourceRange } from './source.js'

/** YAML as manifests use it: aliases and merge keys are expanded, and every value knows its place. */

/**
 * `secret`: a placeholder in the value stands for a secret; in an unresolved scalar, the secret is not set. `spliced`: a list in
 * the value has other entries than written, because a placeholder stands for several or none. `lacks`: what the chosen
 * environment does not give; it is reported where the value is used. `given`: where the value of its placeholder is written.
 */
export type Node = MapNode | ListNode | ScalarNode

export interface MapNode {
  readonly is: 'map'
  readonly entries: readonly Entry[]
  readonly secret?: true | undefined
  readonly lacks?: readonly Problem[]
  readonly given?: SourceRange
  readonly spliced?: true
  readonly range: SourceRange
}

/** One pair of a mapping; `range` is the place of the key. */
export interface Entry {
  readonly key: string
  readonly range: SourceRange
  readonly value: Node
  /** The layer that wrote it, if that is not the manifest: `defaults of the project`. */
  readonly layer?: string
  /** The entry of a lower layer that this one replaces. */
  readonly covers?: Entry
}

export interface ListNode {
  readonly is: 'list'
  readonly items: readonly Node[]
  readonly secret?: true | undefined
  readonly lacks?: readonly Problem[]
  readonly given?: SourceRange
  readonly spliced?: true
  readonly range: SourceRange
}

export interface ScalarNode {
  readonly is: 'scalar'
  readonly value: string | number | boolean | null
  /** Where the value comes from: the text, a placeholder, or a placeholder that could not be resolved. */
  readonly from: 'text' | 'placeholder' | 'unresolved'
  readonly secret?: true | undefined
  readonly lacks?: readonly Problem[]
  readonly given?: SourceRange
  readonly spliced?: never
  /** If a text contains a secret: the text around it, with `${}` in the place of each secret (A178). */
  readonly template?: string
  readonly range: SourceRange
}

/** The value of that key, or undefined. */
export const valueAt = (map: MapNode, key: string): Node | undefined => entryAt(map, key)?.value

export const entryAt = (map: MapNode, key: string): Entry | undefined => map.entries.find((entry) => entry.key === key)

/** The text of a node, or undefined if it is not a text. */
export const scalarText = (node: Node | undefined): string | undefined =>
  node?.is === 'scalar' && typeof node.value === 'string' ? node.value : undefined

/** The value at a JSON Pointer, or undefined. */
export function nodeAt(root: Node, pointer: string): Node | undefined {
  let node: Node | undefined = root
  for (const key of keysOf(pointer)) {
    if (node?.is === 'map') node = valueAt(node, key)
    else node = node?.is === 'list' ? node.items[Number(key)] : undefined
  }
  return node
}

export const isNull = (node: Node | undefined): boolean => node?.is === 'scalar' && node.value === null

/** What is written, in a few words for a message: `a list`, `the number 5`, `"text"`. */
export function wordsFor(node: Node): string {
  if (node.is === 'map') return 'a mapping'
  if (node.is === 'list') return 'a list'
  // A resolved value may be a secret: it is never shown.
  if (node.from !== 'text') return 'a placeholder with another value'
  if (node.value === null) return 'nothing'
  if (typeof node.value === 'string') return `"${displayedText(node)}"`
  return typeof node.value === 'number' ? `the number ${writtenNumber(node.value, node.range)}` : String(node.value)
}

/** The number as written: 1.0 and 9007199254740993 change when they are read. */
function writtenNumber(value: number, { source, start, end }: SourceRange): string {
  const written = source.text.slice(start, end)
  return Number(written) === value ? written : String(value)
}

/** An unknown key, if it is a word; any other text may be a secret without quotes. */
export const keyWords = (key: string): string => (/^[\w.$-]{1,60}$/.test(key) ? key : '…')

/** Like `wordsFor`, but where fields are expected: a text in their place may be the value of any of them. */
export const formWords = (node: Node): string =>
  node.is === 'scalar' && typeof node.value === 'string' ? 'a text' : wordsFor(node)

/**
 * The beginning of what is written, as messages show it in quotes. A text of several lines, or one that looks like YAML, may
 * contain more than one value, so less of it is shown.
 */
export function displayedText(node: Node): string {
  if (node.is !== 'scalar' || node.from !== 'text' || node.value === null) return wordsFor(node)
  const { source, start, end } = node.range
  const text = String(node.value)
  const [displayed = ''] = source.text.slice(start, end).includes('\n') ? [] : (/^[^"'{}[\]]{0,40}/.exec(text) ?? [])
  return displayed === text ? text : `${displayed}…`
}

/** The value without its positions. */
export const plain = (node: Node): Json => jsonOf(node, asItIs)

const asItIs = ({ value }: ScalarNode): Json => value

/** The same, with each scalar converted by `form`. */
export function jsonOf(node: Node, form: (scalar: ScalarNode) => Json): Json {
  switch (node.is) {
    case 'scalar':
      return form(node)
    case 'list':
      return node.items.map((item) => jsonOf(item, form))
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, jsonOf(value, form)]))
  }
}

/** What the environment does not give of the node and of the values inside it. */
export function lacksIn(node: Node): readonly Problem[] {
  const own = node.lacks ?? nothing
  switch (node.is) {
    case 'scalar':
      return own
    case 'list':
      return node.items.reduce(withLacksOf, own)
    case 'map':
      return node.entries.reduce((found, { value }) => withLacksOf(found, value), own)
  }
}

/** Nearly all nodes lack nothing: no list is made for them. */
function withLacksOf(found: readonly Problem[], node: Node): readonly Problem[] {
  const lacks = lacksIn(node)
  return lacks.length === 0 ? found : [...found, ...lacks]
}

const nothing: readonly never[] = []

/** Converts a value to nodes that all have the same place. */
export function nodeFrom(value: Json, range: SourceRange): Node {
  if (value === null || typeof value !== 'object') return { is: 'scalar', value, from: 'text', range }
  if (isObject(value)) return { is: 'map', entries: entriesFrom(value, range), range }
  return { is: 'list', items: value.map((each) => nodeFrom(each, range)), range }
}

/** The same for the members of an object. */
export const entriesFrom = (fields: JsonObject, range: SourceRange): readonly Entry[] =>
  Object.entries(fields).map(([key, value]) => ({ key, range, value: nodeFrom(value, range) }))

/** The same node as a secret: nothing in it may be shown. */
export function asSecret(node: Node): Node {
  switch (node.is) {
    case 'scalar':
      return { ...node, secret: true }
    case 'list':
      return { ...node, secret: true, items: node.items.map(asSecret) }
    case 'map':
      return {
        ...node,
        secret: true,
        entries: node.entries.map((entry) => ({ ...entry, value: asSecret(entry.value) })),
      }
  }
}
