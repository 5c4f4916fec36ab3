import { placeOf } from '../manifest/source.js'
import type { PolicyFinding } from '../policy/evaluate.js'
import type { Policy, PolicyLevel } from '../policy/policy.js'
import { type PlaceDocument, placeDocument } from './place.js'

/** What policies say of a plan, as it is written down with it. */
export interface PoliciesDocument {
  /** Of all that they demand: a plan that was saved under others is not applied. */
  readonly digest: string
  /** How many hold for the environment, and how many rules they have. */
  readonly policies: number
  readonly rules: number
  readonly results: readonly PolicyResult[]
}

/** A rule that is not fine with an object, or with the plan as a whole. */
interface PolicyResult {
  readonly policy: string
  /** Counted from 1 in its policy. */
  readonly rule: number
  /** Absent of a rule of the whole plan. */
  readonly address?: string
  readonly kind?: string
  readonly action?: string
  /** `failed`: an expression gave no answer; `waived`: somebody lets it be for now. */
  readonly outcome: 'violated' | 'failed' | 'waived'
  readonly level: PolicyLevel
  readonly message: string
  /** Where the object, or the field that the rule points at, is written; else the rule. */
  readonly source: PlaceDocument
  readonly waiver?: { readonly reason: string; readonly owner: string; readonly until: string }
}

/** `policies`: those that hold for the environment. */
export function policiesDocument(
  digest: string,
  policies: readonly Policy[],
  findings: readonly PolicyFinding[],
  mask: (text: string) => string,
): PoliciesDocument {
  return {
    digest,
    policies: policies.length,
    rules: policies.reduce((sum, { rules }) => sum + rules.length, 0),
    results: findings.map((finding) => resultOf(finding, mask)),
  }
}

function resultOf(
  { policy, rule, object, outcome, level, words, mark, waiver }: PolicyFinding,
  mask: (text: string) => string,
): PolicyResult {
  return {
    ...{ policy: policy.name, rule: rule.number },
    ...(object && { address: object.address, kind: object.kind, action: object.action }),
    ...{ outcome: waiver ? 'waived' : outcome, level, message: mask(words), source: placeDocument(placeOf(mark)) },
    ...(waiver && { waiver: { reason: waiver.reason, owner: waiver.owner, until: waiver.until } }),
  }
}
