import { describe, expect, test } from 'vitest'
import { kinds } from '../../src/catalog/queries.js'
import { choice, limitedNearest } from '../../src/problems/suggest.js'

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `name ${index}`)

describe('suggestions', () => {
  test('of thousands of unknown names, only the first ones are compared with the known ones', () => {
    const suggest = limitedNearest()
    let compared = 0
    const suggested = names(5000).map((name) =>
      suggest(`${name}x`, () => {
        compared += 5000
        return names(5000)
      }),
    )
    expect(suggested.slice(0, 2)).toEqual(['name 0', 'name 1'])
    expect(suggested.at(-1)).toBeUndefined()
    expect(compared).toBeLessThan(250_000)
  })

  test('a long list of known names is shortened; the fields of a kind are all listed', () => {
    expect(choice(undefined, names(5000))).toBe(`known: ${names(10).join(', ')} and 4990 more`)
    for (const { fields } of kinds) {
      const all = Object.keys(fields)
      if (all.length > 0) expect(choice(undefined, all)).toBe(`known: ${all.join(', ')}`)
    }
  })
})
