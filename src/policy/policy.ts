import type { policyActions, policyLevels } from '../catalog/policy-schema.js'
import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { ScalarNode } from '../manifest/node.js'
import type { Mark } from '../manifest/source.js'

/** A document of kind Policy (design §9): what may be done to which objects, said in CEL. */
export interface Policy {
  readonly name: string
  readonly mark: Mark
  readonly match: Match
  readonly rules: readonly Rule[]
  readonly waivers: readonly Waiver[]
  readonly tests: readonly PolicyTest[]
  /** What it demands, whatever its tests, comments and layout: what its digest is made of. */
  readonly demands: JsonObject
}

/** Which changes a policy is about; what is empty does not limit it. */
interface Match {
  readonly kinds: readonly KindName[]
  readonly actions: readonly PolicyAction[]
  /** Names of environments, with `!` in front of those that are left out. */
  readonly environments: readonly { readonly name: string; readonly mark: Mark }[]
  readonly labels: Readonly<Record<string, string>>
  /** Whether objects that do not change are looked at as well. */
  readonly unchanged: boolean
}

export type PolicyAction = (typeof policyActions)[number]

export type PolicyLevel = (typeof policyLevels)[number]

/** An expression in CEL, and the scalar that it is written in. */
export interface Expression {
  readonly text: string
  readonly node: ScalarNode
}

export interface Rule {
  /** Counted from 1 in its policy. */
  readonly number: number
  /** `change`: asked of every change that the policy matches; `plan`: asked once. */
  readonly of: 'change' | 'plan'
  /** True is fine. */
  readonly assert: Expression
  /** What is said where it is not. */
  readonly message: Expression | undefined
  /** JSON Pointer of the field whose place is told. */
  readonly at: { readonly pointer: string; readonly mark: Mark } | undefined
  readonly level: PolicyLevel
  readonly mark: Mark
}

/** Somebody lets objects be as they are for a while, whatever a policy says of them. */
export interface Waiver {
  /** A glob of addresses. */
  readonly address: string
  readonly reason: string
  readonly owner: string
  /** The last day on which it holds: `2027-03-31`. */
  readonly until: string
  readonly mark: Mark
}

/** What a policy says of changes that are made up. */
export interface PolicyTest {
  readonly name: string
  /** `plan`: asks the rules of the whole plan, all changes together. */
  readonly of: Rule['of']
  readonly changes: readonly MadeUpChange[]
  readonly environment: string | undefined
  readonly expect: PolicyLevel | 'pass'
  readonly mark: Mark
}

export interface MadeUpChange {
  readonly kind: KindName
  readonly action: PolicyAction
  readonly name: string
  readonly address: string
  readonly before: JsonObject
  readonly after: JsonObject
  readonly hazards: readonly string[]
  readonly labels: Readonly<Record<string, string>>
}
