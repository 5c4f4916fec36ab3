import { expect, test } from 'vitest'
import type { Json } from '../../src/json/json.js'
import { driftedField } from '../../src/report/drift-words.js'
import { fieldView, valueText } from '../../src/report/value-text.js'

const field = { path: '/endpoints', sensitive: false, verdict: 'drift' } as const
const entries = (...names: readonly string[]): Json[] =>
  names.map((name) => ({ name, methods: ['getOrder', 'listOrders'] }))
const words = (name: string) => `{name: ${name}, methods: [getOrder, listOrders]}`

test('of a long list only the changed entries are displayed, one per line', () => {
  const view = fieldView({ ...field, before: entries('orders', 'returns'), after: entries('orders', 'returns', 'x') })
  expect(view).toEqual({
    is: 'diff',
    lines: [
      { mark: ' ', text: words('orders') },
      { mark: ' ', text: words('returns') },
      { mark: '+', text: words('x') },
    ],
  })
  const emptied = fieldView({ ...field, before: entries('orders', 'returns'), after: [] })
  expect(emptied).toMatchObject({ lines: [{ mark: '-' }, { mark: '-' }] })
})

test('short lists are on one line, and secret ones display nothing', () => {
  expect(fieldView({ ...field, before: ['get'], after: ['get', 'post'] })).toEqual({
    is: 'inline',
    before: '[get]',
    after: '[get, post]',
  })
  const secret = fieldView({ ...field, sensitive: true, before: entries('a', 'b'), after: entries('a') })
  expect(JSON.stringify(secret)).not.toContain('getOrder')
})

test.each<[Json, string]>([
  ['true', '"true"'],
  ['FALSE', '"FALSE"'],
  ['null', '"null"'],
  ['.5', '".5"'],
  [true, 'true'],
  ['truely', 'truely'],
  [{ on: 'false', true: false }, '{on: "false", "true": false}'],
])('a text that YAML would read as something else is quoted: %j', (value, text) => {
  expect(valueText(value)).toBe(text)
})

test.each([
  ['a last line break', 'a\nb', 'a\nb\n', ['  a', '- b', '+ b\\u000a']],
  ['Windows line breaks', 'a\r\nb\r\n', 'a\nc\n', ['- a\\u000d\\u000a', '- b', '+ a\\u000a', '+ c']],
])('lines that differ only in their ends are distinguished: %s', (_, before, after, lines) => {
  const view = fieldView({ ...field, before, after })
  expect(view.is === 'diff' && view.lines.map(({ mark, text }) => `${mark} ${text}`)).toEqual(lines)
})

test('a conflict displays all three values, even if only one of them is long', () => {
  const shown = driftedField({
    ...field,
    verdict: 'conflict',
    applied: ['a'],
    before: entries('orders', 'returns'),
    after: ['b'],
  })
  expect(JSON.stringify(shown)).toMatch(/applied \[a\].*live \[.*returns.*\], git \[b\]/)
})
