import { expect, it } from 'vitest'
import { openRecords } from '../../src/stores/open.js'

it.each([
  'folder',
  'file:',
  'postgres:database',
  'postgresql:/database',
  'mysql://host/database',
  'file:~',
  'file:~/x',
])('records cannot be kept in "%s"', async (written) => {
  await expect(openRecords(written, { dir: '/', now: () => 0 })).rejects.toThrow(
    `records cannot be kept in "${written}"`,
  )
})
