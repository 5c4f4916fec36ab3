import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { valueAt } from '../../../src/manifest/node.js'
import { placeOf } from '../../../src/manifest/source.js'
import { rangeInside } from '../../../src/manifest/yaml/inside.js'
import { readYaml } from '../../../src/manifest/yaml/read-yaml.js'

function scalarIn(text: string) {
  const [root] = readYaml({ file: 'a.yaml', text }).documents
  const node = root?.is === 'map' ? valueAt(root, 'a') : undefined
  if (node?.is !== 'scalar') throw new Error(`no scalar in ${text}`)
  return node
}

/** Line and column of a word in the text of a scalar. */
function placeOfWord(text: string, word: string): readonly [number, number] {
  const node = scalarIn(text)
  const start = String(node.value).indexOf(word)
  const { line, column } = placeOf(rangeInside(node, start, start + word.length))
  return [line, column]
}

describe('the position inside a scalar', () => {
  it.each([
    ['plain', 'a: one + here', [1, 10]],
    ['plain over lines', 'a: one\n  two\n\n  + here', [4, 5]],
    ['double quotes', 'a: "\\u0041 \\" here"', [1, 15]],
    ['double quotes over lines', 'a: "one \\\n    two\n    here"', [3, 5]],
    ['single quotes', "a: 'it''s here'", [1, 11]],
    ['a literal block', 'a: |\n  one\n\n    two here\n', [4, 9]],
    ['a literal block with explicit indentation', 'a: |2\n    one\n   here\n', [3, 4]],
    ['a folded block', 'a: >-\n  one\n  two\n\n  and here\n', [5, 7]],
    ['a folded block with a line that is not folded', 'a: >\n  one\n    two\n  here\n', [4, 3]],
    ['a block with Windows line breaks', 'a: |\r\n  one\r\n  here\r\n', [3, 3]],
    ['JSON', '{"a": "x\\n here"}', [1, 12]],
    ['a text after an anchor and a tag', 'a: &x !!str here', [1, 13]],
  ] as const)('is found in %s', (_, text, place) => {
    expect(placeOfWord(text, 'here')).toEqual(place)
  })

  it('is that of the same character, however the text is written', () => {
    const styles = fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED')
    const words = fc.array(fc.constantFrom('a', '&&', ' ', '\n', '"b"', "'c'", 'size(d)', '12', '  ', '>=', 'é', '🙂'))
    fc.assert(
      fc.property(words, styles, fc.constantFrom(8, 20, 80), (parts, style, lineWidth) => {
        const text = stringify({ a: parts.join('') }, { defaultStringType: style as 'PLAIN', lineWidth })
        const node = scalarIn(text)
        const value = String(node.value)
        const found = [...value].filter((sign) => /[a-z0-9(&>]/.test(sign))
        const offsets = [...value.matchAll(/[a-z0-9(&>]/g)].map(
          ({ index }) => rangeInside(node, index, index + 1).start,
        )
        expect(offsets.map((offset) => text[offset])).toEqual(found)
      }),
    )
  })
})
