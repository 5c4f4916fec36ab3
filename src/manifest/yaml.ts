import type { Document, ParsedNode, YAMLError, Node as YamlNode } from 'yaml'
import { Composer, isAlias, isMap, isNode, isScalar, isSeq, Parser } from 'yaml'
import {
  brokenAlias,
  brokenYaml,
  complexKey,
  duplicateKey,
  keyWithoutValue,
  tooDeep,
  tooLarge,
  yamlWarning,
} from '../problems/manifests.js'
import { hasErrors, type Problem } from '../problems/problem.js'
import { type Entry, keyWords, type MapNode, type Node, type ScalarNode } from './node.js'
import { type Mark, placeOf, type Source } from './source.js'
import { readUsualYaml } from './yaml-events.js'

/** The documents of one text, in their order; empty ones and those that cannot be read are left out. */
export interface Documents {
  readonly documents: readonly Node[]
  readonly problems: readonly Problem[]
}

/** Reads a text of one or more YAML documents: the fast way where it knows everything, the thorough way otherwise. */
export function readYaml(source: Source): Documents {
  const documents = readUsualYaml(source)
  return documents ? { documents, problems: [] } : readAnyYaml(source)
}

/** Reads whatever YAML there is, and tells all mistakes. Each document is converted and let go before the next is composed. */
export function readAnyYaml(source: Source): Documents {
  const documents: Node[] = []
  const problems: Problem[] = []
  // Keys are compared here and not by the library: it compares each with all others, and does not tell the first place.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, merge: true })
  for (const document of composer.compose(new Parser().parse(source.text))) {
    const read = convert(document, source)
    problems.push(...read.problems)
    if (read.root && !hasErrors(read.problems)) documents.push(read.root)
  }
  return { documents, problems }
}

/** As deep as the fast way goes; real manifests stay far below. */
const mostDeep = 100

/** Aliases of aliases may stand for billions of values ("billion laughs"); real manifests stay far below. */
const largest = 1_000_000

interface Conversion {
  readonly source: Source
  readonly problems: Problem[]
  /** Anchors seen so far; undefined while the value that they name is still being read. */
  readonly anchors: Map<string, Anchored | undefined>
  size: number
  /** How many collections the value that is read now stands in; and the most so far. */
  depth: number
  deepest: number
  /** The first collection beyond what is allowed. */
  tooDeepAt: Mark | undefined
}

/** A value that aliases may repeat, with the number of values in it and how deep they go. */
interface Anchored {
  readonly node: Node
  readonly size: number
  readonly height: number
}

function convert(document: Document.Parsed, source: Source): { root: Node | undefined; problems: readonly Problem[] } {
  const conversion: Conversion = {
    source,
    problems: [],
    anchors: new Map(),
    size: 0,
    depth: 0,
    deepest: 0,
    tooDeepAt: undefined,
  }
  // One mistake makes the library complain several times: its first words about a line are the telling ones.
  const seen = new Set<number>()
  for (const error of document.errors) {
    const mark = { source, start: error.pos[0], end: error.pos[1] }
    const place = placeOf(mark)
    if (seen.has(place.line)) continue
    seen.add(place.line)
    // The library gives up where its stack ends.
    if (error.code === 'RESOURCE_EXHAUSTION') conversion.tooDeepAt ??= mark
    else conversion.problems.push(brokenYaml(place, wordsOf(error)))
  }
  for (const warning of document.warnings) {
    const place = placeOf({ source, start: warning.pos[0], end: warning.pos[1] })
    conversion.problems.push(yamlWarning(place, wordsOf(warning)))
  }
  const contents: ParsedNode | null = document.contents
  const isBroken = document.errors.length > 0 || isEmpty(contents)
  const root = isBroken ? undefined : nodeFrom(contents, conversion, { source, start: 0, end: 0 })
  if (conversion.tooDeepAt) conversion.problems.push(tooDeep(placeOf(conversion.tooDeepAt), mostDeep))
  if (root && conversion.size > largest) conversion.problems.push(tooLarge(placeOf(root.mark), largest))
  return { root, problems: conversion.problems }
}

/** The words of the library without anything that is written in the file: it may be a secret without its quotes. */
function wordsOf({ code, message }: YAMLError): string {
  if (code === 'TAG_RESOLVE_FAILED') return 'a tag that has no meaning here'
  if (code === 'BAD_DIRECTIVE') return 'a directive that has no meaning here'
  if (code === 'BAD_DQ_ESCAPE') return 'Invalid escape sequence'
  return message.replace(/(?<=\S): .*$/su, '')
}

const isEmpty = (contents: ParsedNode | null): boolean =>
  contents === null || (isScalar(contents) && contents.value === null)

function nodeFrom(yaml: YamlNode | null, conversion: Conversion, fallback: Mark): Node {
  conversion.size += 1
  if (yaml === null) return { is: 'scalar', value: null, from: 'text', mark: fallback }
  const mark = markOf(yaml, conversion, fallback)
  if (isAlias(yaml)) return aliased(yaml.source, mark, conversion)
  if (!isNode(yaml)) return { is: 'scalar', value: null, from: 'text', mark }
  if (!('anchor' in yaml) || yaml.anchor === undefined) return freshNode(yaml, mark, conversion)
  const { anchor } = yaml
  const before = { size: conversion.size, deepest: conversion.deepest }
  conversion.anchors.set(anchor, undefined)
  conversion.deepest = conversion.depth
  const node = freshNode(yaml, mark, conversion)
  const height = conversion.deepest - conversion.depth
  conversion.anchors.set(anchor, { node, size: conversion.size - before.size, height })
  conversion.deepest = Math.max(conversion.deepest, before.deepest)
  return node
}

