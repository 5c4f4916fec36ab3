import type { Kind } from '../catalog/types.js'
import type { Problem } from '../problems/problem.js'
import type { Node } from './node.js'

/** What the readers of one object's fields share. */
export interface Scope {
  readonly kind: Kind
  /** Fields that nobody knows: passed through with a warning (`metadata.extraFields`), or an error. */
  readonly extraFields: 'pass' | 'refuse'
  readonly clearSecrets: 'warning' | 'error'
  report(problem: Problem): void
  /** Entries of lists that are no part of what is read: something is wrong with them. */
  readonly leftOut: Node[]
}

export type Reporter = Pick<Scope, 'report'>
