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
  const { text, file } = mark.source
  const before = text.slice(0, mark.start)
  const line = before.split('\n').length
  const column = mark.start - (before.lastIndexOf('\n') + 1) + 1
  return { file, line, column, frame: frameAt(text, line, column) }
}

function frameAt(text: string, line: number, column: number): string {
  const lines = text.split(/\r?\n/)
  const first = Math.max(1, line - 1)
  const width = String(line).length
  const shown = lines.slice(first - 1, line).map((content, index) => {
    const number = first + index
    return `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${content}`.trimEnd()
  })
  return [...shown, `  ${' '.repeat(width)} | ${' '.repeat(column - 1)}^`].join('\n')
}
