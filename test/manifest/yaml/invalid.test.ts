import { describe, expect, test } from 'vitest'
import { plain } from '../../../src/manifest/node.js'
import { readYaml } from '../../../src/manifest/yaml/read-yaml.js'

/** Texts that are not YAML, or that manifests may not have: every mistake is reported at its position, with advice. */

type Case = readonly [text: string, ...problems: readonly string[]]

const groups: Readonly<Record<string, readonly Case[]>> = {
  indentation: [
    ['a: 1\n b: 2\n', '2:2 indentation'],
    ['a:\n  b: 1\n c: 2\n', '3:2 indentation'],
    ['a:\n    b: 1\n  c: 2\n', '3:3 indentation'],
    ['  a: 1\nb: 2\n', '2:1 indentation'],
    ['- a\nb: 1\n', '2:1 indentation'],
    ['a:\n  - b\n c: 1\n', '3:2 indentation'],
    ['a:\n  - b\n - c\n', '3:2 indentation'],
    ['a: b\n- c\n', '2:1 indentation'],
    ['a: "b"\n  c: d\n', '2:3 indentation'],
    ['a: |\n    \n  b\n', '3:3 indentation'],
    ['a:\n  b: |\n      text\n    wrong\n  c: d\n', '4:5 indentation'],
  ],
  tabs: [
    ['\ta: 1\n', '1:1 tab'],
    ['a:\n\tb: 1\n', '2:1 tab'],
    ['a:\n  b: 1\n\tc: 2\n', '3:1 tab'],
    ['a:\n\t- b\n', '2:1 tab'],
    ['- \t- b\n', '1:3 tab'],
    ['a: [\n\tb\n]\n', '2:1 tab'],
  ],
  quotes: [
    ['a: "b\n', '1:6 open'],
    ['"b\n', '1:1 quote'],
    ["'b ''c\n", '1:1 quote'],
    ['a:\n  "b \\" c\n  d\n', '3:4 open'],
    ["a: ''\n--- 'b\n", '2:5 quote'],
    ['a: "b\nc: "d"\n', '2:1 not closed'],
    ['a: "b" c\n', '1:8 more on the line'],
    ['a: "b": c\n', '1:7 more on the line'],
    ["a: 'b' 'c'\n", '1:8 more on the line'],
    ['a: "\\q"\n', '1:6 escape'],
    ['a: "\\xZZ"\n', '1:7 escape'],
    ['a: "b\n---\nc"\n', '1:6 open'],
  ],
  brackets: [
    ['a: [1\nb: 2\n', '2:1 not closed'],
    ['[1, 2\n', '1:6 bracket'],
    ['{a: 1\n', '1:6 bracket'],
    ['a: {b\n', '1:6 open'],
    ['a: [1,, 2]\n', '1:7 comma'],
    ['[, 1]\n', '1:2 comma'],
    ['a: ["1" "b"]\n', '1:9 no comma'],
    ['{a: "b" c: d}\n', '1:9 no comma'],
    ['[1, 2}\n', '1:6 no comma'],
    ['{a: ${env:B}}\n', '1:6 placeholder'],
    ['a: [b-${value:c} d, e]\n', '1:8 placeholder'],
    ['a: b]\n- ]\n', '2:1 indentation'],
    ['a: ]\n', '1:4 first character'],
    ['a: [b] c\n', '1:8 more on the line'],
    ['a: [\nb\n]\n', '2:1 not closed'],
    ['a: {\n  b: [1\n}\nc: 2\n', '3:1 no comma'],
    ['a: {\n  b: 1\n} c\n', '3:3 more on the line'],
    ['a: {\n  b: 1\n}\nc: {\n  d: 1\n]\n', '6:1 no comma'],
    ['a: {\n  b: 1\n}\n c: 1\n---\na: {\n}\n', '4:2 indentation'],
    ['a: {\n  b: "\n}"\n}\n', '3:1 not closed'],
  ],
  'keys and values': [
    ['a: b: c\n', '1:5 more on the line'],
    ['a: - b\n', '1:4 more on the line'],
    ['a: 1\nb\n', '2:1 no colon'],
    ['a: 1\nb\nc: 2\n', '2:1 no colon'],
    ['a:\n  b 1\n  c: 2\n', '2:3 no colon'],
    ['- a: 1\n  b\n    c: 2\n', '2:3 no colon'],
    ['a: |\n  b\n  c\nd\ne: 1\n', '4:1 no colon'],
    ['a: b\n  c\nd\n', '3:1 no colon'],
    ['a: 1\nb:2\n', '2:1 no colon'],
    ['a:1\nb: 2\n', '1:1 no colon'],
    ['"a":1\n', '1:5 colon'],
    ['a: @b\n', '1:4 first character'],
    ['a: `b`\n', '1:4 first character'],
    ['a: %b\n', '1:4 first character'],
    ['a: 1\na: 2\n', '2:1 key twice'],
    ['{a: 1, b: 2, "a": 3}\n', '1:14 key twice'],
    ['a: 1\n? a\n: 2\n', '2:3 key twice'],
    ['{a, b: 1}\n', '1:2 key without value'],
    ['? a\nb: 1\n', '1:3 key without value'],
    ['? [a]\n: 1\n', '1:3 complex key'],
    ['? {a: b}\n: 1\n', '1:3 complex key'],
    ['{{x}}: 1\n', '1:1 complex key'],
    ['a: &x b\n*x : c\n', '2:1 complex key'],
  ],
  'left by a merge': [
    ['a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n', '2:1 conflict'],
    ['a: |\n  1\n<<<<<<< HEAD\n  2\n=======\n  3\n>>>>>>> x\n', '3:1 conflict'],
    ['a: [\r\n<<<<<<< HEAD\r\n  1\r\n=======\r\n  2\r\n>>>>>>> x\r\n]\r\n', '2:1 conflict'],
    ['a: 1\n<<<<<<< HEAD\n=======\n---\nb: 1\n>>>>>>> x\n', '2:1 conflict', '6:1 conflict'],
    ['a: |\n  <<<<<<< HEAD\nb\n', '3:1 no colon'],
  ],
  blocks: [
    ['a: |b\n', '1:5 block header'],
    ['a: |0\n', '1:5 block header'],
    ['a: |11\n', '1:6 block header'],
    ['a: |+-\n', '1:6 block header'],
    ['a: > b\n  c\n', '1:6 block header'],
  ],
  'anchors, aliases and tags': [
    ['a: *x\n', '1:4 alias'],
    ['a: &x [*x]\n', '1:8 alias'],
    ['a: &x b\n---\nc: *x\n', '3:4 alias'],
    ['a: &x &y b\n', '1:7 anchor'],
    ['a: &x *x\n', '1:7 anchor'],
    ['a: &\n', '1:5 anchor'],
    ['a: *\n', '1:5 anchor'],
    ['a: !!str !!int b\n', '1:10 tag'],
    ['a: !x!y b\n', '1:8 tag'],
    ['a: !<b c\n', '2:1 tag'],
    ['a: {<<: 5}\n', '1:9 alias'],
    ['a: {<<: [{b: c}, d]}\n', '1:18 alias'],
    ['a: !x b\n', '1:4 warning'],
    ['a: !!int b\n', '1:4 warning'],
    ['a: !!seq {b: c}\n', '1:4 warning'],
    ['a: !!set {b: c}\n', '1:4 warning'],
  ],
  documents: [
    ['%YAML 1.1\n---\na: yes\n', '1:1 warning'],
    ['%OTHER x\n---\na: 1\n', '1:1 warning'],
    ['%YAML 2.0\n---\na: 1\n', '1:1 directive'],
    ['%YAML\r\n---\r\na: 1\r\n', '1:1 directive'],
    ['a: 1\n...\n# comment\n%TAG ! !\n%YAML 3.0 # comment\n---\nb: 1\n', '5:1 directive'],
    ['%YAML 1.2\na: 1\n', '2:1 directive'],
    ['%FOO', '1:1 directive'],
    ['# comment\n%FOO\n', '2:1 directive'],
    ['a: 1\n...\n%FOO bar\r\n', '3:1 directive'],
    ['%YAML 1.2\n%YAML 1.2\n---\na: 1\n', '2:1 directive'],
    ['... a\n', '1:1 marker'],
    ['a: 1\n... b\n', '2:5 more on the line'],
    ['  ---\na: 1\n', '1:1 marker'],
    ['--- a: 1\n', '1:6 more on the line'],
  ],
  characters: [
    ['a: b\u0007c\n', '1:5 character'],
    ['a: "b\u0001c"\n', '1:6 character'],
    ['a: |\n  b\u0000\n', '2:4 character'],
    ['a: \ud83d\n', '1:4 character'],
  ],
}

