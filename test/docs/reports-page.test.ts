import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandName, commands } from '../../src/cli/commands.js'
import { formatsOf, reportFormats } from '../../src/report/formats/formats.js'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/reference/reports.md'), 'utf8')

test('the page has every format with its commands', () => {
  const reporting = commands.flatMap((row) =>
    row.document === undefined ? [] : [{ name: commandName(row), of: row.document }],
  )
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| .* \| ([^|]+) \|$/gm)].map(([, format = '', of = '']) => [
    format,
    of,
  ])
  const expected = Object.keys(reportFormats).map((format) => {
    const has = reporting.filter(({ of }) => formatsOf(of).some((each) => each === format)).map(({ name }) => name)
    if (has.length === reporting.length) return [format, 'all']
    const lacks = reporting.filter(({ name }) => !has.includes(name)).map(({ name }) => name)
    return [format, lacks.length === 1 ? `all but ${lacks[0]}` : has.sort().join(', ')]
  })
  const sorted = rows.map(([format = '', of = '']) => [
    format,
    of.startsWith('all') ? of : of.split(', ').sort().join(', '),
  ])
  expect(sorted).toEqual(expected)
})

test('the page has every metric', () => {
  const code = readFileSync(join(root, 'src/report/formats/prometheus.ts'), 'utf8')
  const metrics = [...new Set(code.match(/\bgatewright_[a-z_]+/g))]
  expect(metrics.length).toBeGreaterThan(5)
  expect(metrics.filter((name) => !page.includes(`\`${name}`))).toEqual([])
})
