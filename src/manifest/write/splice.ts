/** One stretch of a text and what takes its place. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Makes all replacements at once. Insertions at one place come in the order in which they were asked for; what lies
 * inside a stretch that goes is gone with it.
 */
export function spliced(text: string, splices: readonly Splice[]): string {
  const ordered = splices
    .map((splice, index) => ({ ...splice, index }))
    .sort(
      (left, right) => left.start - right.start || compareRanks(rank(left), rank(right)) || left.index - right.index,
    )
  let result = ''
  let at = 0
  for (const { start, end, text: replacement } of ordered) {
    if (start < at) continue
    result += text.slice(at, start) + replacement
    at = end
  }
  return result + text.slice(at)
}

/** At one place insertions come first, and then the longest stretch. */
const rank = ({ start, end }: Splice): number => (start === end ? Number.NEGATIVE_INFINITY : -end)

const compareRanks = (left: number, right: number): number => {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The column, from 0, in which an offset stands. */
export const columnOf = (text: string, offset: number): number => offset - lineStart(text, offset)

export const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1

/** Where the line after that of an offset begins; the end of the text if there is none. */
export function nextLine(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}
