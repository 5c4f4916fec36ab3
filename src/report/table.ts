import stringWidth from 'fast-string-width'
import { printable } from '../json/printable.js'

/** How a table is shown. */
export interface TableForm {
  /** How wide the terminal is; undefined where nothing limits the lines. */
  readonly columns?: number | undefined
}

/**
 * Lines of cells, in which every character shows, each column as wide as its widest cell; nothing stands behind the last one.
 * Where they are too wide, the cells that do not fit go below the others of their row, indented.
 */
export function alignedLines(cells: readonly (readonly string[])[], { columns }: TableForm = {}): readonly string[] {
  const rows = cells.map((row) => row.map(printable))
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell))
    })
  }
  const fitting = columns === undefined ? widths.length : fittingColumns(widths, columns)
  return rows.flatMap((row) => {
    const line = row
      .slice(0, fitting)
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd()
    const below = row.slice(fitting).filter((cell) => cell !== '')
    return below.length === 0 ? [line] : [line, ...wrapped(below.join('  '), columns ?? 0)]
  })
}

/** How many columns stand beside each other; the first one always does. */
function fittingColumns(widths: readonly number[], columns: number): number {
  let width = 0
  const tooMany = widths.findIndex((each) => {
    width += each + 2
    return width - 2 > columns
  })
  return tooMany === -1 ? widths.length : Math.max(1, tooMany)
}

const indent = '    '

/** Words on as many indented lines as they need; a word that is wider than that stays whole. */
function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && stringWidth(indent + longer) > columns) {
      lines.push(indent + line.trimEnd())
      line = word
    } else line = longer
  }
  return [...lines, indent + line.trimEnd()]
}

/** The text with blanks behind it, as wide as a terminal shows it. */
export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)))
