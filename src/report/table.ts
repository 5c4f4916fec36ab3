import stringWidth from 'fast-string-width'
import { printable } from '../json/printable.js'

/** Lines of cells, in which every character shows, each column as wide as its widest cell; nothing stands behind the last one. */
export function alignedLines(cells: readonly (readonly string[])[]): readonly string[] {
  const rows = cells.map((row) => row.map(printable))
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell))
    })
  }
  return rows.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** The text with blanks behind it, as wide as a terminal shows it. */
export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)))
