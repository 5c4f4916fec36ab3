import {
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  type MappingEvent,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml'
import { documentKeys } from '../../catalog/metadata-keys.js'
import {
  brokenAlias,
  complexKey,
  duplicateKey,
  keyWithoutValue,
  tooDeep,
  tooLarge,
  twoDocuments,
} from '../../problems/manifests.js'
import { hasErrors, type Problem } from '../../problems/problem.js'
import { brokenYaml, yamlWarning } from '../../problems/yaml.js'
import { type Entry, keyWords, type ListNode, type MapNode, type Node, type ScalarNode } from '../node.js'
import { placeOf, type Source, type SourceRange } from '../source.js'
import { behindGap, blockEnd, blockHeader, textOfScalar } from './layout.js'
import { type Directives, isCollectionTag, plainScalar, tagNamed, valueByTag } from './scalars.js'

/** The most collections inside each other; real manifests have far fewer. */
export const mostDeep = 100

/** The most values of a document: aliases of aliases may stand for billions ("billion laughs"). Real manifests have far fewer. */
const largest = 1_000_000

/** A text, or a part of one, that is well-formed YAML. */
interface WellFormed {
  readonly source: Source
  readonly text: string
  /** The offset in the source where the text begins. */
  readonly offset: number
  readonly events: readonly Event[]
}

/** The state of reading: events come one after the other, and each has only the offset of its start. */
interface NodeWalk extends WellFormed {
  readonly problems: Problem[]
  /** The index of the next event. */
  next: number
  /** Where the text of the last event ended. */
  end: number
  document: DocumentState
}

/** What is known of the current document. */
interface DocumentState {
  readonly directives: Directives
  /** Anchors so far; undefined while the value that they name is still being read. */
  readonly anchors: Map<string, Anchored | undefined>
  /** How many values it has, including those that aliases repeat. */
  size: number
  /** How many collections contain the current value, and the most so far. */
  depth: number
  deepest: number
  /** The first value that is too deep. */
  tooDeepAt: SourceRange | undefined
}

/** A value that aliases may repeat, with the number of its values and its depth. */
interface Anchored {
  readonly node: Node
  readonly size: number
  readonly height: number
}

type TaggedEvent = ScalarEvent | SequenceEvent | MappingEvent

const newDocument = (directives: Directives): DocumentState => ({
  directives,
  anchors: new Map(),
  size: 0,
  depth: 0,
  deepest: 0,
  tooDeepAt: undefined,
})

/** The documents of a well-formed text that are not empty, and the problems in them. */
export function readDocuments(text: WellFormed): {
  readonly documents: readonly Node[]
  readonly problems: readonly Problem[]
} {
  const walk: NodeWalk = { ...text, problems: [], next: 0, end: 0, document: newDocument([]) }
  const documents: Node[] = []
  while (walk.next < walk.events.length) {
    const before = walk.problems.length
    const start = take(walk)
    walk.document = newDocument(start.type === EVENT_ID.DOCUMENT ? start.directives : [])
    checkBetween(walk)
    const root = nodeFrom(walk, take(walk))
    take(walk)
    checkSize(walk, root)
    const isEmpty = root.is === 'scalar' && root.value === null
    if (!isEmpty && !hasErrors(walk.problems.slice(before))) documents.push(root)
  }
  return { documents, problems: walk.problems }
}

function checkSize({ document, problems }: NodeWalk, root: Node): void {
  if (document.tooDeepAt) problems.push(tooDeep(placeOf(document.tooDeepAt), mostDeep))
  if (document.size > largest) problems.push(tooLarge(placeOf(root.range), largest))
}

/**
 * Checks the text between two documents. It reports directives without effect: those for another version of YAML, and unknown
 * ones. It also reports lines that the package takes for markers although there is something before or behind them.
 */
function checkBetween(walk: NodeWalk): void {
  const first = walk.events[walk.next]
  const between = walk.text.slice(walk.end, first ? startOf(first, walk.end) : walk.end)
  for (const { 0: line, index } of between.matchAll(/^(?:%\S.*|[ \t]+---(?=\s)|\.\.\.[ \t]+$(?!\n))/gm)) {
    if (/^%(?:TAG\s|YAML\s+1\.2\s*(?:#.*)?$)/.test(line)) continue
    const place = placeOf(rangeAt(walk, walk.end + index, walk.end + index + line.length))
    walk.problems.push(line.startsWith('%') ? yamlWarning(place, 'directive') : brokenYaml(place, 'marker'))
  }
}

/** Where an event begins, with its tag and anchor. Events of unwritten values have no offset. */
function startOf(event: Event, otherwise: number): number {
  if (event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) return otherwise
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1
  const value = event.type === EVENT_ID.SCALAR ? event.valueStart : event.start
  const starts = [value, event.tagStart, event.anchorStart].filter((start) => start >= 0)
  return starts.length === 0 ? otherwise : Math.min(...starts)
}

function take(walk: NodeWalk): Event {
  const event = walk.events[walk.next]
  if (!event) throw new Error('the events of a YAML text end before its documents do')
  walk.next += 1
  return event
}

const rangeAt = ({ source, offset }: NodeWalk, start: number, end: number): SourceRange => ({
  source,
  start: offset + start,
  end: offset + end,
})

/** The node that starts with this event. */
function nodeFrom(walk: NodeWalk, event: Event): Node {
  walk.document.size += 1
  switch (event.type) {
    case EVENT_ID.SCALAR:
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return event.anchorStart < 0 ? valueFrom(walk, event) : anchoredFrom(walk, event)
    case EVENT_ID.ALIAS: {
      walk.end = event.anchorEnd
      const range = rangeAt(walk, event.anchorStart - 1, event.anchorEnd)
      return aliased(walk, walk.text.slice(event.anchorStart, event.anchorEnd), range)
    }
    case EVENT_ID.DOCUMENT:
    case EVENT_ID.POP:
      throw new Error('a value of a YAML text has no event')
  }
}

function valueFrom(walk: NodeWalk, event: TaggedEvent): Node {
  if (event.type === EVENT_ID.SCALAR) return scalarFrom(walk, event)
  if (event.tagStart >= 0) checkTag(walk, event, isCollectionTag(tagOf(walk, event), event.type))
  const { document } = walk
  if (document.depth === mostDeep) document.tooDeepAt ??= rangeAt(walk, event.start, event.start)
  document.depth += 1
  if (document.depth > document.deepest) document.deepest = document.depth
  const node = event.type === EVENT_ID.MAPPING ? mapFrom(walk, event) : listFrom(walk, event)
  document.depth -= 1
  return node
}

function anchoredFrom(walk: NodeWalk, event: TaggedEvent): Node {
  const { document } = walk
  const name = walk.text.slice(event.anchorStart, event.anchorEnd)
  const before = { size: document.size, deepest: document.deepest }
  document.anchors.set(name, undefined)
  document.deepest = document.depth
  const node = valueFrom(walk, event)
  const height = document.deepest - document.depth
  document.anchors.set(name, { node, size: document.size - before.size, height })
  document.deepest = Math.max(document.deepest, before.deepest)
  return node
}

/** The value that an alias repeats. It keeps its own place, because a mistake in it must be corrected there. */
function aliased({ document, problems }: NodeWalk, name: string, range: SourceRange): Node {
  const unresolved: Node = { is: 'scalar', value: null, from: 'unresolved', range }
  const anchor = document.anchors.get(name)
  if (!anchor) {
    problems.push(brokenAlias(placeOf(range), document.anchors.has(name) ? 'circular' : 'unknown'))
    return unresolved
  }
  const deepest = document.depth + anchor.height
  if (deepest > mostDeep) {
    document.tooDeepAt ??= range
    return unresolved
  }
  document.deepest = Math.max(document.deepest, deepest)
  document.size += anchor.size
  return anchor.node
}

function listFrom(walk: NodeWalk, event: SequenceEvent): ListNode {
  const items: Node[] = []
  open(walk, event)
  for (let next = take(walk); next.type !== EVENT_ID.POP; next = take(walk)) items.push(nodeFrom(walk, next))
  close(walk, event, ']')
  return { is: 'list', items, range: rangeAt(walk, event.start, walk.end) }
}

/** In block style the first entry begins where the collection begins, in flow style behind the bracket. */
function open(walk: NodeWalk, { start, style }: SequenceEvent | MappingEvent): void {
  walk.end = style === COLLECTION_STYLE.FLOW ? start + 1 : start
}

/** A pair in a list of flow style is a mapping without brackets. */
function close(walk: NodeWalk, { style }: SequenceEvent | MappingEvent, bracket: ']' | '}'): void {
  if (style !== COLLECTION_STYLE.FLOW) return
  let at = behindGap(walk.text, walk.end)
  if (walk.text[at] === ',') at = behindGap(walk.text, at + 1)
  if (walk.text[at] === bracket) walk.end = at + 1
}

function mapFrom(walk: NodeWalk, event: MappingEvent): MapNode {
  const known: KnownKeys = { entries: [], byKey: undefined }
  let merged: Node[] | undefined
  let twice: Twice[] | undefined
  open(walk, event)
  for (let key = take(walk); key.type !== EVENT_ID.POP; key = take(walk)) {
    const entry = entryFrom(walk, key)
    if (!entry) continue
    if (isMergeKey(entry)) {
      merged ??= []
      merged.push(entry.value)
    } else {
      const first = withKey(known, entry.key)
      if (first) {
        twice ??= []
        twice.push({ entry, first })
      } else {
        add(known, entry)
      }
    }
  }
  close(walk, event, '}')
  if (twice) reportTwice(walk, twice)
  // Written keys take precedence over merged ones, and an earlier merged mapping over a later one.
  for (const value of merged ?? []) merge(walk, value, known)
  return { is: 'map', entries: known.entries, range: rangeAt(walk, event.start, walk.end) }
}

/** The entries of a mapping while it is read. Only long mappings have an index: there are thousands of short ones. */
interface KnownKeys {
  readonly entries: Entry[]
  byKey: Map<string, Entry> | undefined
}

const short = 12

const withKey = ({ entries, byKey }: KnownKeys, key: string): Entry | undefined =>
  byKey ? byKey.get(key) : entries.find((entry) => entry.key === key)

function add(known: KnownKeys, entry: Entry): void {
  known.entries.push(entry)
  known.byKey?.set(entry.key, entry)
  if (known.entries.length === short) known.byKey = new Map(known.entries.map((each) => [each.key, each]))
}

/** A key and its value; undefined if they are not a valid pair, which is reported. */
function entryFrom(walk: NodeWalk, event: Event): Entry | undefined {
  if (event.type !== EVENT_ID.SCALAR) {
    const start = startOf(event, walk.end)
    const reported = walk.problems.push(complexKey(placeOf(rangeAt(walk, start, start))))
    nodeFrom(walk, event)
    // Problems inside the key are not reported as well.
    walk.problems.length = reported
    nodeFrom(walk, take(walk))
    return undefined
  }
  const range = event.valueStart < 0 ? emptyRange(walk, event, '?') : scalarRange(walk, event)
  // Keys are texts: a number, or a word such as `true`, is taken as written.
  const key = textOfScalar(walk.text, event)
  if (event.tagStart >= 0 || event.anchorStart >= 0)
    checkKey(walk, event, { is: 'scalar', value: key, from: 'text', range })
  const value = take(walk)
  if (isMissing(value) && walk.text[behindGap(walk.text, walk.end)] !== ':') {
    walk.problems.push(keyWithoutValue(placeOf(range)))
    return undefined
  }
  return { key, range, value: nodeFrom(walk, value) }
}

function checkKey(walk: NodeWalk, event: ScalarEvent, node: ScalarNode & { readonly value: string }): void {
  if (event.tagStart >= 0) checkTag(walk, event, valueByTag(tagOf(walk, event), node.value) !== undefined)
  if (event.anchorStart < 0) return
  walk.document.anchors.set(walk.text.slice(event.anchorStart, event.anchorEnd), { node, size: 1, height: 0 })
}

/** Whether nothing at all is written there. */
const isMissing = (event: Event): boolean =>
  event.type === EVENT_ID.SCALAR && event.valueStart < 0 && event.anchorStart < 0 && event.tagStart < 0

/** A quoted "<<" is an ordinary key. */
const isMergeKey = ({ key, range }: Entry): boolean => key === '<<' && range.end - range.start === 2

/** An entry with the same key as an earlier one of its mapping. */
interface Twice {
  readonly entry: Entry
  readonly first: Entry
}

/** If two keys of a whole document occur twice, the second ones belong to another document. */
function reportTwice({ document, problems }: NodeWalk, twice: readonly Twice[]): void {
  const ofDocument = twice.filter(({ entry }) => documentKeys.includes(entry.key))
  const [second] = ofDocument
  if (document.depth === 1 && second && new Set(ofDocument.map(({ entry }) => entry.key)).size > 1) {
    problems.push(twoDocuments(placeOf(second.entry.range), placeOf(second.first.range)))
    return
  }
  for (const { entry, first } of twice) {
    problems.push(duplicateKey(placeOf(entry.range), pathOrWords(entry.key), placeOf(first.range)))
  }
}

/** OpenAPI files have paths as keys. */
const pathOrWords = (key: string): string => (/^(?:\/[\w.~{}-]{0,40}){1,20}$/.test(key) ? key : keyWords(key))

/** Adds the entries of a mapping, or of a list of mappings, that are not there yet. */
function merge({ document, problems }: NodeWalk, value: Node, known: KnownKeys): void {
  // A document that is too large is not merged: that would read all aliases of aliases.
  if (document.size > largest) return
  for (const map of value.is === 'list' ? value.items : [value]) {
    if (map.is === 'map') {
      for (const entry of map.entries) if (!withKey(known, entry.key)) add(known, entry)
    } else if (map.is === 'list' || map.from !== 'unresolved') {
      problems.push(brokenAlias(placeOf(map.range), 'no-mapping'))
    }
  }
}

function scalarFrom(walk: NodeWalk, event: ScalarEvent): ScalarNode {
  const range = event.valueStart < 0 ? emptyRange(walk, event, '-:') : scalarRange(walk, event)
  const text = textOfScalar(walk.text, event)
  return { is: 'scalar', value: valueFor(walk, event, text), from: 'text', range }
}

/** The value of a text; with the tag of another program it stays a text. */
function valueFor(walk: NodeWalk, event: ScalarEvent, text: string): ScalarNode['value'] {
  if (event.tagStart < 0) {
    if (event.style !== SCALAR_STYLE.PLAIN) return text
    return event.valueStart < 0 ? null : plainScalar(text)
  }
  const value = valueByTag(tagOf(walk, event), text)
  checkTag(walk, event, value !== undefined)
  return value === undefined ? text : value
}

function scalarRange(walk: NodeWalk, scalar: ScalarEvent): SourceRange {
  const { valueStart, valueEnd, style } = scalar
  switch (style) {
    case SCALAR_STYLE.PLAIN:
      walk.end = valueEnd
      return rangeAt(walk, valueStart, valueEnd)
    case SCALAR_STYLE.SINGLE_QUOTED:
    case SCALAR_STYLE.DOUBLE_QUOTED:
      walk.end = valueEnd + 1
      return rangeAt(walk, valueStart - 1, valueEnd + 1)
    case SCALAR_STYLE.LITERAL_BLOCK:
    case SCALAR_STYLE.FOLDED_BLOCK: {
      const start = blockHeader(walk.text, scalar, walk.end)
      walk.end = blockEnd(walk.text, scalar)
      return rangeAt(walk, start, walk.end)
    }
  }
}

/** The place of an unwritten value: behind its tag and anchor, or behind the character that it is expected after. */
function emptyRange(walk: NodeWalk, { anchorEnd, tagEnd }: ScalarEvent, signs: string): SourceRange {
  const at = behindGap(walk.text, walk.end)
  const isExpected = at < walk.text.length && signs.includes(walk.text.charAt(at))
  walk.end = Math.max(anchorEnd, tagEnd, isExpected ? at + 1 : walk.end)
  return rangeAt(walk, walk.end, walk.end)
}

const tagOf = ({ text, document }: NodeWalk, { tagStart, tagEnd }: TaggedEvent): string =>
  tagNamed(text.slice(tagStart, tagEnd), document.directives)

/** Reports the tag of another program: it has no effect. */
function checkTag(walk: NodeWalk, { tagStart, tagEnd }: TaggedEvent, isKnown: boolean): void {
  if (!isKnown) walk.problems.push(yamlWarning(placeOf(rangeAt(walk, tagStart, tagEnd)), 'tag'))
}
