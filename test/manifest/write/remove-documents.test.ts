import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plain } from '../../../src/manifest/node.js'
import { editText } from '../../../src/manifest/write/edit-text.js'
import { readYaml } from '../../../src/manifest/yaml/read-yaml.js'

/** Some documents of a file are removed: the others stay, however the documents are separated. */

const beginnings = ['--- # begins\n', '---\n', '--- ', '# before\n---\n', '']
const ends = ['', '...\n', '... # ends\n', '...\n# behind\n']

const drawn = fc.record({
  begin: fc.constantFrom(...beginnings),
  flow: fc.boolean(),
  end: fc.constantFrom(...ends),
  goes: fc.boolean(),
})

interface Drawn {
  readonly begin: string
  readonly flow: boolean
  readonly end: string
  readonly goes: boolean
}

/** Invalid files are drawn as well: two documents without a separator. */
function laidOut(all: readonly Drawn[]): string {
  return all
    .map(({ begin, flow, end }, index) => {
      const isApart = index === 0 || all[index - 1]?.end !== ''
      const start = begin === '' && !isApart ? '---\n' : begin
      const isInline = flow || start === '--- '
      const body = isInline ? `{name: d${index}} # of ${index}\n` : `name: d${index} # of ${index}\n`
      return start + body + end
    })
    .join('')
}

const context = { namingAt: () => 'name', fieldAt: () => undefined, resolve: (each: string) => each }

function without(text: string, goes: (index: number) => boolean): string | undefined {
  const edits = readYaml({ file: 'a.yaml', text }).documents.flatMap(({ range }, index) =>
    goes(index) ? [{ is: 'remove', at: range.start } as const] : [],
  )
  const { text: after, lost, shared } = editText(text, edits, { ...context, newMembers: 'never' })
  expect([lost, shared]).toEqual([[], []])
  return after
}

test('removing documents does not change the others', () => {
  fc.assert(
    fc.property(fc.array(drawn, { minLength: 1, maxLength: 4 }), fc.boolean(), (all, windows) => {
      const unix = laidOut(all)
      const text = windows ? unix.replaceAll('\n', '\r\n') : unix
      const after = without(text, (index) => all[index]?.goes ?? false)
      const left = all.flatMap(({ goes }, index) => (goes ? [] : [index]))
      if (left.length === 0) {
        expect(after).toBeUndefined()
        return
      }
      const { documents, problems } = readYaml({ file: 'a.yaml', text: after ?? '' })
      expect(problems, after).toEqual([])
      expect(documents.map(plain), after).toEqual(left.map((index) => ({ name: `d${index}` })))
      expect(after?.match(/# of \d/g), after).toEqual(left.map((index) => `# of ${index}`))
      const kept = all.filter(({ begin, goes }) => !goes && begin === '--- # begins\n').length
      expect(after?.match(/# begins/g)?.length ?? 0, after).toBe(kept)
      if (windows) expect(after).not.toMatch(/(?<!\r)\n/)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['a: 1\n---\nb: 1\n', 0, 'b: 1\n'],
  ['# head\na: 1\n---\nb: 1\n', 0, '# head\nb: 1\n'],
  ['a: 1\n--- {b: 1}\n', 0, '--- {b: 1}\n'],
  ['a: 1\n--- # of b\nb: 1\n', 0, '--- # of b\nb: 1\n'],
  ['a: 1\n...\nb: 1\n', 0, 'b: 1\n'],
  ['a: 1\n...\n# of b\nb: 1\n', 0, '# of b\nb: 1\n'],
  ['a: 1\n---\nb: 1\n...\nc: 1\n', 1, 'a: 1\n---\nc: 1\n'],
  ['a: 1\n...\n%YAML 1.2\n---\nb: 1\n', 1, 'a: 1\n...\n'],
  ['%YAML 1.2\n---\na: 1\n...\n%YAML 1.2\n---\nb: 1\n', 0, '%YAML 1.2\n---\nb: 1\n'],
  ['a: 1\n---\nb: 1', 1, 'a: 1\n'],
])('from %j the document %d is removed', (text, index, after) => {
  expect(without(text, (each) => each === index)).toBe(after)
})
