import { describe, expect, it } from 'vitest'
import { diagnosticsDocument } from '../../src/documents/diagnostics.js'
import { placeOf } from '../../src/manifest/source.js'
import type { Problem } from '../../src/problems/problem.js'
import { plainColours } from '../../src/report/colours.js'
import { problemsJson, problemsMarkdown, problemsText } from '../../src/report/problems.js'

const source = { file: 'manifests/a.yaml', text: 'kind: Service\nmetadata:\n  nam: Orders\n' }
const place = placeOf({ source, start: 26, end: 29 })

const problems: readonly Problem[] = [
  { code: 'unknown-field', severity: 'error', message: 'metadata has no "nam"', place, hint: 'did you mean "name"?' },
  {
    code: 'duplicate-object',
    severity: 'error',
    message: 'declared twice',
    place,
    related: [{ message: 'first here', place: { file: 'b.yaml', line: 1, column: 2 } }],
  },
  { code: 'skipped-document', severity: 'warning', message: 'something | else', hint: 'first line\nsecond line' },
]

describe('problems', () => {
  it('without a position and with the same hint are listed together, with one hint', () => {
    const left = (message: string, hint: string): Problem => ({
      code: 'cannot-undo',
      severity: 'warning',
      message,
      hint,
    })
    const told = [left('A stays', 'do this'), left('B stays', 'do this'), left('C stays', 'do that')]
    expect(problemsText(told, { colours: plainColours }).output).toBe(`warning: A stays [cannot-undo]
warning: B stays [cannot-undo]
  hint: do this

warning: C stays [cannot-undo]
  hint: do that

3 warnings
`)
  })

  it('as text have position, code, frame, hint and other positions, and are counted', () => {
    expect(
      problemsText(problems, { colours: plainColours }).output,
    ).toBe(`manifests/a.yaml:3:3: error: metadata has no "nam" [unknown-field]
  2 | metadata:
> 3 |   nam: Orders
    |   ^
  hint: did you mean "name"?

manifests/a.yaml:3:3: error: declared twice [duplicate-object]
  2 | metadata:
> 3 |   nam: Orders
    |   ^
  b.yaml:1:2: first here

warning: something | else [skipped-document]
  hint: first line
        second line

2 errors, 1 warning
`)
  })

  it('as text list the first ten positions of one problem, and count the others', () => {
    const at = (line: number) => ({ message: 'another', place: { file: 'b.yaml', line, column: 1 } })
    const [first] = problems
    const text = (count: number) => {
      const related = Array.from({ length: count }, (_, index) => at(index + 1))
      return problemsText(first ? [{ ...first, related }] : [], { colours: plainColours }).output
    }
    expect(text(5000)).toContain('  b.yaml:10:1: another\n  and 4990 more, which -o json has\n  hint:')
    expect(text(10)).toContain('  b.yaml:10:1: another\n  hint:')
  })

  it('as text are the first hundred of each severity and code, and the others are counted', () => {
    const [first, , other] = problems
    if (!first || !other) throw new Error('no problems')
    const output = (count: number) => {
      const many = Array.from({ length: count }, (_, index) => ({ ...first, message: `problem ${index}.` }))
      return problemsText([...many, other], { colours: plainColours }).output
    }
    expect(output(100)).not.toContain('more')
    expect(output(100)).toContain('problem 99.')
    expect(output(102)).not.toContain('problem 100.')
    expect(output(102)).toMatch(
      /\n\nand 2 more errors \[unknown-field\], which -o json has\n\n102 errors, 1 warning\n$/,
    )
    expect(output(101)).toContain('\nand 1 more error [unknown-field], which -o json has\n')
    expect(output(101)).toContain('something | else')
  })

  it('as text mark the position below it, however wide the text before it is, and within the terminal', () => {
    const framed = (text: string, word: string, columns?: number) => {
      const start = text.indexOf(word)
      const at = placeOf({ source: { file: 'a.yaml', text }, start, end: start + word.length })
      const problem: Problem = { code: 'unknown-field', severity: 'error', message: 'no', place: at }
      const { output } = problemsText([problem], { colours: plainColours, columns })
      return output.split('\n').filter((line) => /^[> ] [ \d]+ \|/.test(line))
    }
    expect(framed('a: {注文: 1,\tqps: 2}', 'qps')).toEqual(['> 1 | a: {注文: 1, qps: 2}', '    |              ^'])
    const long = `{first: ${'a '.repeat(20)}, qps: 5, ${'b '.repeat(20)}}`
    expect(framed(`# one\n${long}`, 'qps', 40)).toEqual([
      '  1 | #***',
      '> 2 | …a a a a a a a , qps: 5, b b b b …',
      '    |                  ^',
    ])
    expect(framed(long, 'first', 20)).toEqual(['> 1 | {first: a a a…', '    |  ^'])
    expect(framed('é👩‍👩‍👧: {qps: 5}', 'qps')).toEqual(['> 1 | é👩‍👩‍👧: {qps: 5}', '    |       ^'])
  })

  it('as text are empty if there are none', () => {
    expect(problemsText([], { colours: plainColours }).output).toBe('')
  })

  it('as JSON are diagnostics', () => {
    expect(JSON.parse(problemsJson(problems).output)).toEqual({
      format: 'gatewright.diagnostics/1',
      diagnostics: [
        {
          code: 'unknown-field',
          severity: 'error',
          message: 'metadata has no "nam"',
          file: 'manifests/a.yaml',
          line: 3,
          column: 3,
          hint: 'did you mean "name"?',
        },
        {
          code: 'duplicate-object',
          severity: 'error',
          message: 'declared twice',
          file: 'manifests/a.yaml',
          line: 3,
          column: 3,
          related: [{ message: 'first here', file: 'b.yaml', line: 1, column: 2 }],
        },
        { code: 'skipped-document', severity: 'warning', message: 'something | else', hint: 'first line\nsecond line' },
      ],
    })
  })

  it('as Markdown are a list', () => {
    const { output } = problemsMarkdown(diagnosticsDocument(problems))
    expect(output).toMatch(
      /^### gatewright: 2 errors, 1 warning\n\n- \*\*error\*\* `manifests\/a.yaml:3` metadata has no "nam" \(`unknown-field`\)/,
    )
    expect(output).toContain('- **warning** something \\| else (`skipped-document`)<br>first line<br>second line\n')
  })
})
