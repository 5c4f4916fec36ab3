import type { Kind } from '../catalog/types.js'
import type { Problem } from '../problems/problem.js'

/** What the readers of one object's fields share. */
export interface Scope {
  readonly kind: Kind
  /** Fields that nobody knows: passed through with a warning (`metadata.extraFields`), or an error. */
  readonly extraFields: 'pass' | 'refuse'
  readonly clearSecrets: 'warning' | 'error'
  report(problem: Problem): void
}

export type Reporter = Pick<Scope, 'report'>
