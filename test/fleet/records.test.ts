import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callBook, keepCount, recordedCounts } from '../../src/fleet/records.js'
import { folderWith } from '../kit/folder.js'

test('areas and keys may have the names of properties that every object inherits', async () => {
  const folder = join(folderWith({}), 'records')
  keepCount(folder, 'drift', 'acme', 4)
  expect(recordedCounts(folder, 'drift').constructor).toBeUndefined()
  const day = { key: 'constructor', day: '2027-01-31', perDay: 10 }
  expect(await callBook(folder).take(day, { least: 1, most: 5 })).toBe(5)
  expect(await callBook(folder).take(day, { least: 1, most: 50 })).toBe(5)
})
