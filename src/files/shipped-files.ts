import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file that comes with the program; its path is relative to the requested folder. */
interface ShippedFile {
  readonly path: string
  readonly text: string
}

// The package is two folders above this module, also in the bundle. A single-file program contains these files itself
// (scripts/bundle.ts).
const shippedPath = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** The text of a file of the package. */
export const shippedText = (path: string): string => readFileSync(shippedPath(path), 'utf8')

/** The files below a folder of the package, sorted by path. */
export function shippedFiles(folder: string): readonly ShippedFile[] {
  const root = shippedPath(`${folder}/`)
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}
