import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only files that exist', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const paths = [...text.matchAll(/`([a-z0-9-]+(?:\/[a-z0-9.-]+)*\/[a-z0-9.-]*)`/g)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(0)
  const homes = ['', 'src', 'test']
  expect(paths.filter((path) => !homes.some((home) => existsSync(join(root, home, path))))).toEqual([])
})