/** The reported message, by a pattern that identifies it. */
const words: Readonly<Record<string, RegExp>> = {
  indentation: /^yaml-syntax: .*does not fit the lines above/,
  tab: /^yaml-syntax: .*a tab in the indentation/,
  quote: /^yaml-syntax: .*a quoted text is not closed$/,
  'not closed': /^yaml-syntax: .*is not closed, and this line/,
  open: /^yaml-syntax: .*quoted text, a list \[ or a mapping { is not closed$/,
  bracket: /^yaml-syntax: .*read: a list \[ or a mapping { is not closed$/,
  escape: /^yaml-syntax: .*not an escape sequence/,
  comma: /^yaml-syntax: .*a comma where a value is expected/,
  'no comma': /^yaml-syntax: .*a comma is missing/,
  conflict: /^yaml-syntax: .*a merge has left/,
  placeholder: /^yaml-syntax: .*a placeholder has no quotes/,
  'more on the line': /^yaml-syntax: .*more on this line/,
  'no colon': /^yaml-syntax: .*there is no colon with a space after it$/,
  colon: /^yaml-syntax: .*a space is missing after the colon/,
  'first character': /^yaml-syntax: .*cannot begin with this character/,
  'block header': /^yaml-syntax: .*on the line of the \| or >/,
  anchor: /^yaml-syntax: .*not an anchor or alias/,
  tag: /^yaml-syntax: .*not a tag/,
  directive: /^yaml-syntax: .*not a directive/,
  marker: /^yaml-syntax: .*document marker/,
  character: /^yaml-syntax: .*control character/,
  'key twice': /^duplicate-key: /,
  'key without value': /^key-without-value: /,
  'complex key': /^complex-key: /,
  alias: /^yaml-alias: /,
  warning: /^yaml-warning: /,
}

function told(text: string): readonly string[] {
  return readYaml({ file: 'a.yaml', text }).problems.map(({ code, message, place }) => {
    const known = Object.entries(words).filter(([, form]) => form.test(`${code}: ${message}`))
    return `${place?.line}:${place?.column} ${known.map(([name]) => name).join(' and ') || message}`
  })
}

const cases = Object.entries(groups).flatMap(([group, all]) =>
  all.map(([text, ...problems]) => [group, text, problems] as const),
)

describe('mistakes in YAML are reported at their position', () => {
  test.each(cases)('%s: %j', (_, text, problems) => {
    expect(told(text)).toEqual(problems)
  })

  test.each(cases)('with advice, and without any part of the text: %s: %j', (_, text) => {
    // As a value, so that nothing else in the file is the mistake.
    for (const { message, hint } of readYaml({ file: 'a.yaml', text: `SECRET: x\n--- ${text}` }).problems) {
      expect(hint).toBeTruthy()
      expect(message).not.toContain('SECRET')
    }
  })
})

describe('a mistake ends its own document', () => {
  test('and the other documents are read', () => {
    const text = 'a: 1\n---\nb: [\n---\nc: 3\n---\nd: "x\n---\n%YAML 1.2\n---\ne: 5\n'
    const { documents } = readYaml({ file: 'a.yaml', text })
    expect(documents.map(plain)).toEqual([{ a: 1 }, { c: 3 }, { e: 5 }])
    expect(told(text)).toEqual(['3:5 open', '7:6 open'])
  })

  test('positions count from the beginning of the text', () => {
    const { documents } = readYaml({ file: 'a.yaml', text: 'a: [\n---\nb: c\n' })
    expect(documents.map(({ range }) => [range.start, range.end])).toEqual([[9, 13]])
  })
})