function freshNode(yaml: YamlNode, mark: Mark, conversion: Conversion): Node {
  if (isSeq(yaml)) {
    const items = (): readonly Node[] => yaml.items.map((item) => nodeFrom(asNode(item), conversion, mark))
    return inside(mark, conversion, () => ({ is: 'list', items: items(), mark }))
  }
  if (isMap(yaml)) return inside(mark, conversion, () => mapFrom(yaml.items, mark, conversion))
  return { is: 'scalar', value: isScalar(yaml) ? scalarValue(yaml.value) : null, from: 'text', mark }
}

/** The collection that `read` gives, unless it stands too deep. */
function inside(mark: Mark, conversion: Conversion, read: () => Node): Node {
  if (conversion.depth === mostDeep) return tooDeepNode(mark, conversion)
  conversion.depth += 1
  conversion.deepest = Math.max(conversion.deepest, conversion.depth)
  const node = read()
  conversion.depth -= 1
  return node
}

function tooDeepNode(mark: Mark, conversion: Conversion): Node {
  conversion.tooDeepAt ??= mark
  return { is: 'scalar', value: null, from: 'unresolved', mark }
}

const asNode = (value: unknown): YamlNode | null => (isNode(value) ? value : null)

const scalarValue = (value: unknown): ScalarNode['value'] =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null

function markOf(yaml: YamlNode, { source }: Conversion, fallback: Mark): Mark {
  return yaml.range ? { source, start: yaml.range[0], end: yaml.range[1] } : fallback
}

/** The value that an alias repeats. It keeps its own place: that is where a mistake in it has to be put right. */
function aliased(name: string, mark: Mark, conversion: Conversion): Node {
  const anchor = conversion.anchors.get(name)
  if (anchor) {
    const deepest = conversion.depth + anchor.height
    if (deepest > mostDeep) return tooDeepNode(mark, conversion)
    conversion.deepest = Math.max(conversion.deepest, deepest)
    conversion.size += anchor.size
    return anchor.node
  }
  const reason = conversion.anchors.has(name) ? 'circular' : 'unknown'
  conversion.problems.push(brokenAlias(placeOf(mark), reason))
  return { is: 'scalar', value: null, from: 'unresolved', mark }
}

function mapFrom(pairs: readonly { key: unknown; value: unknown }[], mark: Mark, conversion: Conversion): MapNode {
  const own = new Map<string, Entry>()
  const merged: Node[] = []
  for (const pair of pairs) {
    const keyMark = isNode(pair.key) ? markOf(pair.key, conversion, mark) : mark
    const key = keyFrom(pair.key, conversion)
    const value = nodeFrom(asNode(pair.value), conversion, keyMark)
    if (pair.value === null) conversion.problems.push(keyWithoutValue(placeOf(keyMark)))
    else if (key === undefined) conversion.problems.push(complexKey(placeOf(keyMark)))
    else if (isMergeKey(pair.key)) merged.push(value)
    else if (own.has(key)) reportDuplicate(key, keyMark, own, conversion)
    else own.set(key, { key, mark: keyMark, value })
  }
  // What is written here outranks what is merged in, and an earlier merged mapping outranks a later one.
  for (const value of merged) merge(value, own, conversion)
  return { is: 'map', entries: [...own.values()], mark }
}

function reportDuplicate(key: string, mark: Mark, own: ReadonlyMap<string, Entry>, { problems }: Conversion): void {
  problems.push(duplicateKey(placeOf(mark), keyWords(key), placeOf(own.get(key)?.mark ?? mark)))
}

/** Keys are texts: a number or a word such as `true` is the key as it is written. */
function keyFrom(key: unknown, { source }: Conversion): string | undefined {
  if (!isScalar(key)) return undefined
  if (typeof key.value === 'string') return key.value
  return key.range ? source.text.slice(key.range[0], key.range[1]) : String(key.value)
}

// A quoted "<<" is an ordinary key. The library gives the plain one a symbol as value in some schemas.
const isMergeKey = (key: unknown): boolean =>
  isScalar(key) && (key.value === '<<' || typeof key.value === 'symbol') && (key.type ?? 'PLAIN') === 'PLAIN'

/** Adds the entries of a mapping, or of a list of mappings, that are not there yet. */
function merge(value: Node, own: Map<string, Entry>, conversion: Conversion): void {
  // What is too large is not read: aliases of aliases would have to be gone through.
  if (conversion.size > largest) return
  for (const map of value.is === 'list' ? value.items : [value]) {
    if (map.is === 'map') for (const entry of map.entries) if (!own.has(entry.key)) own.set(entry.key, entry)
    if (map.is === 'list' || (map.is === 'scalar' && map.from !== 'unresolved')) {
      conversion.problems.push(brokenAlias(placeOf(map.mark), 'no-mapping'))
    }
  }
}
