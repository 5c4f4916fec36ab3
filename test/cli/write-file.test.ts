import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeWhole } from '../../src/cli/write-file.js'

test('makes the folders that a file is in, and leaves nothing else behind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-write-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeWhole(join(folder, 'a/b/c.txt'), 'text', 0o600)
  expect(readFileSync(join(folder, 'a/b/c.txt'), 'utf8')).toBe('text')
  expect(readdirSync(join(folder, 'a/b'))).toEqual(['c.txt'])
})

// Node's own recursive mkdir never comes back from there.
test.runIf(process.platform === 'linux')('says where nothing can be written', () => {
  expect(() => writeWhole('/proc/nowhere/plan.json', 'text', 0o600, 'plan.json')).toThrow('plan.json cannot be written')
})
