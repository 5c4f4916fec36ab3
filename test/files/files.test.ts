import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { nodeFiles } from '../../src/files/files.js'

it('a check for a file that is deleted at this moment gives yes or no, and no error', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-files-'))
  const write =
    "const fs = require('fs'); for (;;) { fs.writeFileSync(process.argv[1], ''); fs.unlinkSync(process.argv[1]) }"
  const writer = spawn(process.execPath, ['-e', write, join(dir, 'fleet.yaml')], { stdio: 'ignore' })
  onTestFinished(async () => {
    const gone = once(writer, 'exit')
    writer.kill('SIGKILL')
    await gone
    rmSync(dir, { recursive: true, force: true })
  })
  const files = nodeFiles(dir)
  const seen = new Set<string>()
  const ask = (ms: number, isEnough: () => boolean): void => {
    for (const until = Date.now() + ms; Date.now() < until && !isEnough(); ) seen.add(files.exists('fleet.yaml'))
  }
  // The writer takes a moment to start.
  ask(20_000, () => seen.has('file'))
  ask(1_000, () => false)
  expect([...seen].sort()).toEqual(['file', 'no'])
})

it('a broken link is listed, but not the lock file of an editor', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-files-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  writeFileSync(join(dir, 'a.yaml'), '')
  symlinkSync('nowhere', join(dir, 'b.yaml'))
  symlinkSync('jane@desk.4711:1795000000', join(dir, '.#a.yaml'))
  expect(nodeFiles(dir).list('.')).toEqual(['a.yaml', 'b.yaml'])
})
