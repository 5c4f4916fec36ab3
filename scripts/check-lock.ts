import { readFileSync } from 'node:fs'

/**
 * Checks that every optional dependency in package-lock.json has its own entry. If a registry lacks the package for the
 * architecture of one machine, `npm install` drops the entry silently, and then `npm ci` fails in the next clean clone.
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

/** Searches the package as Node does: in the folder of the dependent package, then in the folders above. */
function resolves(path: string, name: string): boolean {
  const folder = path === '' ? '' : `${path}/`
  if (Object.hasOwn(lock.packages, `${folder}node_modules/${name}`)) return true
  if (path === '') return false
  const outer = path.lastIndexOf('/node_modules/')
  return resolves(outer === -1 ? '' : path.slice(0, outer), name)
}
