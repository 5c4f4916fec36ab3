import stringWidth from 'fast-string-width'
import { printable } from '../json/printable.js'
import type { Colours } from './colours.js'

/** How a table is shown. */
export interface TableForm {
  /** The width of the terminal; undefined if lines have no limit. */
  readonly columns?: number | undefined
}

/** How a text is shown on a terminal. */
export interface TextForm extends TableForm {
  readonly colours: Colours
}

/**
 * Rows of cells, in which every character is visible. Each column is as wide as its widest cell, and no spaces follow the last
 * cell. If rows are too wide, the cells that do not fit are on indented lines below.
 */
export function alignedLines(
  cells: readonly (readonly string[])[],
  { columns = unlimited }: TableForm = {},
): readonly string[] {
  const rows = cells.map((row) => row.map(printable))
  const widths = widestOf(rows)
  const beside = fittingCells(widths, columns)
  return rowsOf(
    rows.map((row) => ({ row, beside })),
    widths,
    columns,
  ).flat()
}

/**
 * A table with a head. A row whose first cell leaves no space for the second does not widen the columns. If several columns do
 * not fit, their cells are on lines below, each with its title.
 */
export function titledLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { colours, columns = unlimited }: TextForm,
): readonly string[] {
  const titles = head.map(printable)
  const cells = rows.map((row) => row.map(printable))
  const isAlone = (row: readonly string[]) =>
    row.length > 1 && fittingCells(row.slice(0, 2).map(widthOf), columns) === 1
  const together = cells.filter((row) => !isAlone(row))
  const widths = widestOf([titles, ...together])
  const beside = together.length === 0 && cells.length > 0 ? 1 : fittingCells(widths, columns)
  const besideIn = (row: readonly string[]) => (isAlone(row) ? 1 : beside)
  const needsTitle = (row: readonly string[]) => titles.length - besideIn(row) > 1
  const titled = (row: readonly string[]) =>
    row.map((cell, column) => (column < besideIn(row) ? cell : titledCell(titles[column], cell)))
  const [title = '', ...lines] = rowsOf(
    [
      { row: needsTitle(titles) ? titles.slice(0, beside) : titles, beside },
      ...cells.map((row) => ({ row: needsTitle(row) ? titled(row) : row, beside: besideIn(row) })),
    ],
    widths,
    columns,
  ).flat()
  return [colours.bold(title), ...lines]
}

const titledCell = (title = '', cell: string): string => (title === '' || cell === '' ? cell : `${title}: ${cell}`)

/**
 * Like `alignedLines`, but row by row: only a row that is too wide has its last cells on lines below, and it does not widen the
 * columns.
 */
export function alignedRows(
  cells: readonly (readonly string[])[],
  { columns = unlimited }: TableForm,
): readonly (readonly string[])[] {
  const rows = cells.map((row) => row.map(printable))
  const fitting = rows.filter((row) => fittingCells(row.map(widthOf), columns) === row.length)
  const widths = widestOf(fitting)
  const besideIn = (row: readonly string[]) =>
    fittingCells(
      row.map((cell, column) => Math.max(widthOf(cell), column < row.length - 1 ? (widths[column] ?? 0) : 0)),
      columns,
    )
  return rowsOf(
    rows.map((row) => ({ row, beside: besideIn(row) })),
    widths,
    columns,
  )
}

const unlimited = Number.POSITIVE_INFINITY

/** The number of terminal columns that a text needs. */
export const widthOf = (text: string): number => stringWidth(text)

function widestOf(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))
    })
  }
  return widths
}

/** The number of cells with these widths that fit on a line; at least one. */
function fittingCells(widths: readonly number[], columns: number): number {
  let width = 0
  const tooMany = widths.findIndex((each) => {
    width += each + 2
    return width - 2 > columns
  })
  return tooMany === -1 ? widths.length : Math.max(1, tooMany)
}

/** Rows in columns of these widths, with the first `beside` cells on one line. */
function rowsOf(
  rows: readonly { readonly row: readonly string[]; readonly beside: number }[],
  widths: readonly number[],
  columns: number,
): readonly (readonly string[])[] {
  return rows.map(({ row, beside }) => {
    const line = row
      .slice(0, beside)
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd()
    const below = row.slice(beside).filter((cell) => cell !== '')
    return below.length === 0 ? [line] : [line, ...wrapped(below.join('  '), columns)]
  })
}

const indent = '    '

/**
 * A text, wrapped to lines. All lines after the first are indented; a word that is longer than a line is not broken. `margin`:
 * the number of spaces before all lines.
 */
export function wrappedText(
  text: string,
  { columns = unlimited, margin = 0 }: TableForm & { readonly margin?: number },
): readonly string[] {
  const before = ' '.repeat(margin)
  // The first line is not indented.
  const lines = wrapped(text, columns - margin).map((line, index) => (index === 0 ? line.slice(indent.length) : line))
  return lines.map((line) => `${before}${line}`)
}

/** The words on indented lines. A word that is longer than a line is not broken. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && widthOf(indent + longer) > columns) {
      lines.push(indent + line.trimEnd())
      line = word
    } else line = longer
  }
  return [...lines, indent + line.trimEnd()]
}

/** The text with spaces after it, up to a width in terminal columns. */
export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** The beginning of a text that fits into that many terminal columns. */
export function beginningOf(text: string, columns: number): string {
  const characters = [...text].slice(0, columns)
  while (widthOf(characters.join('')) > columns) characters.pop()
  return characters.join('')
}
