import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameMatcher, pathMatcher } from '../../src/files/glob.js'

/** One matcher for patterns of paths and of names: the meaning of the signs, and the speed of every pattern. */

describe('patterns of paths', () => {
  test.each([
    ['a.yaml', ['a.yaml'], ['ayaml', 'b/a.yaml', 'a.yaml ']],
    ['*.yaml', ['a.yaml', '.yaml'], ['a/b.yaml', 'a.yml']],
    ['?.yaml', ['a.yaml', '😀.yaml'], ['ab.yaml', '/.yaml', '.yaml']],
    ['**/*.yaml', ['a.yaml', 'a/b/c.yaml'], ['a.yml', '/a.yaml']],
    ['a/**', ['a/b', 'a/b/c', 'a/'], ['a', 'b/a/c']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'ab']],
    ['{a,b}/*.{yaml,yml}', ['a/x.yaml', 'b/x.yml'], ['c/x.yaml', 'a/x.json', 'ab/x.yml']],
    ['{a,{b,c}d}', ['a', 'bd', 'cd'], ['b', 'ad', 'd']],
    ['a{,b}', ['a', 'ab'], ['b', 'a,b']],
    ['{a,b', ['a', 'b'], ['{a,b', 'ab']],
    ['a}b,c', ['a}b,c'], ['ab']],
    ['a+(b)[c].$^|\\', ['a+(b)[c].$^|\\'], ['ab']],
    ['***', ['', 'a', 'a/b'], []],
    ['', [''], ['a']],
  ])('%s', (pattern, fitting, others) => {
    const fits = pathMatcher(pattern)
    expect(fitting.filter((path) => !fits(path))).toEqual([])
    expect(others.filter(fits)).toEqual([])
  })
})

describe('patterns of names', () => {
  test.each([
    ['Service/*', ['Service/a', 'Service/', 'Service/a/Endpoint/b', 'Service/a\nb'], ['service/a', 'xService/a']],
    ['Service/?', ['Service/a', 'Service/😀'], ['Service/', 'Service/ab']],
    ['{a,b}', ['{a,b}'], ['a', 'b']],
    ['a.b', ['a.b'], ['axb']],
    ['*', ['', 'a/b'], []],
  ])('%s', (pattern, fitting, others) => {
    const fits = nameMatcher(pattern)
    expect(fitting.filter((name) => !fits(name))).toEqual([])
    expect(others.filter(fits)).toEqual([])
  })

  const meaning = new Map([
    ['*', '.*'],
    ['?', '.'],
    ['.', '\\.'],
  ])

  test('mean the same as a regular expression', () => {
    const sign = fc.constantFrom('a', 'b', '/', '*', '?', '.', '\n')
    const text = fc.array(fc.constantFrom('a', 'b', '/', '.', '\n'), { maxLength: 8 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 6 }), text, (signs, name) => {
        const escaped = signs.map((each) => meaning.get(each) ?? each)
        expect(nameMatcher(signs.join(''))(name)).toBe(new RegExp(`^${escaped.join('')}$`, 'su').test(name))
      }),
    )
  })
})

test('no pattern is slow', () => {
  const text = `${'a'.repeat(5000)}c`
  expect(nameMatcher(`${'*a'.repeat(40)}*b`)(text)).toBe(false)
  expect(pathMatcher(`${'*a'.repeat(40)}*b`)(text)).toBe(false)
  expect(pathMatcher(`${'**/'.repeat(40)}b`)('a/'.repeat(2000))).toBe(false)
  expect(pathMatcher(`${'{a,aa}'.repeat(40)}b`)(text)).toBe(false)
  expect(pathMatcher('*'.repeat(100_000))(text)).toBe(true)
})
