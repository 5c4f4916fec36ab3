/** One range of a text, and the text that replaces it. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
  /** The indentation of inserted lines. At one place the deeper ones come first. */
  readonly depth?: number
}

/** Makes all replacements at once. Insertions at one place keep their order. Splices inside a removed range have no effect. */
export function spliced(text: string, splices: readonly Splice[]): string {
  const ordered = splices.map((splice, index) => ({ ...splice, index })).sort(byPosition)
  let result = ''
  let at = 0
  for (const { start, end, text: replacement } of ordered) {
    if (end <= at && start < at) continue
    // Two removed entries may both include the text between them.
    result += text.slice(at, Math.max(start, at)) + replacement
    at = end
  }
  return result + text.slice(at)
}

interface IndexedSplice extends Splice {
  readonly index: number
}

/** At one place, insertions come first, the deepest before the others, and then the longest range. */
function byPosition(left: IndexedSplice, right: IndexedSplice): number {
  const [one, other] = [left, right].map(({ start, end }) => (start === end ? 0 : 1))
  const bySort = (one ?? 0) - (other ?? 0)
  const byDepth = (right.depth ?? 0) - (left.depth ?? 0)
  return left.start - right.start || bySort || byDepth || right.end - left.end || left.index - right.index
}

/** The column of an offset, from 0. */
export const columnOf = (text: string, offset: number): number => offset - lineStart(text, offset)

/** A byte order mark is not a part of its line. */
export function lineStart(text: string, offset: number): number {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return start < offset && text[start] === '\uFEFF' ? start + 1 : start
}

/** The start of the line after an offset, or the offset if it starts a line; the end of the text if there is no other line. */
export function nextLine(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}

/** Gives new lines the line ends of the text. */
export function inLinesOf(text: string, splices: readonly Splice[]): readonly Splice[] {
  if (!text.includes('\r\n')) return splices
  return splices.map((splice) => ({ ...splice, text: splice.text.replaceAll('\n', '\r\n') }))
}
