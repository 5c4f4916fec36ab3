import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { allSchemas } from '../src/catalog/json-schema.js'
import { commandsPage } from './reference/commands-page.js'
import { documentSchemas, jsonPage } from './reference/document-schemas.js'
import {
  fleetPage,
  hazardsPage,
  metadataPage,
  openApiPage,
  policiesPage,
  projectPage,
} from './reference/documents-pages.js'
import { exitCodesPage } from './reference/exit-codes-page.js'
import { kindsPage } from './reference/kinds-page.js'
import { problemsPage } from './reference/problems-page.js'
import { variablesPage } from './reference/variables-page.js'

/**
 * Writes the JSON Schemas of all kinds to `schemas/` and the reference pages to `docs/reference/`. With --check it only compares
 * them, and exits with 1 if they differ.
 */

const root = join(import.meta.dirname, '..')
// Files that are not generated here are left alone, such as the handwritten schemas of plan, drift and diff.
const desired = new Map([
  ...Object.entries({ ...allSchemas(), ...documentSchemas() }).map(([file, schema]): [string, string] => [
    `schemas/${file}`,
    `${JSON.stringify(schema, null, 2)}\n`,
  ]),
  ['docs/reference/commands.md', commandsPage()],
  ['docs/reference/environment-variables.md', variablesPage()],
  ['docs/reference/exit-codes.md', exitCodesPage()],
  ['docs/reference/fleet-file.md', fleetPage()],
  ['docs/reference/hazards.md', hazardsPage()],
  ['docs/reference/json.md', jsonPage()],
  ['docs/reference/kinds.md', kindsPage()],
  ['docs/reference/metadata.md', metadataPage()],
  ['docs/reference/openapi.md', openApiPage()],
  ['docs/reference/policies.md', policiesPage()],
  ['docs/reference/problems.md', problemsPage()],
  ['docs/reference/project-file.md', projectPage()],
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
