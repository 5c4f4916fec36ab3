import type { Dialect } from './settings.js'

/** The `fields` parameter: property paths as a tree. */

/** One step of property paths. */
export interface Paths {
  /** A path ends here: the object itself was named. */
  readonly whole: boolean
  /** `*` ends a path here: everything that the object says of itself was named. */
  readonly every?: boolean
  readonly inner: ReadonlyMap<string, Paths>
}

interface Growing {
  whole: boolean
  every?: boolean
  readonly inner: Map<string, Growing>
}

/**
 * The tree of all paths in the parameter's values (comma-joined, repeated), or undefined where none is given. The document
 * does not have `*`: in its dialect it is a name like any other (A234).
 */
export function parsePaths(values: readonly string[], dialect: Dialect): Paths | undefined {
  const paths = values
    .flatMap((value) => value.split(','))
    .map((path) => path.trim())
    .filter((path) => path !== '')
  if (paths.length === 0) return undefined
  const root: Growing = { whole: false, inner: new Map() }
  for (const path of paths) grow(root, path.split('.'), dialect)
  return root
}

function grow(root: Growing, steps: readonly string[], dialect: Dialect): void {
  let node = root
  for (const step of steps) {
    if (step === '*' && dialect === 'recorded') {
      node.every = true
      return
    }
    const next = node.inner.get(step) ?? { whole: false, inner: new Map() }
    node.inner.set(step, next)
    node = next
  }
  node.whole = true
}
