import { readFileSync } from 'node:fs'

/**
 * Every optional dependency that package-lock.json names must have an entry of its own. A registry that lacks the package
 * of one machine's architecture makes `npm install` drop the entry silently, and `npm ci` fail in the next clean clone.
 */

interface Lock {
  readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>
}

const lock: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))

const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
  Object.keys(entry.optionalDependencies ?? {})
    .filter((name) => !resolves(path, name))
    .map((name) => `${name} (of ${path || 'the project'})`),
)

for (const line of missing) process.stderr.write(`package-lock.json has no entry for ${line}\n`)
process.exitCode = missing.length === 0 ? 0 : 1

/** Looks for the package as Node does: in the folder of the one that needs it, then in the folders around it. */
function resolves(path: string, name: string): boolean {
  const folder = path === '' ? '' : `${path}/`
  if (Object.hasOwn(lock.packages, `${folder}node_modules/${name}`)) return true
  if (path === '') return false
  const outer = path.lastIndexOf('/node_modules/')
  return resolves(outer === -1 ? '' : path.slice(0, outer), name)
}
