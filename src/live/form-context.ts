import type { Problem } from '../problems/problem.js'
import type { AreaNames } from './area-names.js'
import type { Fullness } from './value-form.js'
import type { Variables } from './variables.js'

/** What live objects are written with. */
export interface FormContext {
  readonly names: AreaNames
  readonly variables: Variables
  readonly fullness: Fullness
  report(problem: Problem): void
}
