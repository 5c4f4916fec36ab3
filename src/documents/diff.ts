import type { Json } from '../json/json.js'
import type { Difference, FieldDifference } from '../planner/compare-areas.js'
import { masked } from '../secrets/hidden-words.js'
import { holdsSecret } from '../secrets/mask.js'

/** Two sides compared, as it is written down: no secret is in it. */
export interface DiffDocument {
  readonly format: 'gatewright.diff/1'
  /** The sides, as the user named them. */
  readonly a: string
  readonly b: string
  readonly summary: { readonly onlyInA: number; readonly onlyInB: number; readonly different: number }
  readonly differences: readonly Difference[]
}

export function diffDocument(
  a: string,
  b: string,
  differences: readonly Difference[],
  mask: (text: string) => string,
): DiffDocument {
  const count = (where: Difference['in']) => differences.filter((each) => each.in === where).length
  return {
    format: 'gatewright.diff/1',
    a,
    b,
    summary: { onlyInA: count('a'), onlyInB: count('b'), different: count('both') },
    differences: differences.map((each) => ({
      ...each,
      fields: each.fields.map((field) => withoutSecrets(field, mask)),
    })),
  }
}

const withoutSecrets = (field: FieldDifference, mask: (text: string) => string): FieldDifference =>
  field.sensitive || holdsSecret([field.a ?? null, field.b ?? null], mask)
    ? {
        ...field,
        sensitive: true,
        ...(field.a !== undefined && { a: hidden(field.a) }),
        ...(field.b !== undefined && { b: hidden(field.b) }),
      }
    : field

const hidden = (value: Json): Json => (value === null ? null : masked)
