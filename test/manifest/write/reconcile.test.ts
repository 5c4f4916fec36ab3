import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse, type YAMLMap } from 'yaml'
import type { Json, JsonObject } from '../../../src/json/json.js'
import { editLayers } from '../../../src/manifest/write/edit-layers.js'
import { reconcile } from '../../../src/manifest/write/reconcile.js'
import { inLinesOf, spliced } from '../../../src/manifest/write/splice.js'
import { TextEditor } from '../../../src/manifest/write/text-editor.js'
import { locationsIn, pairOf } from '../../../src/manifest/write/yaml-locations.js'
import { readYaml } from '../../../src/manifest/yaml/read-yaml.js'
import { laidOut } from '../../kit/laid-out.js'

/** Laws of editing a text in place, for random values in random layouts: blocks, brackets, quotes, comments, line ends. */

const texts = [
  '',
  'a',
  'x: y',
  '# c',
  'true',
  '- a',
  'l1\nl2\n',
  "it's",
  '"q"',
  ' lead',
  '~',
  '*a',
  '{a}',
  'a, b',
  '|',
  'a #b',
]
const scalar = fc.constantFrom<Json>(...texts, 1, 2.5, true, null, 'ü\n two\nlines', 'long '.repeat(30))
const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e f', 'ü', '1', 'true', 'x:y', '#', '- d', 'long'.repeat(300))
const mapOf = (value: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> =>
  fc.dictionary(keys, value, { maxKeys: 5, noNullPrototype: true })
const valueWith = (entries: 'any' | 'scalars') =>
  fc.letrec<{ value: Json; list: Json }>((tie) => ({
    value: fc.oneof({ depthSize: 'medium' }, scalar, tie('list'), mapOf(tie('value'))),
    list: fc.array(entries === 'any' ? tie('value') : scalar, { maxLength: 4 }),
  })).value

const isReadable = (text: string): boolean => readYaml({ file: 'drawn.yaml', text }).problems.length === 0

/** The text with another value of `held`. */
function changed(
  text: string,
  desired: Json,
  lists: 'in order' | 'as sets',
  resolve = (each: string): string => each,
): string {
  const { documents, follow } = locationsIn(text)
  const root = documents[0]?.contents as YAMLMap
  const pair = pairOf(root, 'held')
  if (!pair) throw new Error('no pair is held')
  const editor = new TextEditor(text)
  const context = { editor, depth: 'exact', lists, follow, resolve } as const
  reconcile(pair, root.flow ? 'flow' : 'block', desired, { ...context, replacing: () => undefined })
  return spliced(text, inLinesOf(text, editor.finish()))
}

/** The entries of a list in one order. */
const sorted = (value: Json): Json =>
  JSON.parse(JSON.stringify(value), (_, each) =>
    Array.isArray(each) ? each.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)) : each,
  )

test.each([
  ['in order', 'any'],
  ['as sets', 'scalars'],
] as const)('an edited text has the new value, and everything else stays: lists %s', (lists, entries) => {
  const maps = mapOf(valueWith(entries))
  fc.assert(
    fc.property(maps, maps, fc.infiniteStream(fc.nat(9)), (before, desired, layout) => {
      const whole = { first: 1, held: before, last: [1, 2] }
      const text = laidOut(whole, () => layout.next().value ?? 0)
      fc.pre(isReadable(text) && JSON.stringify(parse(text)) === JSON.stringify(whole))
      const after = changed(text, desired, lists)
      expect(isReadable(after), after).toBe(true)
      const [said, wanted]: Json[] = [parse(after), { first: 1, held: desired, last: [1, 2] }]
      if (lists === 'in order') expect(said, after).toEqual(wanted)
      else expect(sorted(said ?? null), after).toEqual(sorted(wanted ?? null))
      expect(changed(after, desired, lists)).toBe(after)
    }),
    { numRuns: Number(process.env.LAW_RUNS ?? 150) },
  )
})

