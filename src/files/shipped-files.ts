import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file that comes with the program; its path starts in the folder that was asked for. */
export interface ShippedFile {
  readonly path: string
  readonly text: string
}

/** The files below a folder of the package, sorted by path. */
export function shippedFiles(folder: string): readonly ShippedFile[] {
  // Two folders below the package, as the bundle is.
  const root = fileURLToPath(new URL(`../../${folder}/`, import.meta.url))
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}
