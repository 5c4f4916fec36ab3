import type { Json } from '../json/json.js'
import type { Problem } from '../problems/problem.js'
import { masked } from '../secrets/hidden-words.js'
import { holdsSecret } from '../secrets/mask.js'
import { type Diagnostic, diagnosticOf } from './diagnostics.js'
import type { WrittenFile } from './export.js'

/** The copies from one environment to another, without secrets: values by name, and patches by target. */
export interface PromotionDocument {
  readonly format: 'gatewright.promotion/1'
  readonly from: string
  readonly to: string
  readonly changes: readonly Promoted[]
  /** Values that every environment sets for itself. They are only copied if they are selected. */
  readonly own: readonly string[]
  /** The written files; empty if nothing had to be written. */
  readonly files: readonly WrittenFile[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface Promoted {
  readonly is: 'value' | 'patch'
  readonly name: string
  /** Absent if the environment had no value. */
  readonly before?: Json
  readonly after: Json
}

export function promotionDocument(
  { changes, ...document }: Omit<PromotionDocument, 'format' | 'diagnostics'>,
  problems: readonly Problem[],
  mask: (text: string) => string,
): PromotionDocument {
  const hidden = (value: Json): Json => (holdsSecret(value, mask) ? masked : value)
  return {
    format: 'gatewright.promotion/1',
    ...document,
    changes: changes.map(({ before, after, ...change }) => ({
      ...change,
      ...(before !== undefined && { before: hidden(before) }),
      after: hidden(after),
    })),
    diagnostics: problems.map(diagnosticOf),
  }
}
