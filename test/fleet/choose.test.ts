import { describe, expect, it } from 'vitest'
import { chosenAreas } from '../../src/fleet/choose.js'
import { shardsOf } from '../../src/fleet/shards.js'
import { area } from './areas.js'

const areas = [
  area('acme', { labels: { ring: 'canary', region: 'eu' } }),
  area('acme two', { labels: { region: 'eu' } }),
  area('globex', { labels: { region: 'us=west' } }),
]
const chosen = (select: readonly string[], labels: readonly string[]) =>
  chosenAreas(areas, { select, labels }).map(({ name }) => name)

describe('areas are selected', () => {
  it.each([
    [[], [], ['acme', 'acme two', 'globex']],
    [['acme*'], [], ['acme', 'acme two']],
    [['globex', 'acme'], [], ['acme', 'globex']],
    [[], ['region=eu'], ['acme', 'acme two']],
    [[], ['region=us=west'], ['globex']],
    [[], ['ring'], ['acme']],
    [['acme*'], ['region=eu', 'ring=canary'], ['acme']],
  ])('by %j and %j', (select, labels, expected) => {
    expect(chosen(select, labels)).toEqual(expected)
  })

  it('a pattern that matches no name is an error, even beside others', () => {
    expect(() => chosen(['acme', 'globxe'], [])).toThrow('no area of the fleet fits --select globxe')
    expect(chosen(['acme*', 'globex'], ['ring=canary'])).toEqual(['acme'])
  })

  it('an empty selection is an error', () => {
    expect(() => chosen(['nobody'], ['toString'])).toThrow('no area of the fleet fits --select nobody -l toString')
  })
})

describe('jobs of a CI system', () => {
  const many = [
    ...Array.from({ length: 6 }, (_, index) => area(`s${index}`, { key: 'shared' })),
    ...Array.from({ length: 5 }, (_, index) => area(`own${index}`)),
  ]
  const named = (most: number) =>
    shardsOf(many, most).map(({ name, areas: own }) => [name, own.map((each) => each.name).join(' ')])

  it('contain whole keys, and do not exceed the allowed number', () => {
    expect(named(200)).toEqual([
      ['1/6', 's0 s1 s2 s3 s4 s5'],
      ...[0, 1, 2, 3, 4].map((index) => [`${index + 2}/6`, `own${index}`]),
    ])
    expect(named(2)).toEqual([
      ['1/2', 's0 s1 s2 s3 s4 s5'],
      ['2/2', 'own0 own1 own2 own3 own4'],
    ])
    expect(named(1)).toEqual([['1/1', many.map(({ name }) => name).join(' ')]])
  })

  it('are the same for the same number', () => {
    for (const most of [1, 2, 3, 5, 6, 200]) {
      const first = shardsOf(many, most)
      expect(shardsOf(many, first.length)).toEqual(first)
    }
  })

  it('contain each area once', () => {
    const shared = shardsOf(many, 3).flatMap((shard) => shard.areas)
    expect(shared).toHaveLength(many.length)
    expect(new Set(shared)).toEqual(new Set(many))
  })
})
