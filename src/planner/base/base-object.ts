import type { KindName } from '../../catalog/types.js'
import type { JsonObject } from '../../json/json.js'

/** What was last applied: from the records, or from the manifests at a git reference (design §4, Base and verdicts). */
export interface Base {
  /** A run's name, or a git reference. */
  readonly origin: string
  readonly objects: ReadonlyMap<string, BaseObject>
}

export interface BaseObject {
  readonly address: string
  /** The address in the records, if it is another one than today's. */
  readonly recorded?: string
  readonly kind: KindName
  /** The object that a run made or took over; undefined where only a git reference, or a request without answer, tells. */
  readonly id: string | undefined
  /** The managed fields as manifests write them, secrets apart. */
  readonly fields: JsonObject
  /** Keyed fingerprints of the secret fields. */
  readonly fingerprints: Readonly<Record<string, string>>
  /** What a run that was cut off has perhaps put there: each counts as last applied as well. */
  readonly perhaps?: readonly JsonObject[]
  /** Only announced by a run that was cut off: it may never have been made. */
  readonly announced?: true
  /** It was applied with `protect: true`: it is never deleted, even once no manifest says so any more. */
  readonly protect?: true
  /** What the platform put there by itself when a run created the object. */
  readonly added?: readonly { readonly kind: string; readonly id: string }[]
}
