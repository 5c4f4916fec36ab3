import type { Place } from '../problem.js'

/** One text that manifests were read from; `file` is shown as given, relative to where the program runs. */
export interface Source {
  readonly file: string
  readonly text: string
}

/** A range of a source by offsets; line and column are computed only when a message needs them. */
export interface Mark {
  readonly source: Source
  readonly start: number
  readonly end: number
}

/** Line and column of a mark, with the lines around it. */
export function placeOf(mark: Mark): Place {
  const starts = lineStartsOf(mark.source)
  const line = lineAt(starts, mark.start)
  const column = Math.max(mark.start - (starts[line - 1] ?? 0), 0) + 1
  return { file: mark.source.file, line, column, frame: frameAt(mark.source, starts, line, column) }
}

// Kept per source: a large file may have thousands of findings.
const known = new WeakMap<Source, readonly number[]>()

function lineStartsOf(source: Source): readonly number[] {
  const found = known.get(source)
  if (found) return found
  // A byte order mark is no column of the first line: no editor counts it.
  const starts = [source.text.startsWith('\uFEFF') ? 1 : 0]
  for (let end = source.text.indexOf('\n'); end !== -1; end = source.text.indexOf('\n', end + 1)) starts.push(end + 1)
  known.set(source, starts)
  return starts
}

/** The number, from 1, of the line that the offset falls into. */
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

function frameAt(source: Source, starts: readonly number[], line: number, column: number): string {
  const width = String(line).length
  const shown = line === 1 ? [line] : [line - 1, line]
  const lines = shown.map((number) => {
    const content = visible(source, starts[number - 1] ?? 0, starts[number] ?? source.text.length)
    return `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${content.replace(/\r?\n$/, '')}`.trimEnd()
  })
  const start = starts[line - 1] ?? 0
  const before = visible(source, start, start + column - 1).length
  return [...lines, `  ${' '.repeat(width)} | ${' '.repeat(before)}^`].join('\n')
}

// Ranges that no frame may show, kept beside the source: whoever asks for a place later gets it masked as well.
const hidden = new WeakMap<Source, Mark[]>()

/** From now on no frame shows what stands there: a secret written in clear. */
export function hide(mark: Mark): void {
  const marks = hidden.get(mark.source)
  if (marks) marks.push(mark)
  else hidden.set(mark.source, [mark])
}

/** A stretch of the text with what is hidden in it replaced by three stars, whatever its length. */
function visible(source: Source, from: number, to: number): string {
  const ranges = (hidden.get(source) ?? []).filter((range) => range.start < to && range.end > from)
  let shown = ''
  let at = from
  for (const range of ranges.sort((left, right) => left.start - right.start)) {
    if (range.end <= at) continue
    const text = source.text.slice(Math.max(range.start, at), Math.min(range.end, to))
    shown += `${source.text.slice(at, Math.max(range.start, at))}***${text.endsWith('\n') ? '\n' : ''}`
    at = Math.min(range.end, to)
  }
  return shown + source.text.slice(at, to)
}

/** The same place with its frame made anew, to leave out what was hidden since. */
export function reframed(place: Place, source: Source): Place {
  return { ...place, frame: frameAt(source, lineStartsOf(source), place.line, place.column) }
}
