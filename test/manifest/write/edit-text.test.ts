import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/json/json.js'
import { type Node, nodeAt, plain } from '../../../src/manifest/node.js'
import type { Edit } from '../../../src/manifest/write/edit.js'
import { editText } from '../../../src/manifest/write/edit-text.js'
import { readYaml } from '../../../src/manifest/yaml/read-yaml.js'

/** Children that are only names, and then get fields. */

const documentsIn = (text: string): readonly Node[] => {
  const { documents, problems } = readYaml({ file: 'a.yaml', text })
  expect(problems, text).toEqual([])
  return documents
}

/** A service with these endpoints, of which the one at that position gets the field. */
function edited(endpoints: string, pointer: string, field: string, value: Json): string {
  const text = `kind: Service\nspec:\n  endpoints:${endpoints}\n  version: x # z\n`
  const node = documentsIn(text).map((root) => nodeAt(root, pointer))[0]
  const set = { is: 'set', path: [field], value, whole: value, depth: 'exact', secrecy: 'open', of: 'field' } as const
  const edit: Edit = { ...set, at: node?.range.start ?? expect.fail('nothing there') }
  const context = {
    namingAt: () => 'name',
    fieldAt: () => (pointer === '' ? undefined : 'endpoints'),
    resolve: (each: string) => each,
  }
  const { text: after, lost, shared } = editText(text, [edit], { ...context, newMembers: 'never' })
  expect([lost, shared]).toEqual([[], []])
  return after ?? ''
}

const values: readonly Json[] = ['/x', 'l1\nl2\n', { maxAge: 5 }, [{ name: 'm' }, { name: 'n' }], 'long '.repeat(40)]

test.each([
  [' e # why', '/spec/endpoints', ['e']],
  [' "e"', '/spec/endpoints', ['e']],
  ['\n    - e # why\n    # below\n    - f # last', '/spec/endpoints/0', ['e', 'f']],
  ['\n    - e\n    - f # why', '/spec/endpoints/1', ['e', 'f']],
  [' [e, # why\n    f]', '/spec/endpoints/0', ['e', 'f']],
] as const)(
  'a child that is only a name becomes a mapping, and its comment stays outside its fields: %j',
  (endpoints, pointer, names) => {
    const index = pointer.endsWith('/1') ? 1 : 0
    for (const value of values) {
      const after = edited(endpoints, pointer, 'field', value)
      const [root] = documentsIn(after).map(plain) as readonly JsonObject[]
      const entries: Json[] = [...names]
      entries[index] = { name: names[index] ?? '', field: value }
      expect(root, after).toEqual({ kind: 'Service', spec: { endpoints: entries, version: 'x' } })
      expect(after.match(/#.*/g)).toEqual([...(endpoints.match(/#.*/g) ?? []), '# z'])
    }
  },
)

test.each(['', '/spec/endpoints/0'])(
  'brackets that close at the indentation of their key do not prevent a new field: at "%s"',
  (pointer) => {
    const endpoints = ' [\n    {\n    name: e, # why\n    cors: {\n      maxAge: 1 # one\n    },\n    # last\n  },\n  ]'
    for (const value of values) {
      const after = edited(endpoints, pointer, 'field', value)
      const isInside = pointer !== ''
      const entry = { name: 'e', cors: { maxAge: 1 }, ...(isInside && { field: value }) }
      const spec = { endpoints: [entry], version: 'x', ...(!isInside && { field: value }) }
      expect(documentsIn(after).map(plain), after).toEqual([{ kind: 'Service', spec }])
      expect(after.match(/#.*/g), after).toEqual(['# why', '# one', '# last', '# z'])
    }
  },
)
