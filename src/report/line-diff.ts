import { diffArrays } from 'diff'

/** One line of a changed text, or one entry of a changed list. */
export interface Line {
  readonly mark: '+' | '-' | ' '
  readonly text: string
}

/**
 * The smallest difference between two texts, in lines with their line ends. If the order of more than `maxMoves` common lines
 * differs, the texts are shown one after the other: so the work is proportional to their size, and the same input gives the same
 * bytes, which a time limit would not guarantee.
 */
export function diffOfLines(before: string, after: string): readonly Line[] {
  const [old, next] = [linesOf(before), linesOf(after)]
  const lines: Line[] = []
  let [atOld, atNext] = [0, 0]
  const upTo = (oldEnd: number, nextEnd: number): void => {
    for (; atOld < oldEnd; atOld += 1) lines.push({ mark: '-', text: old[atOld] ?? '' })
    for (; atNext < nextEnd; atNext += 1) lines.push({ mark: '+', text: next[atNext] ?? '' })
  }
  for (const [inOld, inNext] of samePairs(old, next)) {
    upTo(inOld, inNext)
    lines.push({ mark: ' ', text: old[inOld] ?? '' })
    atOld += 1
    atNext += 1
  }
  upTo(old.length, next.length)
  return lines
}

const maxMoves = 200

const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

type LinePair = readonly [old: number, next: number]

/** The positions of the unchanged lines, in order. */
function samePairs(old: readonly string[], next: readonly string[]): readonly LinePair[] {
  const shorter = Math.min(old.length, next.length)
  let start = 0
  while (start < shorter && old[start] === next[start]) start += 1
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1
  const pairsFrom = (from: number, length: number, shift: number) =>
    Array.from({ length }, (_, index): LinePair => [from + index, from + index + shift])
  return [
    ...pairsFrom(0, start, 0),
    ...middlePairs(range(start, old.length - end), range(start, next.length - end), { old, next }),
    ...pairsFrom(old.length - end, end, next.length - old.length),
  ]
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

interface LineSides {
  readonly old: readonly string[]
  readonly next: readonly string[]
}

/**
 * The unchanged lines of the middle part. Lines that only one side has are skipped: they cannot be unchanged, and few others
 * remain unless lines were moved.
 */
function middlePairs(
  ofOld: readonly number[],
  ofNext: readonly number[],
  { old, next }: LineSides,
): readonly LinePair[] {
  const textsOf = (places: readonly number[], side: readonly string[]) => new Set(places.map((place) => side[place]))
  const [oldTexts, nextTexts] = [textsOf(ofOld, old), textsOf(ofNext, next)]
  const inOld = ofOld.filter((place) => nextTexts.has(old[place]))
  const inNext = ofNext.filter((place) => oldTexts.has(next[place]))
  if (inOld.length === 0) return []
  const parts = diffArrays(
    inOld.map((place) => old[place]),
    inNext.map((place) => next[place]),
    { maxEditLength: maxMoves },
  )
  const pairs: LinePair[] = []
  let [atOld, atNext] = [0, 0]
  for (const { added, removed, count } of parts ?? []) {
    if (!added && !removed) {
      for (let index = 0; index < count; index += 1) {
        pairs.push([inOld[atOld + index] ?? 0, inNext[atNext + index] ?? 0])
      }
    }
    if (!added) atOld += count
    if (!removed) atNext += count
  }
  return pairs
}
