import { expect, test } from 'vitest'
import { filesText } from '../../src/report/export.js'

const told = (code: string, severity: 'note' | 'warning', file?: string) =>
  [{ code, severity, message: '', ...(file !== undefined && { file, line: 1, column: 1 }) }] as const

test.each([
  ['the manifests are complete', [], 'Nothing to write'],
  ['a difference stays, with a position', told('not-written', 'warning', 'a.yaml'), 'Nothing was written'],
  ['a difference stays, without a position', told('not-written', 'warning'), 'Nothing was written'],
  ['secrets are omitted', told('secrets-left-out', 'note'), 'Nothing to write'],
])('the message if no file was written: %s', (_, problems, words) => {
  expect(filesText([], problems, 'all is said').output).toContain(words)
})
