import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { allSchemas } from '../src/catalog/json-schema.js'
import { kindsPage } from './kinds-page.js'
import { problemsPage } from './problems-page.js'

/**
 * Writes the JSON Schemas of all kinds into `schemas/` and the reference pages of kinds and problems; with --check it only
 * tells, by exit code 1, whether they differ.
 */

const root = join(import.meta.dirname, '..')
// Schemas of plans and snapshots come from elsewhere: files that are not of ours are left alone.
const desired = new Map([
  ...Object.entries(allSchemas()).map(([file, schema]): [string, string] => [
    `schemas/${file}`,
    `${JSON.stringify(schema, null, 2)}\n`,
  ]),
  ['docs/kinds.md', kindsPage()],
  ['docs/problems.md', problemsPage()],
])

const differing = [...desired].filter(([file, text]) => {
  const path = join(root, file)
  return !existsSync(path) || readFileSync(path, 'utf8') !== text
})

if (process.argv.includes('--check')) {
  for (const [file] of differing) console.error(`${file} differs: run npm run schemas`)
  process.exitCode = differing.length > 0 ? 1 : 0
} else {
  for (const [file, text] of differing) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
}
