import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Parser,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { documentName } from '../../catalog/shapes.js'
import { withAllTolerated } from '../yaml/read-yaml.js'
import { nextLine } from './splice.js'
import type { Style } from './yaml-text.js'

/** The places of the objects in a YAML text, by the offsets that the reader gives. */

/** What contains a value: a document, a pair of a mapping, or a list. */
type NodeHolder =
  | { readonly is: 'document'; readonly index: number }
  | { readonly is: 'pair'; readonly map: YAMLMap; readonly pair: Pair }
  | { readonly is: 'item'; readonly seq: YAMLSeq; readonly index: number; readonly of: NodeHolder }

export interface Location {
  readonly node: YAMLMap | Scalar
  readonly holder: NodeHolder
  /** Whether it is between brackets. */
  readonly style: Style
}

export type YamlDocument = Document.Parsed

export interface Locations {
  readonly documents: readonly YamlDocument[]
  readonly byStart: ReadonlyMap<number, Location>
  readonly documentRanges: readonly DocumentRange[]
  /** The node that an alias repeats. */
  follow(alias: Alias): Node | undefined
}

/** The range of one document, with its `%` lines, its `---` and its `...`. */
export interface DocumentRange {
  readonly start: number
  readonly end: number
  /** The offset of its `---`, if it has one. */
  readonly mark: number | undefined
  /** Whether it ends with `...`: then the next document may begin without `---`. */
  readonly isEnded: boolean
}

/** Finds every mapping and every scalar. What an alias repeats has the place of its anchor. */
export function locationsIn(text: string): Locations {
  const byStart = new Map<number, Location>()
  const documents = parseAllDocuments(withAllTolerated(text), { keepSourceTokens: true, uniqueKeys: false })
  const list: readonly YamlDocument[] = Array.isArray(documents) ? documents : []
  list.forEach((document, index) => {
    addLocations(document.contents, { is: 'document', index }, 'block', byStart)
  })
  return {
    documents: list,
    byStart,
    documentRanges: documentRangesOf(text),
    follow: (alias) => {
      const at = startOf(alias)
      const document = list.find(({ range }) => range[0] <= at && at < range[2])
      return document && alias.resolve(document)
    },
  }
}

function documentRangesOf(text: string): readonly DocumentRange[] {
  const found: { start: number; mark: number | undefined; ended?: number }[] = []
  let directive: number | undefined
  for (const token of new Parser().parse(text)) {
    if (token.type === 'directive') directive ??= token.offset
    else if (token.type === 'document') {
      const mark = token.start.find((each) => each.type === 'doc-start')?.offset
      found.push({ start: directive ?? token.offset, mark })
      directive = undefined
    } else if (token.type === 'doc-end') {
      const last = found.at(-1)
      if (last) last.ended ??= nextLine(text, token.offset + token.source.length)
    }
  }
  return found.map(({ start, mark, ended }, index) => ({
    start,
    mark,
    end: ended ?? found[index + 1]?.start ?? text.length,
    isEnded: ended !== undefined,
  }))
}

function addLocations(node: unknown, holder: NodeHolder, style: Style, locations: Map<number, Location>): void {
  if (!isNode(node) || isAlias(node)) return
  const inner: Style = style === 'flow' || (isCollection(node) && node.flow === true) ? 'flow' : 'block'
  const start = node.range?.[0]
  if ((isMap(node) || isScalar(node)) && start !== undefined && !locations.has(start))
    locations.set(start, { node, holder, style })
  if (isMap(node))
    for (const pair of node.items) addLocations(pair.value, { is: 'pair', map: node, pair }, inner, locations)
  if (!isSeq(node)) return
  for (const [index, item] of node.items.entries()) {
    addLocations(item, { is: 'item', seq: node, index, of: holder }, inner, locations)
  }
}

/** The style of what is in a collection: `flow` between brackets. */
export const insideStyle = (style: Style, node: YAMLMap | YAMLSeq): Style =>
  style === 'flow' || node.flow ? 'flow' : 'block'

/** The pair of a key that the mapping itself has, not one that it merges. */
export const pairOf = (map: YAMLMap, key: string): Pair | undefined =>
  map.items.find((pair) => pairKey(pair) === key) ??
  map.items.find((pair) => documentName(pairKey(pair) ?? '') === documentName(key))

/** A key as the reader has it: the written text, whatever else it could mean (`1.0`, `True`). */
export const pairKey = ({ key }: Pair): string | undefined =>
  isScalar(key) ? (key.source ?? String(key.value)) : undefined

/** A quoted "<<" is an ordinary key. */
export const isMergeKey = ({ key }: Pair): boolean => isScalar(key) && key.source === '<<' && key.type === 'PLAIN'

export const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0)

/** Whether a value is written: `key:` alone has none. */
export const isWritten = (node: unknown): node is Node =>
  isNode(node) && node.range !== undefined && node.range !== null && node.range[1] > node.range[0]

/** Where the text of a node ends, without the comments and line ends behind it; block scalars end with their line. */
export function endOf(node: unknown, text: string): number {
  if (isPair(node)) return isWritten(node.value) ? endOf(node.value, text) : (colonAfter(node) ?? endOf(node.key, text))
  if (!isNode(node)) return 0
  if (isCollection(node) && !node.flow) {
    const last: unknown = node.items.at(-1)
    if (isSeq(node) && !isWritten(last)) return (dashOf(node, node.items.length - 1) ?? node.range?.[0] ?? 0) + 1
    return last === undefined ? (node.range?.[1] ?? 0) : endOf(last, text)
  }
  return node.range?.[1] ?? 0
}

/** Where a pair begins: at its key, or at the "?" before the key. */
export const startOfPair = (pair: Pair | undefined): number =>
  pair?.srcToken?.start.find(({ type }) => type === 'explicit-key-ind')?.offset ?? startOf(pair?.key)

/** The offset behind the colon of a pair; undefined if it has none, such as `? key` alone, or `key` alone between brackets. */
export function colonAfter({ srcToken }: Pair): number | undefined {
  const colon = srcToken?.sep?.find(({ type }) => type === 'map-value-ind')
  return colon && colon.offset + 1
}

/** The offset of the "-" of a list entry; undefined between brackets. */
export function dashOf(seq: YAMLSeq, index: number): number | undefined {
  const token = seq.srcToken
  if (token?.type !== 'block-seq') return undefined
  const dashes = token.items.flatMap((item) => item.start.filter((each) => each.type === 'seq-item-ind'))
  return dashes[index]?.offset
}
