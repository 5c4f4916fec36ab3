import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder, which is removed when the test ends. */
export function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A temporary folder with files. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const dir = temporaryFolder()
  for (const [path, text] of Object.entries(files)) writeIn(dir, path, text)
  return dir
}

/** Writes a file and creates its folders. */
export function writeIn(dir: string, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
}