test.each([
  ['? held\nlast: 1\n', '? held\n: 2\nlast: 1\n'],
  ['first: 1\n? held # why', 'first: 1\n? held # why\n: 2\n'],
  ['? held\r\nlast: 1\r\n', '? held\r\n: 2\r\nlast: 1\r\n'],
  ['? |-\n  held\nlast: 1\n', '? |-\n  held\n: 2\nlast: 1\n'],
  ['{held, last: 1}\n', '{held: 2, last: 1}\n'],
  ['{first: 1, ? held , last: 1}\n', '{first: 1, ? held: 2 , last: 1}\n'],
  ['{"held"\n, last: 1}\n', '{"held": 2\n, last: 1}\n'],
])('a key without a colon can get a value: %j', (text, after) => {
  expect(changed(text, 2, 'in order')).toBe(after)
  for (const value of [{ a: 1, b: [1, { c: 2 }] }, [1, [2]], 'l1\nl2\n', 'long '.repeat(30), null, []]) {
    const other = changed(text, value, 'in order')
    expect(isReadable(other), other).toBe(true)
    expect(parse(other), other).toEqual({ ...parse(text), held: value })
    expect(changed(other, value, 'in order')).toBe(other)
  }
})

test.each([
  ['\uFEFFheld: 1\nlast: 1\n', '\uFEFFheld:\n  a: 1\n  b:\n    - c: 2\nlast: 1\n'],
  ['\uFEFFheld:\n  a: 1\n', '\uFEFFheld:\n  a: 1\n  b:\n    - c: 2\n'],
  ['\uFEFFheld:\n- 1\n', '\uFEFFheld:\n  a: 1\n  b:\n    - c: 2\n'],
  ['\uFEFF? held\nlast: 1\n', '\uFEFF? held\n:\n  a: 1\n  b:\n    - c: 2\nlast: 1\n'],
])('a byte order mark does not count as a column: %j', (text, after) => {
  expect(changed(text, { a: 1, b: [{ c: 2 }] }, 'in order')).toBe(after)
})

test('a byte order mark stays if the first pair is removed and another one is added', () => {
  const root = (text: string) => locationsIn(text).documents[0]?.contents as YAMLMap
  const text = '\uFEFFheld: 1\nlast: 1\n'
  const map = root(text)
  const editor = new TextEditor(text)
  const pair = pairOf(map, 'held')
  if (pair) editor.removePair(map, pair, 'block')
  editor.addPair(map, 'block', 'more', { a: 1 })
  expect(spliced(text, editor.finish())).toBe('\uFEFFlast: 1\nmore:\n  a: 1\n')
})

/** This does not end if the time grows with the square of a comment's length, or faster. */
test('an entry between brackets can be removed, whatever comment follows it', () => {
  const banner = '#'.repeat(100)
  expect(changed(`held: [\n  get,\n  post ${banner}\n  ]\n`, ['get'], 'as sets')).toBe('held: [\n  get,\n  ]\n')
  const below = changed(`held: [\n  get ${banner}\n  # of post\n  , post\n  ]\n`, ['post'], 'as sets')
  expect(parse(below)).toEqual({ held: ['post'] })
  expect(below).toContain('# of post')
})

test.each<[string, Json, string]>([
  ['held: [\n  # none yet\n  ]\nlast: 1\n', ['a'], 'held: [a\n  # none yet\n  ]\nlast: 1\n'],
  ['held: [ # none yet\n  ] # of $& all\n', [{ a: 1 }], 'held: # of $& all\n  # none yet\n  - a: 1\n'],
  ['held: {\n  # one\n  # two\n  }\n', { a: [{ b: 1 }] }, 'held:\n  # one\n  # two\n  a:\n    - b: 1\n'],
  ['held: [\n  # none\n  ]\n', 'a\nb\n', 'held: |\n  a\n  b\n'],
])('a comment between brackets without other content stays: %j', (text, value, after) => {
  expect(changed(text, value, 'in order')).toBe(after)
  expect(parse(after)).toEqual({ ...parse(text), held: value })
})

