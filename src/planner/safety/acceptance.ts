import type { Json } from '../../json/json.js'

/** Known drift: somebody decided to live with it for a while (design §4, Base and verdicts). */
export interface Acceptance {
  readonly address: string
  /** The platform and the area that it was seen in; undefined: whichever is planned for. */
  readonly url: string | undefined
  readonly area: string | undefined
  readonly what: Deviation
  readonly reason: string
  readonly owner: string
  /** The last day on which it holds: `2027-01-31`. */
  readonly expires: string
}

/** What is accepted: a field with both of its values, or that an object is gone, or that there is one more. */
export type Deviation =
  /** `path` is a JSON Pointer. Another value on either side is another difference, which nobody has accepted. */
  | { readonly is: 'field'; readonly path: string; readonly git: Seen; readonly live: Seen }
  | { readonly is: 'deleted' }
  /** `id` is empty for a child that exists once. */
  | { readonly is: 'created'; readonly id: string }

/** A value as it was seen; a secret by its keyed fingerprint. */
export type Seen =
  | { readonly is: 'value'; readonly value: Json }
  | { readonly is: 'fingerprint'; readonly fingerprint: string }

/** The acceptances of an area at one moment. */
export interface Accepted {
  readonly active: readonly Acceptance[]
  readonly expired: readonly Acceptance[]
}

export const nothingAccepted: Accepted = { active: [], expired: [] }

/** An acceptance that no longer holds, at what it was made for. */
export interface Lapsed {
  readonly acceptance: Acceptance
  /** `other values`: one of the two sides is no longer what was accepted. */
  readonly why: 'expired' | 'other values'
}
