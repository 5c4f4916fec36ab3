import { expect, test } from 'vitest'
import { rememberingReader } from '../../../src/manifest/yaml/known-texts.js'

test('a file is read again only where its text is another one, and its places name the file', () => {
  const read = rememberingReader()
  const first = read({ file: 'a.yaml', text: 'a: 1\n' })
  expect(read({ file: 'a.yaml', text: 'a: 1\n' })).toBe(first)
  const [other] = read({ file: 'a.yaml', text: 'a: 2\n' }).documents
  expect(other).not.toEqual(first.documents[0])
  const [elsewhere] = read({ file: 'b.yaml', text: 'a: 1\n' }).documents
  expect(elsewhere?.mark.source.file).toBe('b.yaml')
})
