import type { ScalarNode } from '../node.js'
import { type SourceRange, textOfRange } from '../source.js'

/**
 * The place of a part of a scalar; `start` and `end` are offsets in the value of the scalar. Quotes, escapes, folded lines and
 * the indentation of blocks are not in the value.
 */
export function rangeInside({ range, value }: ScalarNode, start: number, end: number): SourceRange {
  const text = String(value)
  const written = textOfRange(range)
  const offsets = offsetsOf(written, text)
  const at = (offset: number): number => range.start + (offsets[Math.min(offset, text.length)] ?? written.length)
  const from = at(start)
  return { source: range.source, start: from, end: Math.max(at(end), from) }
}

/** The written offset of each character of a text, and of its end. */
function offsetsOf(written: string, text: string): readonly number[] {
  switch (written[0]) {
    case '|':
    case '>':
      return inBlock(written, text)
    case '"':
      return inLines(written, text, { from: 1, stepAt: escapeAt })
    case "'":
      return inLines(written, text, { from: 1, stepAt: (at) => (written.startsWith("''", at) ? twoForOne : oneForOne) })
    default:
      return inLines(written, text, { from: 0, stepAt: () => oneForOne })
  }
}

/** How many written characters stand for how many characters of the text. */
interface TextStep {
  readonly written: number
  readonly text: number
}

const oneForOne: TextStep = { written: 1, text: 1 }
const twoForOne: TextStep = { written: 2, text: 1 }

/** For a quoted or plain text, on one line or folded: the break between two lines is a blank, and each empty line is a break. */
function inLines(
  written: string,
  text: string,
  { from, stepAt }: { readonly from: number; readonly stepAt: (at: number, written: string) => TextStep },
): readonly number[] {
  const offsets: number[] = []
  let at = from
  while (offsets.length < text.length && at < written.length) {
    const gap = /^[ \t]*\r?\n\s*/.exec(written.slice(at))?.[0]
    if (gap !== undefined) {
      const breaks = gap.split('\n').length - 1
      for (let each = 0; each < Math.max(1, breaks - 1); each += 1) offsets.push(at)
      at += gap.length
      continue
    }
    const step = stepAt(at, written)
    for (let each = 0; each < step.text; each += 1) offsets.push(at)
    at += step.written
  }
  return [...offsets, at]
}

const escapes: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 }

/** One step of a text in double quotes. */
function escapeAt(at: number, written: string): TextStep {
  if (written[at] !== '\\') return oneForOne
  const joined = /^\\\r?\n\s*/.exec(written.slice(at))?.[0]
  if (joined !== undefined) return { written: joined.length, text: 0 }
  const sign = written[at + 1] ?? ''
  const code = sign === 'U' ? Number.parseInt(written.slice(at + 2, at + 10), 16) : 0
  return { written: escapes[sign] ?? 2, text: code > 0xffff ? 2 : 1 }
}

/** For a block: its lines without their indentation; a folded break is a blank. */
function inBlock(written: string, text: string): readonly number[] {
  const offsets: number[] = []
  const body = written.indexOf('\n') + 1
  const indent = blanksBefore(written.slice(body)) - blanksBefore(text)
  let at = body + Math.min(indent, spacesAt(written, body))
  while (offsets.length < text.length && at < written.length) {
    const lineBreak = /^\r?\n/.exec(written.slice(at, at + 2))?.[0]
    if (lineBreak === undefined) {
      offsets.push(at)
      at += 1
      continue
    }
    const isFolded = text[offsets.length] === ' '
    const breaks = isFolded ? 1 : (/^\n+/.exec(text.slice(offsets.length))?.[0].length ?? 1)
    for (let each = 0; each < breaks; each += 1) offsets.push(at)
    // Empty lines are only breaks.
    const empty = /^(?:\r?\n[ \t]*(?=\r?\n))*\r?\n/.exec(written.slice(at))?.[0] ?? lineBreak
    at += empty.length
    at += Math.min(indent, spacesAt(written, at))
  }
  return [...offsets, Math.min(at, written.length)]
}

const spacesAt = (written: string, at: number): number => /^ */.exec(written.slice(at))?.[0].length ?? 0

/** The number of spaces before the first line with content. */
const blanksBefore = (lines: string): number => /^ *(?=[^ \t\r\n])/m.exec(lines)?.[0].length ?? 0
