import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allSchemas } from '../src/catalog/json-schema.js'

/** Writes the JSON Schemas of all kinds into `schemas/`; with --check it only tells, by exit code 1, whether they differ. */

const folder = join(import.meta.dirname, '..', 'schemas')
const wanted = new Map(
  Object.entries(allSchemas()).map(([file, schema]) => [file, `${JSON.stringify(schema, null, 2)}\n`]),
)

mkdirSync(folder, { recursive: true })
const present = readdirSync(folder).filter((file) => file.endsWith('.schema.json'))
// Schemas of plans and snapshots come from elsewhere: files that are not of ours are left alone.
const differing = [...wanted].filter(
  ([file, text]) => !present.includes(file) || readFileSync(join(folder, file), 'utf8') !== text,
)

if (process.argv.includes('--check')) {
  for (const [file] of differing) console.error(`schemas/${file} differs: run npm run schemas`)
  process.exitCode = differing.length > 0 ? 1 : 0
} else {
  for (const [file, text] of differing) writeFileSync(join(folder, file), text)
}
