import type { Kind } from '../catalog/types.js'
import type { Problem } from '../problems/problem.js'
import type { Node } from './node.js'

/** What the readers of one object's fields have in common. */
export interface Scope {
  readonly kind: Kind
  /** Whether unknown fields are passed through with a warning (`metadata.extraFields`), or are an error. */
  readonly extraFields: 'pass' | 'refuse'
  readonly clearSecrets: 'warning' | 'error'
  report(problem: Problem): void
  /** List entries that are left out of the result because they have mistakes. */
  readonly leftOut: Node[]
}

export type Reporter = Pick<Scope, 'report'>
