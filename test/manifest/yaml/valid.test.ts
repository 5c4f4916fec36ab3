import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'
import type { Json } from '../../../src/json/json.js'
import { plain } from '../../../src/manifest/node.js'
import { readYaml } from '../../../src/manifest/yaml/read-yaml.js'

/**
 * The meaning of YAML 1.2, by the forms that manifests may have. The results are compared with the `yaml` package, which the
 * program does not use for reading.
 */

type Case = readonly [text: string, ...documents: readonly Json[]]

const groups: Readonly<Record<string, readonly Case[]>> = {
  'block mappings': [
    ['a: 1\n', { a: 1 }],
    ['a: b', { a: 'b' }],
    ['a:\n  b:\n    c: d\n  e: f\n', { a: { b: { c: 'd' }, e: 'f' } }],
    ['a:   \n  b:   1   \n\n\n  c: 2\n# end', { a: { b: 1, c: 2 } }],
    ['a:\nb: 1\n', { a: null, b: 1 }],
    ['a:', { a: null }],
    ['a: # nothing\nb:\n', { a: null, b: null }],
    ['"a": 1\n\'b\': 2\n', { a: 1, b: 2 }],
    ['a b c: 1\n', { 'a b c': 1 }],
    ['a : 1\n', { a: 1 }],
    ['? explicit\n: value\n', { explicit: 'value' }],
    ['? a\n: - b\n  - c\n', { a: ['b', 'c'] }],
    ['? |\n  block\n: value\n', { 'block\n': 'value' }],
    ['a:b: c\n', { 'a:b': 'c' }],
    ['a#b: c#d\n', { 'a#b': 'c#d' }],
    ['-a: -b\n?c: ?d\n:e: :f\n', { '-a': '-b', '?c': '?d', ':e': ':f' }],
  ],
  'block sequences': [
    ['- a\n- b\n', ['a', 'b']],
    ['a:\n- 1\n- two\n', { a: [1, 'two'] }],
    ['a:\n  - 1\n  -   b: c\n      d: e\n', { a: [1, { b: 'c', d: 'e' }] }],
    ['- - 1\n  - 2\n- - - 3\n', [[1, 2], [[3]]]],
    ['-\n  a: b\n-\n  - c\n', [{ a: 'b' }, ['c']]],
    ['-\n- a\n- # nothing\n', [null, 'a', null]],
    ['- a: 1\n  b:\n  - c\n  d: 2\n', [{ a: 1, b: ['c'], d: 2 }]],
    ['-\ta\n', ['a']],
    ['- "a": b\n', [{ a: 'b' }]],
  ],
  'flow collections': [
    ['{a: 1, b: [2, 3], "c": {d: e}}\n', { a: 1, b: [2, 3], c: { d: 'e' } }],
    ['[]', []],
    ['{}', {}],
    ['a: {}\nb: []\n', { a: {}, b: [] }],
    ['[a, b, ]\n', ['a', 'b']],
    ['{a: 1, }\n', { a: 1 }],
    ['{a: , b: 1}\n', { a: null, b: 1 }],
    ['{"a":1,"b":"c"}\n', { a: 1, b: 'c' }],
    ['[a: b, c]\n', [{ a: 'b' }, 'c']],
    ['["a":b]\n', [{ a: 'b' }]],
    ['a: [\n  1,\n  2, # two\n\n  3\n  ]\n', { a: [1, 2, 3] }],
    ['a: {\n  b: c,\n  d: "e\n  f"\n  }\n', { a: { b: 'c', d: 'e f' } }],
    ['{\n"a": [\n1\n]\n}\n', { a: [1] }],
    ['[a b, c  d]\n', ['a b', 'c  d']],
    ['{a: http://b/c?d=e#f}\n', { a: 'http://b/c?d=e#f' }],
    ['[-1, - 1, a-b]\n'.replace('- 1, ', ''), [-1, 'a-b']],
    ['{? a : b}\n', { a: 'b' }],
    ['a: {\n  b: c\n}\nd: [\n  e,\n  f,\n]\n', { a: { b: 'c' }, d: ['e', 'f'] }],
    [
      'a:\n  - b: {\r\n      c: [ # x\r\n        "#}", \'#\' # {\r\n\r\n # y\r\n      ]\r\n    }\r\n',
      { a: [{ b: { c: ['#}', '#'] } }] },
    ],
    ['- [\n  a\n]\n- {\n}\n', [['a'], {}]],
    ['a: {\n  b: >\n}\n'.replace('>', 'c d\n     e'), { a: { b: 'c d e' } }],
    ['a: {\n  b: "c\n  }\n  d"\n}\n', { a: { b: 'c } d' } }],
    ['a: [\n  b\n]\nc: |\n  }\n  ] # d\n  }\ne: >-\n  {\n  }\n', { a: ['b'], c: '}\n] # d\n}\n', e: '{ }' }],
    ['a: [\n  b\n]\nc: "\n  }"\n', { a: ['b'], c: ' }' }],
    ['a: {b:\tc,\td: "e\tf"}\t# g\nh:\t[i,\tj]\n', { a: { b: 'c', d: 'e\tf' }, h: ['i', 'j'] }],
    ['a: {\n  b: c\n}\n---\na: 1\n---\na: [\n]\n', { a: { b: 'c' } }, { a: 1 }, { a: [] }],
  ],
  'plain scalars': [
    ['text alone\n', 'text alone'],
    ['a: plain\n  goes on\n\n  after a gap\n', { a: 'plain goes on\nafter a gap' }],
    ['a: one\n two\n  three\n', { a: 'one two three' }],
    ['a: it\'s "so"\n', { a: 'it\'s "so"' }],
    ['a: b, c [d] {e}\n', { a: 'b, c [d] {e}' }],
    ['a: x!y x*y x&y x|y x>y x%y x@y\n', { a: 'x!y x*y x&y x|y x>y x%y x@y' }],
    ['a: http://example.com:8080/a?b=c#d\nb: 12:30:45\n', { a: 'http://example.com:8080/a?b=c#d', b: '12:30:45' }],
    ['a: \\n\n', { a: '\\n' }],
    ['äöü: €\nb: 😀\n', { äöü: '€', b: '😀' }],
    ['a: b \t\n', { a: 'b' }],
    ['a: b\n\tc\n'.replace('\t', ' \t'), { a: 'b c' }],
  ],
  'quoted scalars': [
    ['"quoted alone"', 'quoted alone'],
    ["''", ''],
    ['a: ""\n', { a: '' }],
    ["a: 'it''s'\nb: ''''\n", { a: "it's", b: "'" }],
    ['a: "\\u00e9 \\x41 \\t \\"q\\" \\\\ \\/ \\U0001F600 \\n"\n', { a: 'é A \t "q" \\ / 😀 \n' }],
    ['a: "\\0\\a\\b\\e\\f\\v\\r\\_\\N\\L\\P\\ "\n', { a: '\0\x07\b\x1b\f\v\r\xa0\x85\u2028\u2029 ' }],
    ["a: 'one\n  two\n\n  three'\n", { a: 'one two\nthree' }],
    ['a: "one\n  two\n\n\n  three"\n', { a: 'one two\n\nthree' }],
    ['a: "joined\\\n  lines"\n', { a: 'joinedlines' }],
    ['a: "b\\\r\n  c"\r\n', { a: 'bc' }],
    ['a: " b "\nc: \' d \'\n', { a: ' b ', c: ' d ' }],
    ['a: "# no comment"\nb: "c: d"\n', { a: '# no comment', b: 'c: d' }],
    ['a: "\ttab"\n', { a: '\ttab' }],
    ['a: "5"\nb: \'true\'\nc: "~"\n', { a: '5', b: 'true', c: '~' }],
  ],
  'literal blocks': [
    ['a: |\n  one\n   two\n\n  three\n', { a: 'one\n two\n\nthree\n' }],
    ['a: |-\n  x\n\n\nb: |+\n  y\n\n\nc: |\n  z\n\n\n', { a: 'x', b: 'y\n\n\n', c: 'z\n' }],
    ['a: |2\n    indented\n  less\n', { a: '  indented\nless\n' }],
    ['a: |1-\n  b\n', { a: ' b' }],
    ['a: |-1\n  b\n', { a: ' b' }],
    ['a: | # comment\n  # no comment\n  b\n # comment\nc: d\n', { a: '# no comment\nb\n', c: 'd' }],
    ['a: |\n\n\n\nb: 1\n', { a: '', b: 1 }],
    ['a: |+\n\n\nb: 1\n', { a: '\n\n', b: 1 }],
    ['a: |', { a: '' }],
    ['a: |\n  b', { a: 'b\n' }],
    ['a: |-\n  b: c\n  - d\n  "e\n', { a: 'b: c\n- d\n"e' }],
    ['a: |\n  b\n  \tc\n', { a: 'b\n\tc\n' }],
    ['- |\n b\n- |\n  c\n', ['b\n', 'c\n']],
    ['--- |\nb\n', 'b\n'],
    ['a: |\r\n  b\r\n  c\r\n', { a: 'b\nc\n' }],
    ['a:\n  # before\n  |\n  b\n', { a: 'b\n' }],
  ],
  'folded blocks': [
    ['a: >\n  folded\n  line\n\n  para\n   more\n  end\n', { a: 'folded line\npara\n more\nend\n' }],
    ['a: >-\n  b\n  c\n', { a: 'b c' }],
    ['a: >+\n\n x\n\n', { a: '\nx\n\n' }],
    ['a: >\n  b\n\n\n  c\n', { a: 'b\n\nc\n' }],
    ['a: >\n  b\n\n   * c\n   * d\n\n  e\n', { a: 'b\n\n * c\n * d\n\ne\n' }],
    ['a: >2\n   b\n  c\n', { a: ' b\nc\n' }],
  ],
  'the core schema': [
    ['[0, -0, +1, 007, 0o17, 0x1F, 12, -19]\n', [0, -0, 1, 7, 15, 31, 12, -19]],
    ['[1e3, .5, 5., -0.5e+3, 12e03, 1.5]\n', [1000, 0.5, 5, -500, 12000, 1.5]],
    [
      '[1_000, 0b1, 1e, ., 1.5.2, +.5x, 0o8, 0xg, -]\n'.replace(', -]', ']'),
      ['1_000', '0b1', '1e', '.', '1.5.2', '+.5x', '0o8', '0xg'],
    ],
    ['[true, True, TRUE, false, False, FALSE]\n', [true, true, true, false, false, false]],
    ['[tRUE, yes, no, on, off, y, n, nULL, ~a]\n', ['tRUE', 'yes', 'no', 'on', 'off', 'y', 'n', 'nULL', '~a']],
    ['[null, Null, NULL, ~]\n', [null, null, null, null]],
    ['a: 2027-01-01T00:00:00.000+0000\nb: 2027-01-01\n', { a: '2027-01-01T00:00:00.000+0000', b: '2027-01-01' }],
    ['[.inf, -.INF, +.Inf]\n', [Infinity, -Infinity, Infinity]],
    ['[.nan, .NaN]\n', [Number.NaN, Number.NaN]],
  ],
  tags: [
    ['a: !!str 1\nb: !!str\n', { a: '1', b: '' }],
    ['a: !!int "5"\nb: !!bool "true"\nc: !!null ""\nd: !!float "1.5"\n', { a: 5, b: true, c: null, d: 1.5 }],
    ['a: !!map {b: c}\nd: !!seq [e]\n', { a: { b: 'c' }, d: ['e'] }],
    ['a: ! 5\n', { a: '5' }],
    ['!<tag:yaml.org,2002:str> 5\n', '5'],
    ['%TAG !y! tag:yaml.org,2002:\n---\na: !y!str 5\n', { a: '5' }],
    ['a: !!str &b 5\nc: &d !!str 6\n', { a: '5', c: '6' }],
    ['!!map\na: !!seq\n- b\n', { a: ['b'] }],
  ],
  'anchors and aliases': [
    ['a: &x 1\nb: *x\n', { a: 1, b: 1 }],
    ['a: &x {b: [c]}\nd: *x\ne: [*x, *x]\n', { a: { b: ['c'] }, d: { b: ['c'] }, e: [{ b: ['c'] }, { b: ['c'] }] }],
    ['a: &x\n  b: c\nd: *x\n', { a: { b: 'c' }, d: { b: 'c' } }],
    ['- &x |\n  text\n- *x\n', ['text\n', 'text\n']],
    ['a: &x 1\nb: &x 2\nc: *x\n', { a: 1, b: 2, c: 2 }],
    ['a: &x\nb: *x\n', { a: null, b: null }],
    ['&x a: b\nc: *x\n', { a: 'b', c: 'a' }],
    ['&x\na: b\n', { a: 'b' }],
    ['- &x-1.y:z a\n- *x-1.y:z\n', ['a', 'a']],
    ['[&x a, *x]\n', ['a', 'a']],
    ['a: "*x &y"\nb: x*y\nc: x &y\n', { a: '*x &y', b: 'x*y', c: 'x &y' }],
  ],
  'merge keys': [
    ['a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\n', { a: { b: 1, c: 2 }, d: { c: 3, b: 1 } }],
    ['a: &x {b: 1, c: 2}\nd: {c: 3, <<: *x}\n', { a: { b: 1, c: 2 }, d: { c: 3, b: 1 } }],
    ['- &x {a: 1}\n- &y {a: 2, b: 2}\n- {<<: [*x, *y]}\n', [{ a: 1 }, { a: 2, b: 2 }, { a: 1, b: 2 }]],
    ['- &x {a: 1}\n- &y {<<: *x, b: 2}\n- <<: *y\n', [{ a: 1 }, { b: 2, a: 1 }, { b: 2, a: 1 }]],
    ['<<: {a: 1}\n', { a: 1 }],
    ['"<<": 3\n', { '<<': 3 }],
  ],
  documents: [
    [''],
    ['# a comment alone\n'],
    ['---\n---\n# nothing\n...\n'],
    ['---\na: 1\n---\nb: 2\n...\n---\nc: 3\n', { a: 1 }, { b: 2 }, { c: 3 }],
    ['--- # first\na: 1\n--- b\n', { a: 1 }, 'b'],
    ['a: 1\n...\n# between\nb: 2\n', { a: 1 }, { b: 2 }],
    ['%YAML 1.2\n---\na: 1\n', { a: 1 }],
    ['%YAML 1.2 # comment\n---\na: 1\n...\n%YAML 1.2\n---\nb\n', { a: 1 }, 'b'],
    ['--- {a: 1}\n--- [b]\n--- "c"\n', { a: 1 }, ['b'], 'c'],
    ['a: |\n  --- b\n  ...\n---\nc: d\n', { a: '--- b\n...\n' }, { c: 'd' }],
    ['\ufeffa: 1\n', { a: 1 }],
    ['a: ---\nb: ...\n---x: y\n', { a: '---', b: '...', '---x': 'y' }],
  ],
  'white space and comments': [
    ['a:\t1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['a: 1 # b\n# c\nd: 2# e\n', { a: 1, d: '2# e' }],
    ['a: 1\t# b\n', { a: 1 }],
    ['\n\n# first\n\na: 1\n\n', { a: 1 }],
    ['a:\n\n  # deep\n# flat\n  b: 1\n', { a: { b: 1 } }],
    ['a: [ # b\n  c ]\n', { a: ['c'] }],
    ['- a\n \n\t\n- b\n', ['a', 'b']],
  ],
}

/**
 * Differences of the other package: here, keys of other types are texts, and an empty line is a line break (YAML 1.2, 7.3.1).
 */
const ours: Readonly<Record<string, readonly Case[]>> = {
  'a byte order mark at the beginning of every document': [
    ['\ufeff---\na: 1\n---\n\ufeff---\nb: 2\n\ufeff---\r\nc: 3\n', { a: 1 }, { b: 2 }, { c: 3 }],
    ['a: 1\n---\ufeff\nb: 2\n--- \ufeff\r\nc: 3\n---\ufeff---\nd: 4\n', { a: 1 }, { b: 2 }, { c: 3 }, { d: 4 }],
    ['a: 1\n---\n\ufeffb: 2\nc: 3\n...\r\n\ufeffd: 4\n', { a: 1 }, { b: 2, c: 3 }, { d: 4 }],
  ],
  'keys are texts': [
    ['true: a\nnull: b\n1: c\n1.50: d\n~: e\n', { true: 'a', null: 'b', '1': 'c', '1.50': 'd', '~': 'e' }],
  ],
  'a line that is joined with one after empty lines': [
    ['a: "joined \\\n\n\n  lines \\\\\n  b"\n', { a: 'joined \n\nlines \\ b' }],
  ],
}

const casesOf = (grouped: typeof groups) =>
  Object.entries(grouped).flatMap(([group, all]) =>
    all.map(([text, ...documents]) => [group, text, documents] as const),
  )

/** Without empty documents. */
function otherReader(text: string): readonly unknown[] {
  const documents = [parseAllDocuments(text, { merge: true })].flat()
  return documents.map((each): unknown => each.toJS()).filter((value) => value !== null)
}

describe('YAML is read with its standard meaning', () => {
  test.each([...casesOf(groups), ...casesOf(ours)])('%s: %j', (_, text, documents) => {
    const read = readYaml({ file: 'a.yaml', text })
    expect(read.problems).toEqual([])
    expect(read.documents.map(plain)).toEqual(documents)
  })

  test.each(casesOf(groups))('the other reader gives the same: %s: %j', (_, text, documents) => {
    expect(otherReader(text)).toEqual(documents)
  })

  test('every written value can be read back', () => {
    const style = fc.record({
      indent: fc.integer({ min: 2, max: 4 }),
      lineWidth: fc.constantFrom(0, 20, 80),
      indentSeq: fc.boolean(),
      defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'),
      collectionStyle: fc.constantFrom('any', 'block', 'flow'),
    })
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: fc.constantFrom(...'ab1:#-\'" \n\t|>&*!%@,[]{}?~\\é😀') })
    fc.assert(
      fc.property(fc.array(value, { maxLength: 3 }), style, (values, how) => {
        const text = values.map((each) => `---\n${stringify(each, how)}`).join('')
        const { documents, problems } = readYaml({ file: 'a.yaml', text })
        expect([problems, documents.map(plain)]).toEqual([[], values.filter((each) => each !== null)])
      }),
    )
  })
})
