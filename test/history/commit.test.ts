import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commitOf } from '../../src/history/worker.js'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-commit-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const user = ['-c', 'user.name=me', '-c', 'user.email=me@example.com', '-c', 'commit.gpgsign=false']
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', [...user, ...args], { cwd, encoding: 'utf8' }).trim()

test('the commit of a run is that of the repository, also from a folder in it or through a link', () => {
  const root = folder()
  const repository = join(root, 'repository')
  const inner = join(repository, 'area', 'east')
  mkdirSync(inner, { recursive: true })
  git(repository, 'init', '-q')
  expect(commitOf(repository, {})).toBe(undefined)
  git(repository, 'commit', '-qm', 'first', '--allow-empty')
  const commit = git(repository, 'rev-parse', 'HEAD')
  symlinkSync(inner, join(root, 'link'))
  expect([repository, inner, join(root, 'link')].map((dir) => commitOf(dir, {}))).toEqual([commit, commit, commit])
})

test('outside of git there is none', () => {
  const dir = folder()
  expect(commitOf(dir, {})).toBe(undefined)
  expect(commitOf(join(dir, 'gone'), {})).toBe(undefined)
})
