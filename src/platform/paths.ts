import type { Dialect } from './settings.js'

/** One step of the property paths of the `fields` parameter, as a tree. */
export interface Paths {
  /** A path ends here: it names the object itself. */
  readonly whole: boolean
  /** A path ends here with `*`: it names everything that the object says about itself. */
  readonly every?: boolean
  readonly inner: ReadonlyMap<string, Paths>
}

interface Growing {
  whole: boolean
  every?: boolean
  readonly inner: Map<string, Growing>
}

/**
 * The tree of all paths in the parameter's values (separated by commas or in repeated parameters); undefined if there are none.
 * The document does not have `*`: in its dialect it is a name like any other (A234).
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
