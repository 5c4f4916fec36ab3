import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/explanation/decisions.md'), 'utf8')
const decided = [...page.matchAll(/^- \*\*(A\d+)\./gm)].map(([, number = '']) => number)

it('no two decisions have the same number', () => {
  expect(decided.length).toBeGreaterThan(100)
  expect(decided.filter((number, index) => decided.indexOf(number) !== index)).toEqual([])
})

it('code cites only existing decisions', () => {
  const cited = ['src', 'test', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => readFileSync(join(root, folder, path), 'utf8').match(/(?<=[( ])A\d{1,3}(?=[),;.])/g) ?? []),
  )
  expect(cited.length).toBeGreaterThan(50)
  expect(cited.filter((number) => !decided.includes(number))).toEqual([])
})
