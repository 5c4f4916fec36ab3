import { CHOMPING_MODE, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'

/** The offset behind blanks, line breaks and comments. */
export function behindGap(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    if (isWhiteSpace(text.charCodeAt(at))) at += 1
    else if (text[at] === '#' && isWhiteSpace(text.charCodeAt(at - 1))) at = endOfLine(text, at)
    else break
  }
  return at
}

const isWhiteSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

function endOfLine(text: string, from: number): number {
  const lineBreak = text.indexOf('\n', from)
  return lineBreak === -1 ? text.length : lineBreak
}

/** The value of a scalar as text. */
export function textOfScalar(text: string, scalar: ScalarEvent): string {
  if (scalar.style !== SCALAR_STYLE.DOUBLE_QUOTED || scalar.fast) return getScalarValue(text, scalar)
  return joinedText(text, scalar)
}

/**
 * A backslash at the end of a line joins the line with the next one. Empty lines between them are line breaks, which the package
 * loses: it gets the pieces one by one.
 */
function joinedText(text: string, scalar: ScalarEvent): string {
  const written = text.slice(scalar.valueStart, scalar.valueEnd)
  const pieces: string[] = []
  let start = 0
  for (const { 0: found, 1: gap, index } of written.matchAll(/\\(?:\r?\n([ \t\r\n]*)|[\s\S])/g)) {
    if (gap === undefined) continue
    pieces.push(valueBetween(text, scalar, start, index), '\n'.repeat(gap.split('\n').length - 1))
    start = index + found.length
  }
  return [...pieces, valueBetween(text, scalar, start, written.length)].join('')
}

const valueBetween = (text: string, scalar: ScalarEvent, start: number, end: number): string =>
  getScalarValue(text, { ...scalar, valueStart: scalar.valueStart + start, valueEnd: scalar.valueStart + end })

/** The offset of a block's header, in the last line before the text of the block; `from`: the end of the text before it. */
export function blockHeader(text: string, { valueStart }: ScalarEvent, from: number): number {
  const line = Math.max(from, text.lastIndexOf('\n', valueStart - 2) + 1)
  const found = /[|>][-+0-9]*(?:[ \t]*|[ \t]+#.*)\r?\n?$/.exec(text.slice(line, valueStart))
  return line + (found?.index ?? 0)
}

/** The offset behind the last line of a block that belongs to its text. */
export function blockEnd(text: string, { valueStart, valueEnd, chomping }: ScalarEvent): number {
  if (chomping === CHOMPING_MODE.KEEP) return valueEnd
  let last = valueEnd
  while (last > valueStart && isWhiteSpace(text.charCodeAt(last - 1))) last -= 1
  return last === valueStart ? valueStart : Math.min(endOfLine(text, last) + 1, valueEnd)
}
