import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** One version, stated in package.json: other files that name it must follow. */

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { readonly version: string }

it('the newest heading of the changelog is the version of the package', () => {
  const [, newest] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? []
  expect(newest).toBe(version)
})

it('the lock file has the version of the package', () => {
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version, packages: { '': { version } } })
})
