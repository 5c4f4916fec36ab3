import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { openRecords } from '../../src/records/open.js'
import { recordsContract } from './contract.js'

let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gatewright-records-'))
})

// The first one registered runs last: by then the contract has closed its stores.
afterEach(() => rmSync(dir, { recursive: true, force: true }))

recordsContract('a folder', {
  open: () => openRecords('file:.gatewright', { dir, now: () => 1_000 }),
  address: () => `file:${join(dir, '.gatewright')}`,
})
