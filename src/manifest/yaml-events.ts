import {
  CHOMPING_MODE,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
} from 'js-yaml'
import type { Entry, Node, ScalarNode } from './node.js'
import type { Mark, Source } from './source.js'

/**
 * The documents of a text without anything unusual, several times as fast as the `yaml` package reads them; undefined where
 * there is anything that this way does not know to mean the same: mistakes, anchors, tags, directives, merge keys, keys that
 * are no texts, values that are not written. A test holds both ways against each other, case by case.
 */
export function readUsualYaml(source: Source): readonly Node[] | undefined {
  const { text } = source
  // What the two take differently, or only one of them minds: tabs, line breaks of other systems, byte order marks.
  if (unusual.test(text) || hasOddMarker(text)) return undefined
  const events = eventsIn(text)
  return events && documentsFrom({ source, events, at: 0, end: 0 })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const unusual = /[\t\r\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/

/** Marks of documents that are indented, or that something follows; directives. */
const oddMarker = /^ +(?:---|\.\.\.)|^\.\.\.[^\n]|^---[^\n ]|^ *%/m
const hasOddMarker = (text: string): boolean =>
  (text.includes('---') || text.includes('...') || text.includes('%')) && oddMarker.test(text)

function eventsIn(text: string): readonly Event[] | undefined {
  try {
    return parseEvents(text, {})
  } catch {
    // The other way tells what is wrong, in the words that users know; or it finds nothing wrong.
    return undefined
  }
}

/** What this way leaves to the other one. */
const unknown = Symbol('unknown')

interface Walk {
  readonly source: Source
  readonly events: readonly Event[]
  /** The next event. */
  at: number
  /** Where the text of the last event ended. */
  end: number
}

function documentsFrom(walk: Walk): readonly Node[] | undefined {
  const documents: Node[] = []
  while (walk.at < walk.events.length) {
    const root = documentFrom(walk)
    if (root === unknown) return undefined
    if (!(root.is === 'scalar' && root.value === null)) documents.push(root)
  }
  return documents
}

function documentFrom(walk: Walk): Node | typeof unknown {
  const start = next(walk)
  if (start?.type !== EVENT_ID.DOCUMENT || start.directives.length > 0) return unknown
  const root = nodeFrom(walk, next(walk))
  return next(walk)?.type === EVENT_ID.POP ? root : unknown
}

function next(walk: Walk): Event | undefined {
  const event = walk.events[walk.at]
  walk.at += 1
  return event
}

/** The node that starts with this event. */
function nodeFrom(walk: Walk, event: Event | undefined): Node | typeof unknown {
  switch (event?.type) {
    case EVENT_ID.SCALAR:
      return isPlain(event) ? scalarFrom(walk, event) : unknown
    case EVENT_ID.SEQUENCE:
      return isPlain(event) ? listFrom(walk, event) : unknown
    case EVENT_ID.MAPPING:
      return isPlain(event) ? mapFrom(walk, event) : unknown
    default:
      return unknown
  }
}

/** Whether a value has neither anchor nor tag. */
const isPlain = (event: ScalarEvent | SequenceEvent | MappingEvent): boolean =>
  event.anchorStart < 0 && event.tagStart < 0

function listFrom(walk: Walk, { start }: SequenceEvent): Node | typeof unknown {
  const items: Node[] = []
  for (let event = next(walk); event?.type !== EVENT_ID.POP; event = next(walk)) {
    const item = nodeFrom(walk, event)
    if (item === unknown) return unknown
    items.push(item)
  }
  return { is: 'list', items, mark: { source: walk.source, start, end: walk.end } }
}

function mapFrom(walk: Walk, { start, style }: MappingEvent): Node | typeof unknown {
  const entries: Entry[] = []
  const keys = new Set<string>()
  for (let event = next(walk); event?.type !== EVENT_ID.POP; event = next(walk)) {
    if (event?.type !== EVENT_ID.SCALAR || !isPlain(event) || !isSimpleKey(walk, event)) return unknown
    if (style === COLLECTION_STYLE.BLOCK && entries.length > 0 && !isFirstOnLine(walk, event)) return unknown
    const key = getScalarValue(walk.source.text, event)
    const mark = markOf(walk, event)
    const value = nodeFrom(walk, next(walk))
    if (mark === unknown || value === unknown || keys.has(key)) return unknown
    keys.add(key)
    entries.push({ key, mark, value })
  }
  return { is: 'map', entries, mark: { source: walk.source, start, end: walk.end } }
}

function isFirstOnLine({ source }: Walk, { valueStart, style }: ScalarEvent): boolean {
  let before = style === SCALAR_STYLE.PLAIN ? valueStart - 1 : valueStart - 2
  while (source.text[before] === ' ') before -= 1
  return source.text[before] === '\n'
}

/** Longer keys, and keys of several lines, are mistakes that only the other way reports. */
const longestKey = 1000

function isSimpleKey({ source }: Walk, { valueStart, valueEnd, style }: ScalarEvent): boolean {
  if (valueStart < 0 || valueEnd - valueStart > longestKey) return false
  if (style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK) return false
  const written = source.text.slice(valueStart, valueEnd)
  return !written.includes('\n') && !(style === SCALAR_STYLE.PLAIN && written === '<<')
}

function scalarFrom(walk: Walk, scalar: ScalarEvent): ScalarNode | typeof unknown {
  // Where a value that is not written would stand is known to the other way alone.
  if (scalar.valueStart < 0) return unknown
  const mark = markOf(walk, scalar)
  if (mark === unknown) return unknown
  if (scalar.style === SCALAR_STYLE.DOUBLE_QUOTED && mayJoinLines(walk, scalar)) return unknown
  const text = getScalarValue(walk.source.text, scalar)
  const value = scalar.style === SCALAR_STYLE.PLAIN ? plainValue(text) : text
  return { is: 'scalar', value, from: 'text', mark }
}

/** A backslash at the end of a line joins it with the next one, or with the next but one. */
const mayJoinLines = ({ source }: Walk, { valueStart, valueEnd, fast }: ScalarEvent): boolean =>
  !fast && source.text.slice(valueStart, valueEnd).includes('\n')

/** The place as the `yaml` package tells it: with the quotes, or from the header of a block to its last line. */
function markOf(walk: Walk, { valueStart, valueEnd, style, chomping, fast }: ScalarEvent): Mark | typeof unknown {
  const { source } = walk
  switch (style) {
    case SCALAR_STYLE.PLAIN:
      if (!fast && source.text.slice(walk.end, valueStart).includes('#')) return unknown
      walk.end = valueEnd
      return { source, start: valueStart, end: valueEnd }
    case SCALAR_STYLE.SINGLE_QUOTED:
    case SCALAR_STYLE.DOUBLE_QUOTED:
      walk.end = valueEnd + 1
      return { source, start: valueStart - 1, end: valueEnd + 1 }
    case SCALAR_STYLE.LITERAL_BLOCK:
    case SCALAR_STYLE.FOLDED_BLOCK: {
      const between = source.text.slice(walk.end, valueStart)
      const header = /^[^#|>]*[|>](?!.?[0-9])/.exec(between)
      if (!header || isBlank(source.text, valueStart, valueEnd)) return unknown
      const start = walk.end + header[0].length - 1
      const last = lastOfText(source.text, valueStart, valueEnd)
      if (endsInBlanks(source.text, last)) return unknown
      const kept = chomping === CHOMPING_MODE.KEEP ? valueEnd : endOfLine(source.text, last, valueEnd)
      walk.end = kept
      return { source, start, end: kept }
    }
  }
}

/** A block without any text, or with a written indentation, means different things to different readers. */
const isBlank = (text: string, start: number, end: number): boolean => text.slice(start, end).trim() === ''

/** Behind the last character that is seen. */
function lastOfText(text: string, start: number, end: number): number {
  let last = end
  while (last > start && (text[last - 1] === '\n' || text[last - 1] === ' ')) last -= 1
  return last
}

function endOfLine(text: string, last: number, end: number): number {
  const lineBreak = text.indexOf('\n', last)
  return lineBreak === -1 || lineBreak >= end ? end : lineBreak + 1
}

/** Lines of blanks below a block may belong to it, or not. */
function endsInBlanks(text: string, last: number): boolean {
  let next = last
  while (text[next] === '\n' || text[next] === ' ') next += 1
  const between = text.slice(last, next)
  return /\n +\n/.test(between) || (next === text.length && /\n +$/.test(between))
}

/** What begins differently is text, whatever follows. */
const mayBeNoText = /^[-+.0-9~nNtTfF]/
const nothing = /^(?:~|[Nn]ull|NULL)$/
const yes = /^(?:[Tt]rue|TRUE)$/
const no = /^(?:[Ff]alse|FALSE)$/
const decimal = /^[-+]?[0-9]+$/
const octal = /^0o[0-7]+$/
const hexadecimal = /^0x[0-9a-fA-F]+$/
const fraction = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
const infinity = /^[-+]?\.(?:inf|Inf|INF)$/
const notNumber = /^\.(?:nan|NaN|NAN)$/

/** The core schema of YAML 1.2. */
function plainValue(text: string): ScalarNode['value'] {
  if (!mayBeNoText.test(text)) return text
  if (decimal.test(text)) return Number.parseInt(text, 10)
  if (yes.test(text)) return true
  if (no.test(text)) return false
  if (nothing.test(text)) return null
  if (fraction.test(text)) return Number.parseFloat(text)
  if (octal.test(text)) return Number.parseInt(text.slice(2), 8)
  if (hexadecimal.test(text)) return Number.parseInt(text.slice(2), 16)
  if (infinity.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return notNumber.test(text) ? Number.NaN : text
}
