import { expect, test } from 'vitest'
import type { Json } from '../../src/json/json.js'
import { valueAtPointer } from '../../src/json/patch.js'

test.each<[Json, string, Json | undefined]>([
  [{ a: { b: [1, { c: null }] } }, '/a/b/1/c', null],
  [{ a: 1 }, '', { a: 1 }],
  [{}, '/a/b', undefined],
  [{ a: null }, '/a/b', undefined],
  ['text', '/a/b', undefined],
  [[], '/0/b', undefined],
  [{}, '/constructor', undefined],
])('the value of %j at "%s" is %j', (value, pointer, expected) => {
  expect(valueAtPointer(value, pointer)).toEqual(expected)
})
