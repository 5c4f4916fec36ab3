import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { committedAt } from '../../src/history/worker.js'
import { temporaryFolder } from '../kit/folder.js'
import { git } from '../kit/git.js'

test('the commit of a run is that of the repository, also from a subfolder or through a link', () => {
  const root = temporaryFolder()
  const repository = join(root, 'repository')
  const inner = join(repository, 'area', 'east')
  mkdirSync(inner, { recursive: true })
  git(repository, 'init', '-q')
  expect(committedAt(repository, [])).toBe(undefined)
  git(repository, 'commit', '-qm', 'first', '--allow-empty')
  const commit = git(repository, 'rev-parse', 'HEAD').trim()
  symlinkSync(inner, join(root, 'link'))
  expect([repository, inner, join(root, 'link')].map((dir) => committedAt(dir, [])?.commit)).toEqual([
    commit,
    commit,
    commit,
  ])
})

test.each(['read.yaml', '*.yaml', 'generated/'])('a tree is dirty if a read file is ignored by git: %s', (pattern) => {
  const dir = temporaryFolder()
  git(dir, 'init', '-q')
  writeFileSync(join(dir, '.gitignore'), pattern)
  git(dir, 'add', '.')
  git(dir, 'commit', '-qm', 'first')
  mkdirSync(join(dir, 'generated'))
  const read = join(dir, pattern === 'generated/' ? 'generated/read.yaml' : 'read.yaml')
  writeFileSync(read, 'one')
  expect(committedAt(dir, [])?.isDirty).toBe(false)
  expect(committedAt(dir, [read])?.isDirty).toBe(true)
})

test('outside a repository there is no commit', () => {
  const dir = temporaryFolder()
  expect(committedAt(dir, [])).toBe(undefined)
  expect(committedAt(join(dir, 'gone'), [])).toBe(undefined)
})

test('a tree is dirty if a tracked file has changed or is gone, or if a read file is untracked', () => {
  const dir = temporaryFolder()
  git(dir, 'init', '-q')
  const [known, read, other] = ['known.yaml', 'read.yaml', 'other.yaml'].map((name) => join(dir, name))
  if (!known || !read || !other) throw new Error('the test lacks its files')
  writeFileSync(known, 'one')
  git(dir, 'add', '.')
  git(dir, 'commit', '-qm', 'first')
  const isDirty = () => committedAt(dir, [known, read].filter(existsSync))?.isDirty
  expect(isDirty()).toBe(false)
  writeFileSync(other, 'nobody reads it')
  expect(isDirty()).toBe(false)
  writeFileSync(read, 'new')
  expect(isDirty()).toBe(true)
  rmSync(read)
  writeFileSync(known, 'two')
  expect(isDirty()).toBe(true)
  rmSync(known)
  expect(isDirty()).toBe(true)
})
