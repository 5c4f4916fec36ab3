import { expect, test } from 'vitest'
import { recordsNotRead, recordsNotWritten } from '../../src/problems/records.js'

test('whoever may not read the records is not sent to another place, where nothing is known', () => {
  const elsewhere = 'name another folder'
  expect(recordsNotWritten('r', 'EACCES', 'permission denied').hint).toContain(elsewhere)
  expect(recordsNotRead('r', 'EACCES', 'permission denied').hint).not.toContain(elsewhere)
})

test('a folder of records that is none, and a file that is a folder, come with what to do about them', () => {
  for (const reason of ['EISDIR', 'ENOTDIR', 'ELOOP'])
    expect(recordsNotRead('r', reason, 'why').hint).toContain('move it')
})
