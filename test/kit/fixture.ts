import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text of a file in test/fixtures. */
export const fixture = (path: string): string => readFileSync(join(import.meta.dirname, '../fixtures', path), 'utf8')
