import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** One version, given in package.json: other files with a version must have the same. */

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { readonly version: string }

it('the newest heading of the changelog is the version of the package', () => {
  const [, newest] = /^## (\S+)/m.exec(read('CHANGELOG.md')) ?? []
  expect(newest).toBe(version)
})

it('the lock file has the version of the package', () => {
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version, packages: { '': { version } } })
})

it('the Action and the component install the version of the package, and name its tag', () => {
  for (const file of ['ci/github/action.yml', 'ci/gitlab/gatewright.yml']) {
    expect(/ version:\n.*\n +default: (\S+)/.exec(read(file))?.[1], file).toBe(version)
  }
  for (const file of ['ci/github/workflow.yaml', 'ci/gitlab/gatewright.yml']) {
    const tags = [...read(file).matchAll(/(?:ci\/github@|ref: )v(\S+)/g)].map(([, tag]) => tag)
    expect(new Set(tags), file).toEqual(new Set([version]))
  }
})
