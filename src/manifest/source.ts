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
  const column = mark.start - (starts[line - 1] ?? 0) + 1
  return { file: mark.source.file, line, column, frame: frameAt(mark.source.text, starts, line, column) }
}

// Kept per source: a large file may have thousands of findings.
const known = new WeakMap<Source, readonly number[]>()

function lineStartsOf(source: Source): readonly number[] {
  const found = known.get(source)
  if (found) return found
  const starts = [0]
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

function frameAt(text: string, starts: readonly number[], line: number, column: number): string {
  const width = String(line).length
  const shown = line === 1 ? [line] : [line - 1, line]
  const lines = shown.map((number) => {
    const content = text.slice(starts[number - 1], starts[number]).replace(/\r?\n$/, '')
    return `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${content}`.trimEnd()
  })
  return [...lines, `  ${' '.repeat(width)} | ${' '.repeat(column - 1)}^`].join('\n')
}
