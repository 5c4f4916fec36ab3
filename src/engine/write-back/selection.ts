import { addressOf } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { findKind } from '../../catalog/queries.js'
import type { Kind } from '../../catalog/types.js'
import { nameMatcher } from '../../files/glob.js'

/** An object as one step of a path. */
interface NamedStep {
  readonly kind: string
  readonly key: string
}

/**
 * Returns a test: whether the objects of a path belong to an export. A pattern for something inside an object selects the whole
 * root object, because files contain whole trees.
 */
export function selects(globs: readonly string[], roots: readonly Kind[]): (path: readonly NamedStep[]) => boolean {
  const patterns = globs.map(rootOfGlob).map(nameMatcher)
  return ([root]) => {
    if (!root) return false
    const kind = findKind(root.kind)
    if (!kind || (roots.length > 0 && !roots.includes(kind))) return false
    const address = addressOf(catalog[kind.name], root.key, undefined)
    return patterns.length === 0 || patterns.some((fits) => fits(address))
  }
}

/** The part of a pattern for the root: a kind and a name. */
const rootOfGlob = (glob: string): string => glob.split('/').slice(0, 2).join('/')
