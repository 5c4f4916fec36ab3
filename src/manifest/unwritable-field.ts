import type { Field } from '../catalog/types.js'
import { ignoredField, readOnlyField } from '../problems/manifests.js'
import type { Place, Problem } from '../problems/problem.js'

/** A field that no manifest and no layer of it can write. */
export function unwritableField(place: Place, kind: string, { name, readOnly }: Field): Problem {
  if (readOnly !== undefined) return readOnlyField(place, kind, name, readOnly)
  const hint = name === 'id' ? 'metadata.id pins one live object; otherwise remove it' : 'remove it'
  return ignoredField(place, kind, name, hint)
}
