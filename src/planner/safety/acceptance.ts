import type { Json } from '../../json/json.js'

/** Known drift that somebody has accepted for a limited time (design §4, Base and verdicts). */
export interface Acceptance {
  readonly address: string
  /** The platform and the area in which it was found; undefined: the target of the plan. */
  readonly url: string | undefined
  readonly area: string | undefined
  readonly what: Deviation
  readonly reason: string
  readonly owner: string
  /** The last day on which it is valid: `2027-01-31`. */
  readonly expires: string
}

/** What is accepted: a field with both of its values, a missing object, or an additional object. */
export type Deviation =
  /** `path` is a JSON Pointer. With another value on either side, it is another difference, which is not accepted. */
  | { readonly is: 'field'; readonly path: string; readonly git: Seen; readonly live: Seen }
  | { readonly is: 'deleted' }
  /** `id` is empty for a single child. */
  | { readonly is: 'created'; readonly id: string }

/** An accepted value. A secret is represented by its keyed fingerprint. */
export type Seen =
  | { readonly is: 'value'; readonly value: Json }
  | { readonly is: 'fingerprint'; readonly fingerprint: string }

/** The acceptances of an area at one moment. */
export interface Accepted {
  readonly active: readonly Acceptance[]
  readonly expired: readonly Acceptance[]
}

export const nothingAccepted: Accepted = { active: [], expired: [] }

/** An acceptance that is no longer valid, for a difference that still exists. */
export interface Lapsed {
  readonly acceptance: Acceptance
  /** `other values`: one of the two values is no longer the accepted one. */
  readonly why: 'expired' | 'other values'
}