test('a key without a colon can be removed, and others can be added after it', () => {
  const edited = (text: string, edit: (editor: TextEditor, root: YAMLMap) => void): string => {
    const root = locationsIn(text).documents[0]?.contents as YAMLMap
    const editor = new TextEditor(text)
    edit(editor, root)
    return spliced(text, editor.finish())
  }
  const pairIn = (root: YAMLMap, name: string) => pairOf(root, name) ?? expect.fail(`no pair ${name}`)
  for (const text of ['first: {a: 1}\n? held\nlast: {b: 1}\n', '{first: {a: 1}, held, last: {b: 1}}\n']) {
    const style = text.startsWith('{') ? 'flow' : 'block'
    const gone = edited(text, (editor, root) => editor.removePair(root, pairIn(root, 'held'), style))
    expect(parse(gone), gone).toEqual({ first: { a: 1 }, last: { b: 1 } })
  }
  for (const text of ['first: {a: 1}\n? held\n', 'first: {a: 1}\n? held', '{first: {a: 1}, held}\n']) {
    const style = text.startsWith('{') ? 'flow' : 'block'
    const more = edited(text, (editor, root) => {
      editor.addPair(root, style, 'more', 3)
      editor.replaceValue(pairIn(root, 'held'), style, 2)
    })
    expect(parse(more), more).toEqual({ first: { a: 1 }, held: 2, more: 3 })
  }
})

test.each([...['010', '1.0', '0x1F', '1e3', 'True', '~', '"1.0"', '"<<"', '12345678901234567890']])(
  'a key stays as it is written, whatever else it could mean: %s',
  (key) => {
    const name = key.replaceAll('"', '')
    const text = `held:\n  ${key}: a # why\n  b: c\n`
    expect(changed(text, { [name]: 'a', b: 'd' }, 'in order')).toBe(`held:\n  ${key}: a # why\n  b: d\n`)
  },
)

test('an environment with a name that looks like a number is found, and not written a second time', () => {
  const text = 'kind: Project\nspec:\n  environments:\n    1.0:\n      # why\n      values: {a: 1}\n'
  const edit = { is: 'value', name: 'a', value: 2 } as const
  const edited = editLayers(text, { environment: '1.0', form: 'project' }, [edit], { resolve: (each) => each })
  expect(edited).toEqual({ text: text.replace('1}', '2}'), refused: [] })
})

test.each([
  ['held: # why\nlast: 1\n', 'held: | # why\n  l1\n  l2\nlast: 1\n'],
  ['held:\t# why\nlast: 1\n', 'held: |\t# why\n  l1\n  l2\nlast: 1\n'],
  ['held:\nlast: 1\n', 'held: |\n  l1\n  l2\nlast: 1\n'],
])('a key without a value can get a text of several lines, and keeps its comment: %j', (text, after) => {
  expect(changed(text, 'l1\nl2\n', 'in order')).toBe(after)
  expect(changed(text, { a: 1 }, 'in order')).toBe(text.replace('\nlast', '\n  a: 1\nlast'))
})

test.each([
  ['held: !!str 5 # why\n', 'held: null # why\n'],
  ['held: &a !!str 5\nlast: *a\n', 'held: &a null\nlast: *a\n'],
  ['held: !!str &a 5\nlast: *a\n', 'held: &a null\nlast: *a\n'],
  ['held:\n  # !important\n  !!map {a: 1}\n', 'held:\n  # !important\n  null\n'],
])('a tag is removed with its value: %j', (text, after) => {
  expect(changed(text, null, 'in order')).toBe(after)
})

/** A comment with the indentation of the lines of a text would become a part of it. */
test.each([
  'held:\n    # note\nlast: 1\n',
  'held: a\n\n    # note\nlast: 1\n',
  'held:\n  # of a\n  a: 1\n  # note\nlast: 1\n',
  'held:\n  a: 1\n    # note\nlast: 1\n',
  'held:\n  - a\n    # note\nlast: 1\n',
])('a comment below a value does not become a part of a text in it: %j', (text) => {
  for (const value of ['l1\nl2\n', { a: 'l1\nl2\n' }, { a: 1, b: 'l1\nl2\n' }, ['a', 'l1\nl2\n'], [{ a: 'l1\nl2' }]]) {
    const after = changed(text, value, 'in order')
    expect(parse(after), after).toEqual({ held: value, last: 1 })
    expect(after).toContain('# note\nlast: 1\n')
    expect(changed(after, value, 'in order')).toBe(after)
  }
})

test('each entry of a long list is read a few times, not once for each other entry', () => {
  const entries = Array.from({ length: 300 }, (_, index) => `entry ${index}`)
  let resolved = 0
  const text = `held:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`
  const after = changed(text, [...entries.slice(1).reverse(), 'new'], 'as sets', (each) => {
    resolved += 1
    return each
  })
  expect(parse(after)).toEqual({ held: [...entries.slice(1), 'new'] })
  expect(resolved).toBeLessThan(10 * entries.length)
})
