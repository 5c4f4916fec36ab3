import { referredKind } from '../../catalog/queries.js'
import type { Field } from '../../catalog/types.js'
import { isWithin, pointerTo } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import type { FormContext } from '../../live/references-form.js'
import type { Variables } from '../../live/variables.js'
import type { Resource } from '../../manifest/resource.js'
import type { Edit, SetEdit } from '../../manifest/write/edit.js'
import type { Matches } from '../../planner/match/match.js'
import type { FieldChange } from '../../planner/plan.js'
import type { ReferenceScope } from '../../planner/references/scope.js'
import type { Problem } from '../../problems/problem.js'

/** `export`: also writes objects and fields that no manifest has; `drift`: writes only managed ones. */
export type WriteBackPurpose = 'export' | 'drift'

/** The new names of declared objects that somebody has renamed on the platform, by their declared addresses. */
export interface NewNames {
  readonly isEmpty: boolean
  nameOf(address: string): string | undefined
}

export interface Deciding {
  readonly world: Matches
  readonly references: ReferenceScope
  readonly forms: FormContext
  /** The variables for secrets that manifests contain in clear. They do not depend on `forms`. */
  readonly variables: Variables
  readonly purpose: WriteBackPurpose
  readonly renamed: NewNames
  /** Whether a difference is to be written. */
  wants(resource: Resource, field: FieldChange): boolean
  /** Whether a live object that no manifest has may be written. An object that a Removed document names may not. */
  mayAdd(object: LiveObject): boolean
  report(problem: Problem): void
}

export function setEdit(
  resource: Resource,
  field: Field | undefined,
  what: Pick<SetEdit, 'path' | 'value' | 'whole'>,
): Edit {
  const depth = field && referredKind(field) ? 'references' : 'exact'
  const holdsSecret = field && resource.sensitive.some((path) => isWithin(path, pointerTo(field.name)))
  const beside = holdsSecret ? 'beside a secret' : 'open'
  const secrecy = field?.secret ? 'secret' : beside
  return { is: 'set', at: resource.range.start, ...what, depth, secrecy, of: field ? 'field' : 'child' }
}
