import { describe, expect, test } from 'vitest'
import { type Use, type Vector, Vectors } from '../../../src/engine/stages/vectors.js'

const field = (word: string): Use => ({ word, as: 'field' })

/** The values for these vectors, and the text that is written for each of them. */
function expressed(noted: readonly (readonly [string, Vector])[]) {
  const vectors = new Vectors(['stage'])
  for (const [word, vector] of noted) vectors.note(vector, field(word))
  vectors.finish()
  return {
    values: Object.fromEntries(vectors.values.map(({ name, byStage }) => [name, byStage])),
    written: noted.map(([word, vector]) => vectors.expression(vector, field(word))),
  }
}

describe('a difference between stages', () => {
  test('becomes a value if it is a whole text somewhere, and the value is also used inside other texts', () => {
    const { values, written } = expressed([
      ['x-host', ['dev.example.com/a', 'example.com/a']],
      ['host', ['dev.example.com', 'example.com']],
      ['path', ['http://dev.example.com/a/b', 'http://example.com/a/b']],
    ])
    expect(values).toEqual({ host: ['dev.example.com', 'example.com'] })
    expect(written).toEqual(['${value:host}/a', '${value:host}', 'http://${value:host}/a/b'])
  })

  test('becomes a value for each word that three texts share, or else for the whole text', () => {
    const hosts = (name: string): Vector => [`develop.${name}.dev.example`, `live.${name}.prod.example`]
    const { values, written } = expressed([
      ['host', hosts('a')],
      ['host', hosts('b')],
      ['host', hosts('c')],
      ['other', ['one.dev.example', 'two.dev.example']],
    ])
    expect(values).toEqual({
      hostStage: ['develop', 'live'],
      hostStage2: ['dev', 'prod'],
      other: ['one.dev.example', 'two.dev.example'],
    })
    expect(written).toEqual([
      ...['a', 'b', 'c'].map((name) => `\${value:hostStage}.${name}.\${value:hostStage2}.example`),
      '${value:other}',
    ])
  })

  test('shares a value with the same texts in another field, but not with the same numbers', () => {
    const { values, written } = expressed([
      ['read', [1, 2]],
      ['write', [1, 2]],
      ['to', ['a', 'b']],
      ['from', ['a', 'b']],
    ])
    expect(values).toEqual({ to: ['a', 'b'], read: [1, 2], write: [1, 2] })
    expect(written).toEqual(['${value:read}', '${value:write}', '${value:to}', '${value:to}'])
  })

  test('uses the value of all stages if some lack the object, and has gaps only if there is no such value', () => {
    const { values, written } = expressed([
      ['host', ['a.example', 'b.example', 'c.example']],
      ['host', ['a.example', undefined, 'c.example']],
      ['host', ['a.example', 'x.example', undefined]],
    ])
    expect(values).toEqual({
      host: ['a.example', 'b.example', 'c.example'],
      host2: ['a.example', 'x.example', undefined],
    })
    expect(written).toEqual(['${value:host}', '${value:host}', '${value:host2}'])
  })

  test('is written entry by entry if a list has entries that also occur elsewhere', () => {
    const { values, written } = expressed([
      [
        'hosts',
        [
          ['a.example', 'z.a.example'],
          ['z.b.example', 'b.example'],
        ],
      ],
      ['host', ['a.example', 'b.example']],
      ['names', [['a'], ['b', 'c']]],
    ])
    expect(values).toEqual({ host: ['a.example', 'b.example'], names: [['a'], ['b', 'c']] })
    expect(written).toEqual([['${value:host}', 'z.${value:host}'], '${value:host}', '${value:names}'])
  })

  test('is one value as a whole if it is a secret, and a "$" before a text has no meaning', () => {
    const { written } = expressed([
      ['password', ['${env:DEV_P}', '${env:PRD_P}']],
      ['code', ['$a', '$b']],
      ['code', ['a', 'b']],
    ])
    for (const each of written) expect(each).toMatch(/^\$\{value:\w+\}$/)
    expect(new Set(written).size).toBe(3)
  })
})
