import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { Json } from '../../src/json/json.js'
import type { Node } from '../../src/manifest/node.js'
import { readAnyYaml } from '../../src/manifest/yaml.js'
import { readUsualYaml } from '../../src/manifest/yaml-events.js'

/** Values and places. The end of a mapping or list is told by nobody: only what stands in it is ever shown. */
function places(node: Node): Json {
  const { start, end } = node.mark
  switch (node.is) {
    case 'scalar':
      return [typeof node.value === 'number' ? `number ${node.value}` : node.value, start, end]
    case 'list':
      return [start, node.items.map(places)]
    case 'map':
      return [start, node.entries.map(({ key, mark, value }) => [key, mark.start, mark.end, places(value)])]
  }
}

/** What the thorough way reads, and what the fast way does where it does anything. */
function bothWays(text: string): { readonly thorough: Json; readonly fast: Json | undefined } {
  const source = { file: 'any.yaml', text }
  const { documents, problems } = readAnyYaml(source)
  const usual = readUsualYaml(source)
  return {
    thorough: [documents.map(places), problems.map(({ code, message }) => `${code}: ${message}`)],
    fast: usual && [usual.map(places), []],
  }
}

const usual: readonly string[] = [
  '',
  '# a comment alone\n',
  'a: 1\n',
  'a: b # comment\nc: d#no comment\n',
  '--- # first\na: 1\n---\nb: 2\n...\n---\nc: 3\n',
  'list:\n- 1\n- two\n-   deep: er\n    than: that\n-\n  next: line\n',
  'list:\n  - - 1\n    - 2\n  - [a, [b, {c: d}], "e": f]\n',
  '{flow: [1, 2], "quoted key": \'single\', n: -0.5e+3}\n',
  'url: http://example.com:8080/a?b=c#d\ntime: 2027-01-01T00:00:00.000+0000\n',
  'n: [0, -0, +1, 007, 0o17, 0x1F, 1e3, .5, 5., 1_000, 0b1, 1e, ., .inf, -.INF, +.Inf, .nan, -.nan, 12e03, 1.5.2]\n',
  'w: [true, True, TRUE, tRUE, yes, no, on, off, null, Null, NULL, nULL, ~, ~a, n, y]\n',
  'true: a\nnull: b\n1: c\n1.50: d\n~: e\n',
  'a: |\n  one\n   two\n\n  three\n\n\nb: |-\n  x\nc: |+\n  y\n\n\nd: >\n  folded\n  line\n\n  para\n   more\n  end\n',

  'k: |\n  text\n # a comment below\nl: 1\n',
  'a: >+\n\n x\n\n',
  'a: plain\n  goes on\n\n  after a gap\nb: "double \\u00e9 \\x41 \\t \\"q\\""\nc: \'it\'\'s\n\n  so\'\n',
  'äöü: "€"\nemoji: "😀" \nplain: 😀\n',
  'a:   \n  b:   1   \n\n\n  c: 2\n# end',
  '"a": 1\n\'b\': 2\n"<<": 3\n',
  '? explicit\n: value\n',
  'a: !important not a tag here\n'.replace('!important', 'x!important'),
  'a: "*no alias &no anchor"\nb: x*y\nc: x &y\n',
  'a: - not a list\n'.replace('- not', '-not'),
  '- a\n- b\n',
  'text alone\n',
  '"quoted alone"',
  'a: b',
]

/** What only the thorough way is asked about, however it may come out. */
const unusual: readonly string[] = [
  'a: &x 1\nb: *x\n',
  'a: |\n\n\n\nb: 1\n',
  'a: |2\n    indented\n  less\n',
  'a: "joined\\\n  lines"\n',
  '  ---\na: 1\n',
  'a: |\n  x\n   ',
  '... value\n',
  'a: !!str 1\n',
  '<<: {a: 1}\n',
  '%YAML 1.2\n---\na: 1\n',
  'a: 1\na: 2\n',
  'a:\nb: 1\n',
  'a: [1,, 2]\n',
  'a: b: c\n',
  'a: {b\n',
  '\ta: 1\n',
  'a:\t1\r\nb: 2\r\n',
  '\ufeffa: 1\n',
  '? [a]\n: 1\n',
  '{a, b: 1}\n',
  'a: @x\nb: `y`\n',
  'a: "\\q"\n',
  '- a\nb: 1\n',
  'a: 1\n b: 2\n',
]

describe('the fast and the thorough way to read YAML', () => {
  test.each(usual)('agree on %j, which the fast way knows', (text) => {
    const { thorough, fast } = bothWays(text)
    expect(fast).toEqual(thorough)
  })

  test.each(unusual)('the fast way leaves %j to the other one', (text) => {
    expect(bothWays(text).fast).toBeUndefined()
  })

  test('agree on whatever this library writes', () => {
    const options = fc.record({
      indent: fc.integer({ min: 2, max: 4 }),
      lineWidth: fc.constantFrom(0, 20, 80),
      indentSeq: fc.boolean(),
      defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'),
      collectionStyle: fc.constantFrom('any', 'block', 'flow'),
    })
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 3 }), options, (values, how) => {
        const { thorough, fast } = bothWays(values.map((value) => `---\n${stringify(value, how)}`).join(''))
        if (fast !== undefined) expect(fast).toEqual(thorough)
      }),
    )
  })

  test('agree on whatever is put together from the pieces of YAML', () => {
    const pieces =
      `a|b|1|-1|0x|true|null|~|.5|: |:|- |-|? |, |[|]|{|}|"|'|#| #|\\| |  |    |\n|\n|\n  |\n\n|\n- |\n  - |a: |b: |\nc: |` +
      '|--|---|---\n|\n...\n|&x |*x|!t |\\n|%|@|`|é|😀|<<|>|>-\n  |=|\\"'
    const piece = fc.constantFrom(...pieces.split('|'), '|', '|\n  ', '|+\n  ', '|-\n ', '|2\n   ')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (parts) => {
        const { thorough, fast } = bothWays(parts.join(''))
        if (fast !== undefined) expect(fast).toEqual(thorough)
      }),
      { numRuns: 3000 },
    )
  })

  test('agree on manifests with one thing changed', () => {
    const base = usual.filter((text) => text.length > 20)
    const edit = fc.record({
      text: fc.constantFrom(...base),
      at: fc.nat(400),
      cut: fc.nat(3),
      insert: fc.constantFrom(
        '',
        ' ',
        '\n',
        ':',
        ': ',
        '-',
        '- ',
        '#',
        ' #',
        '"',
        "'",
        '|',
        '>',
        '[',
        '{',
        ',',
        '&',
        '*',
        '!',
      ),
    })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), ([first, ...more]) => {
        const text = more.reduce(
          (sum, { at, cut, insert }) => changed(sum, at, cut, insert),
          first ? changed(first.text, first.at, first.cut, first.insert) : '',
        )
        const { thorough, fast } = bothWays(text)
        if (fast !== undefined) expect(fast).toEqual(thorough)
      }),
      { numRuns: 3000 },
    )
  })
})

function changed(text: string, at: number, cut: number, insert: string): string {
  const place = at % (text.length + 1)
  return text.slice(0, place) + insert + text.slice(place + cut)
}
