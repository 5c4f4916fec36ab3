import type { policyActions, policyLevels } from '../catalog/policy-schema.js'
import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { ScalarNode } from '../manifest/node.js'
import type { LocatedPointer, SourceRange } from '../manifest/source.js'

/** A document of kind Policy (design §9): rules in CEL about changes of objects. */
export interface Policy {
  readonly name: string
  readonly range: SourceRange
  readonly match: Match
  readonly rules: readonly Rule[]
  readonly waivers: readonly Waiver[]
  readonly tests: readonly PolicyTest[]
  /** Its content without tests, comments and layout, for its digest. */
  readonly demands: JsonObject
}

/** The changes that a policy is about; an empty part does not limit it. */
interface Match {
  readonly kinds: readonly KindName[]
  readonly actions: readonly PolicyAction[]
  /** Names of environments; `!` in front of a name excludes it. */
  readonly environments: readonly { readonly name: string; readonly range: SourceRange }[]
  readonly labels: Readonly<Record<string, string>>
  /** Whether the policy also checks objects that do not change. */
  readonly unchanged: boolean
}

export type PolicyAction = (typeof policyActions)[number]

export type PolicyLevel = (typeof policyLevels)[number]

/** An expression in CEL, and the scalar that contains it. */
export interface Expression {
  readonly text: string
  readonly node: ScalarNode
}

export interface Rule {
  /** Its number in the policy, from 1. */
  readonly number: number
  /** `change`: evaluated for every change that the policy matches; `plan`: evaluated once. */
  readonly of: 'change' | 'plan'
  /** True means that all is fine. */
  readonly assert: Expression
  /** The message if it is not. */
  readonly message: Expression | undefined
  /** JSON Pointer of the field whose place is reported. */
  readonly at: LocatedPointer | undefined
  readonly level: PolicyLevel
  readonly range: SourceRange
}

/** Allows objects to violate a policy for some time. */
export interface Waiver {
  /** A glob of addresses. */
  readonly address: string
  readonly reason: string
  readonly owner: string
  /** The last day on which it applies: `2027-03-31`. */
  readonly until: string
  readonly range: SourceRange
}

/** A test of a policy with made-up changes. */
export interface PolicyTest {
  readonly name: string
  /** `plan`: evaluates the rules of the whole plan, with all changes together. */
  readonly of: Rule['of']
  readonly changes: readonly MadeUpChange[]
  readonly environment: string | undefined
  readonly expect: PolicyLevel | 'pass'
  readonly range: SourceRange
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
