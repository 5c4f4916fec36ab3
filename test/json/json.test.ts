import { describe, expect, it } from 'vitest'
import { groupBy } from '../../src/json/groups.js'
import { asList, entriesOf, objectsIn } from '../../src/json/json.js'
import { by, bySpelling, canonicalText } from '../../src/json/order.js'
import { keysOf, pointerTo } from '../../src/json/pointer.js'

describe('JSON', () => {
  it.each([
    [
      [1, 2],
      [1, 2],
      [1, 2],
    ],
    ['one', ['one'], []],
    [null, [], []],
    [undefined, [], []],
  ])('reads %j as the list %j with the entries %j', (value, list, entries) => {
    expect(asList(value)).toEqual(list)
    expect(entriesOf(value)).toEqual(entries)
  })

  it('finds the objects of a list, or the single object instead of a list', () => {
    expect(objectsIn([{ a: 1 }, '', null])).toEqual([{ a: 1 }])
    expect(objectsIn({ a: 1 })).toEqual([{ a: 1 }])
    expect(objectsIn('')).toEqual([])
  })

  it('has one text for all spellings of a value', () => {
    expect(canonicalText({ b: [{ d: 1, c: 2 }, 1], a: null }, 'as written')).toBe('{"a":null,"b":[{"c":2,"d":1},1]}')
    expect(canonicalText({ b: [2, 1], a: [['y', 'x']] }, 'sets')).toBe('{"a":[["x","y"]],"b":[1,2]}')
  })

  it('sorts by code units', () => {
    expect(['b', 'ä', 'B', 'a'].sort(by((each) => each))).toEqual(['B', 'a', 'b', 'ä'])
    expect([{ b: 1 }, { a: 1 }, 'x'].sort(bySpelling)).toEqual(['x', { a: 1 }, { b: 1 }])
  })

  it('groups in the order of the first member of each group', () => {
    expect([...groupBy(['b1', 'a1', 'b2'], (each) => each.slice(0, 1))]).toEqual([
      ['b', ['b1', 'b2']],
      ['a', ['a1']],
    ])
  })

  it.each([
    ['/cors/maxAge', ['cors', 'maxAge']],
    ['/a~1b/c~0d', ['a/b', 'c~d']],
    ['/~01', ['~1']],
  ])('reads and writes the pointer %s', (pointer, keys) => {
    expect(keysOf(pointer)).toEqual(keys)
    expect(pointerTo(...keys)).toBe(pointer)
  })
})
