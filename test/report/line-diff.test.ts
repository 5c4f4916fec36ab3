import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffOfLines } from '../../src/report/line-diff.js'

const side = (lines: ReturnType<typeof diffOfLines>, mark: '+' | '-') =>
  lines.flatMap((line) => (line.mark === ' ' || line.mark === mark ? [line.text] : [])).join('')

const words = (lines: ReturnType<typeof diffOfLines>) => lines.map(({ mark, text }) => mark + text.trimEnd())

/** The length of the longest common subsequence, by the textbook algorithm. */
function common(a: readonly string[], b: readonly string[]): number {
  let row = b.map(() => 0)
  for (const one of a) {
    const next: number[] = []
    for (const [index, other] of b.entries()) {
      next.push(one === other ? (row[index - 1] ?? 0) + 1 : Math.max(row[index] ?? 0, next[index - 1] ?? 0))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', '', 'e\r'), { maxLength: 12 })
  .map((lines) => lines.join('\n'))

test('it contains both texts, and no more changed lines than necessary', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffOfLines(before, after)
      expect([side(lines, '-'), side(lines, '+')]).toEqual([before, after])
      const parts = (each: string) => each.match(/[^\n]*\n|[^\n]+$/g) ?? []
      expect(lines.filter(({ mark }) => mark === ' ')).toHaveLength(common(parts(before), parts(after)))
    }),
    { numRuns: 300 },
  )
})

test('a removed line comes before the line that replaces it', () => {
  expect(words(diffOfLines('one\ntwo\nthree\n', 'one\n2\n2b\nthree\n'))).toEqual([
    ' one',
    '-two',
    '+2',
    '+2b',
    ' three',
  ])
})

test('texts with lines in a completely different order are displayed one after the other, between their common lines', () => {
  const numbers = Array.from({ length: 1000 }, (_, index) => `${index}\n`)
  const lines = diffOfLines(`start\n${numbers.join('')}end\n`, `start\n${numbers.toReversed().join('')}end\n`)
  expect(lines).toHaveLength(2002)
  expect(words(lines).slice(0, 2)).toEqual([' start', '-0'])
  expect(words(lines).slice(-2)).toEqual(['+0', ' end'])
})
