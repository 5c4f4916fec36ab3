import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { nodeFiles } from '../../../src/files/files.js'
import type { JsonObject } from '../../../src/json/json.js'
import { escaped } from '../../../src/live/value-form.js'
import { resolveValues } from '../../../src/manifest/values.js'
import { behindKey, documentText, inlineText, itemText, pairText } from '../../../src/manifest/write/yaml-text.js'

const pieces = [
  'yes',
  'No',
  '1.0',
  '0x1F',
  'null',
  '~',
  '- x',
  '# c',
  ': ',
  "'",
  '"',
  '\t',
  ' ',
  '\n',
  '\r\n',
  '\r',
  '${',
  '$',
  '|',
  '>',
  '%',
  '@',
  '`',
  '&a',
  '*a',
  '!t',
  '{',
  '}',
  '[',
  ']',
  ',',
  '?',
  '---',
  '...',
  'é',
  '漢',
  '🙂',
  '\u2028',
  '\uFEFF',
  '\u0085',
  '\u0000',
  '\uD800',
  '<<',
  '=',
  '2027-01-01',
  '12:30',
  '\\',
  'word',
]

const text = fc.array(fc.constantFrom(...pieces), { maxLength: 7 }).map((parts) => parts.join(''))

const object = fc.dictionary(
  fc.constantFrom('a', 'b', 'yes', '- x', 'null', 'two\nlines', 'long'.repeat(300)),
  fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('map')),
    list: fc.array(tie('any'), { maxLength: 4 }),
    map: fc.dictionary(text, tie('any'), { maxKeys: 4, noNullPrototype: true }),
  })).any,
  { noNullPrototype: true },
) as fc.Arbitrary<JsonObject>

describe('values read back are the written values', () => {
  test('documents', () => {
    fc.assert(
      fc.property(object, (given) => {
        expect(parse(documentText(given))).toEqual(given)
      }),
      { numRuns: 1500 },
    )
  })

  test('pairs and entries of lists in any column', () => {
    fc.assert(
      fc.property(object, fc.integer({ min: 0, max: 6 }), (given, indent) => {
        expect(parse(pairText('key', given, indent))).toEqual({ key: given })
        expect(parse(itemText(given, indent))).toEqual([given])
      }),
      { numRuns: 500 },
    )
  })

  test('values between brackets and after a key', () => {
    fc.assert(
      fc.property(object, (given) => {
        expect(inlineText(given)).not.toContain('\n')
        expect(parse(`{a: [1, ${inlineText(given)}]}`)).toEqual({ a: [1, given] })
        const line = behindKey(given)
        if (line !== undefined) expect(parse(`key: ${line} # said`)).toEqual({ key: given })
      }),
      { numRuns: 500 },
    )
  })
})

test('texts with placeholders in them are escaped', () => {
  fc.assert(
    fc.property(text, (given) => {
      const written = escaped(given)
      const range = { source: { file: 'a.yaml', text: written }, start: 0, end: written.length }
      const read = resolveValues(
        { is: 'scalar', value: written, from: 'text', range },
        { env: {}, files: nodeFiles('.'), dir: '.', secrets: 'none' },
        () => {
          throw new Error('a placeholder')
        },
      )
      expect(read).toMatchObject({ value: given })
    }),
  )
})

test('texts of several lines are block scalars, unless an editor would change them', () => {
  expect(documentText({ a: 'one\ntwo\n' })).toBe('a: |\n  one\n  two\n')
  expect(documentText({ a: 'one\n\ttwo' })).toBe('a: |-\n  one\n  \ttwo\n')
  expect(documentText({ a: 'one \ntwo' })).toBe('a: "one \\ntwo"\n')
  expect(documentText({ a: 'one\r\ntwo' })).toBe('a: "one\\r\\ntwo"\n')
  expect(documentText({ a: 'yes', b: '1.0', c: '- x', d: 'plain' })).toBe('a: "yes"\nb: "1.0"\nc: "- x"\nd: plain\n')
})
