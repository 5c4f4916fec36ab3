import type { Place } from '../problems/problem.js'
import { hiddenText } from '../secrets/hidden-words.js'

/** One text that manifests were read from; `file` is shown as given, relative to the working directory. */
export interface Source {
  readonly file: string
  readonly text: string
  /** Messages give only its name as the place: no user has seen its lines. */
  readonly lines?: 'none'
  /** Where its lines start. Computed for the first place, because a large file may have thousands of findings. */
  lineStarts?: readonly number[]
  /** Whether it uses values of layers. Computed once, because every field that differs asks for it. */
  takesValues?: boolean
  /** What no code frame shows. It is kept with the text, so that later frames mask it as well. */
  hidden?: HiddenRanges
}

/** A range of a source by offsets; line and column are computed only when a message needs them. */
export interface SourceRange {
  readonly source: Source
  readonly start: number
  readonly end: number
}

/** A text and its place. */
export interface LocatedText {
  readonly text: string
  readonly range: SourceRange
}

/** A JSON Pointer and its place. */
export interface LocatedPointer {
  readonly pointer: string
  readonly range: SourceRange
}

/** The text at a place. */
export const textOfRange = ({ source, start, end }: SourceRange): string => source.text.slice(start, end)

/** Whether a range contains another one, or equals it. */
export const holds = (outer: SourceRange, inner: SourceRange): boolean =>
  inner.source === outer.source && outer.start <= inner.start && inner.end <= outer.end

/** The same text for everything that was read from one place, such as what an alias repeats. */
export const startKey = ({ source, start }: SourceRange): string => `${source.file}:${start}`

/** Line and column of a range. The lines around it are made when they are shown, without what is hidden by then. */
export function placeOf({ source, start }: SourceRange): Place {
  if (source.lines === 'none') return { file: source.file, line: 1, column: 1, lines: 'none' }
  const starts = lineStartsOf(source)
  const line = lineAt(starts, start)
  const column = Math.max(start - (starts[line - 1] ?? 0), 0) + 1
  return {
    file: source.file,
    line,
    column,
    get frame() {
      return frameAt(source, starts, line, column)
    },
  }
}

function lineStartsOf(source: Source): readonly number[] {
  source.lineStarts ??= lineStartsIn(source.text)
  return source.lineStarts
}

function lineStartsIn(text: string): readonly number[] {
  // A byte order mark is not a column of its line: no editor counts it.
  const startAt = (offset: number): number => (text.startsWith('\uFEFF', offset) ? offset + 1 : offset)
  const starts = [startAt(0)]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(startAt(end + 1))
  return starts
}

/** The number, from 1, of the line that contains the offset. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return low + 1
}

/** The most characters of a line. Longer lines are shortened, so that a frame stays small: JSON may be on one line. */
const widest = 160

function frameAt(source: Source, starts: readonly number[], line: number, column: number): string {
  const width = String(line).length
  const at = (starts[line - 1] ?? 0) + column - 1
  const marked = stretchOf(source, starts, line, at)
  const displayed =
    line === 1 ? [] : [`  ${String(line - 1).padStart(width)} | ${stretchText(stretchOf(source, starts, line - 1, 0))}`]
  const displayedAt = Math.max(displayedOffset(source, at), marked.from)
  const before = stretchText({ ...marked, to: displayedAt, end: displayedAt }).length
  return [
    ...displayed.map((each) => each.trimEnd()),
    `> ${line} | ${stretchText(marked)}`.trimEnd(),
    `  ${' '.repeat(width)} | ${' '.repeat(before)}^`,
  ].join('\n')
}

/** The offset itself, or the start of the hidden range that contains it: the stars are there. */
function displayedOffset(source: Source, offset: number): number {
  const ranges = hiddenIn(source)
  return Math.min(ranges[firstBehind(ranges, offset)]?.start ?? offset, offset)
}

/** The part of a line that is shown: `from` and `to` are within `start` and `end`. */
interface SourceStretch {
  readonly source: Source
  readonly start: number
  readonly from: number
  readonly to: number
  readonly end: number
}

/** A whole line, or the part of a long one around an offset. */
function stretchOf(source: Source, starts: readonly number[], line: number, around: number): SourceStretch {
  const start = starts[line - 1] ?? 0
  const behind = starts[line] ?? source.text.length + 1
  const end = source.text[behind - 2] === '\r' ? behind - 2 : behind - 1
  if (end - start <= widest) return { source, start, from: start, to: end, end }
  const from = Math.min(Math.max(start, around - widest / 2), end - widest)
  return { source, start, from, to: from + widest, end }
}

const stretchText = ({ source, start, from, to, end }: SourceStretch): string =>
  `${from > start ? '…' : ''}${visible(source, from, to)}${to < end ? '…' : ''}`

/** A range of a text that no frame may show. */
interface HiddenRange {
  readonly start: number
  readonly end: number
}

/** From now on no frame shows this range: it is a secret, or may be one. */
export function hide({ source, start, end }: SourceRange): void {
  const known = knownIn(source)
  known.ranges.push({ start, end })
  known.isInOrder = false
}

interface HiddenRanges {
  ranges: HiddenRange[]
  isInOrder: boolean
}

function knownIn(source: Source): HiddenRanges {
  source.hidden ??= { ranges: commentsIn(source.text), isInOrder: true }
  return source.hidden
}

/**
 * Comments do not explain a mistake, and may contain a secret that somebody took out, so only the "#" is shown. A "#" in quotes
 * behind a key starts no comment.
 */
const commentsIn = (text: string): HiddenRange[] =>
  [...text.matchAll(quotedOrComment)].flatMap(({ 0: found, index }) =>
    found.startsWith('#') ? [{ start: index + 1, end: index + found.length }] : [],
  )

const quotedOrComment = /"(?<=:[ \t]+")(?:[^"\\\n]|\\.)*"|'(?<=:[ \t]+')(?:[^'\n]|'')*'|(?:^|(?<=[ \t]))#[^\n]+/gm

/** The hidden ranges in the order of the text, without overlaps. */
function hiddenIn(source: Source): readonly HiddenRange[] {
  const known = knownIn(source)
  if (!known.isInOrder) {
    known.ranges = separate(known.ranges)
    known.isInOrder = true
  }
  return known.ranges
}

function separate(ranges: readonly HiddenRange[]): HiddenRange[] {
  const joined: HiddenRange[] = []
  for (const range of [...ranges].sort((left, right) => left.start - right.start)) {
    const last = joined.at(-1)
    if (last && range.start <= last.end)
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else joined.push(range)
  }
  return joined
}

/** A part of a line in which each hidden range is replaced by three stars, whatever its length. */
function visible(source: Source, from: number, to: number): string {
  const ranges = hiddenIn(source)
  let displayed = ''
  let at = from
  for (let index = firstBehind(ranges, from); at < to; index += 1) {
    const range = ranges[index]
    if (!range || range.start >= to) break
    displayed += `${source.text.slice(at, range.start)}${hiddenText}`
    at = range.end
  }
  return displayed + source.text.slice(at, to)
}

/** The index of the first range that ends behind the offset. */
function firstBehind(ranges: readonly HiddenRange[], offset: number): number {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.end ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low
}
