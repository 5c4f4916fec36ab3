import { placeOf } from '../manifest/source.js'
import type { PolicyFinding } from '../policy/evaluate.js'
import type { Policy, PolicyLevel } from '../policy/policy.js'
import { type PlaceDocument, placeDocument } from './place.js'

/** The results of policies for a plan. */
export interface PoliciesDocument {
  /** The digest of all policies: a saved plan is not applied if it differs. */
  readonly digest: string
  /** The number of policies for the environment, and the number of their rules. */
  readonly policies: number
  readonly rules: number
  readonly results: readonly PolicyResult[]
}

/** A rule that an object, or the whole plan, does not satisfy. */
interface PolicyResult {
  readonly policy: string
  /** Counted from 1 within the policy. */
  readonly rule: number
  /** Absent for a rule about the whole plan. */
  readonly address?: string
  readonly kind?: string
  readonly action?: string
  /** `failed`: an expression gave no result; `waived`: somebody accepts it for now. */
  readonly outcome: 'violated' | 'failed' | 'waived'
  readonly level: PolicyLevel
  readonly message: string
  /** The position of the object or the field; that of the rule if there is none. */
  readonly source: PlaceDocument
  readonly waiver?: { readonly reason: string; readonly owner: string; readonly until: string }
}

/** `policies`: the policies for the environment. */
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
    results: findings.map((finding) => policyResult(finding, mask)),
  }
}

function policyResult(
  { policy, rule, object, outcome, level, words, range, waiver }: PolicyFinding,
  mask: (text: string) => string,
): PolicyResult {
  return {
    ...{ policy: policy.name, rule: rule.number },
    ...(object && { address: object.address, kind: object.kind, action: object.action }),
    ...{ outcome: waiver ? 'waived' : outcome, level, message: mask(words), source: placeDocument(placeOf(range)) },
    ...(waiver && { waiver: { reason: waiver.reason, owner: waiver.owner, until: waiver.until } }),
  }
}
