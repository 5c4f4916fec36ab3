import { expect, test } from 'vitest'
import { recordsNotRead, recordsNotWritten } from '../../src/problems/records.js'

test('if the records may not be read, the hint does not suggest another place, where nothing is known', () => {
  const elsewhere = 'name another folder'
  expect(recordsNotWritten('r', 'EACCES', 'permission denied').hint).toContain(elsewhere)
  expect(recordsNotRead('r', 'EACCES', 'permission denied').hint).not.toContain(elsewhere)
})

test('a folder of records that is a file, and a file that is a folder, are reported with advice', () => {
  for (const reason of ['EISDIR', 'ENOTDIR', 'ELOOP'])
    expect(recordsNotRead('r', reason, 'why').hint).toContain('move it')
})
