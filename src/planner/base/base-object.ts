import { catalog } from '../../catalog/catalog.js'
import { ownValue, recordOf } from '../../catalog/record.js'
import { anything, type Described, memberIn } from '../../catalog/shapes.js'
import type { KindName } from '../../catalog/types.js'
import { sameValue } from '../../catalog/value.js'
import { isObject, type Json, type JsonObject, sameJson } from '../../json/json.js'
import { once } from '../../json/once.js'
import { overlaps } from '../../json/pointer.js'
import type { LiveIndex } from '../../live/live-index.js'
import type { LiveObject } from '../../live/live-object.js'
import { liveFields } from '../../live/object-form.js'

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
  /** The run that made it, or took it over; undefined where only a git reference, or a request without answer, tells. */
  readonly since?: string
  /** The managed fields as manifests write them, secrets apart. */
  readonly fields: JsonObject
  /** Keyed fingerprints of the secret fields. */
  readonly fingerprints: Readonly<Record<string, string>>
  /** Those of what was written around the secrets. */
  readonly templates?: Readonly<Record<string, string>>
  /** Those of what was sent last and stored otherwise, by JSON Pointer. */
  readonly unkept?: Readonly<Record<string, string>>
  /** JSON Pointers of values that are filled with what is set today: they are no evidence of what was applied. */
  readonly assumed?: readonly string[]
  /** What a run that was cut off has perhaps put there: each counts as last applied as well. */
  readonly perhaps?: readonly JsonObject[]
  /** The fields of these that are nobody's if they are live: a rollback has put them back. */
  readonly released?: readonly string[]
  /** Only announced by a run that was cut off: it may never have been made. */
  readonly announced?: true
  /** It was applied with `protect: true`: it is never deleted, even once no manifest says so any more. */
  readonly protect?: true
  /** It was applied with these labels. */
  readonly labels?: Readonly<Record<string, string>>
  /** What the platform put there by itself when a run created the object. */
  readonly added?: readonly { readonly kind: string; readonly id: string }[]
  /** The very run that plans has created it: nobody but the platform has put anything else into it. */
  readonly isNew?: true
}

/** Whether the base has that very object, whatever it is called. */
export function objectsOfBase(base: Base | undefined): (object: Pick<LiveObject, 'kind' | 'id'>) => boolean {
  const ids = once(() => new Set([...(base?.objects.values() ?? [])].map(({ kind, id }) => `${kind} ${id}`)))
  return ({ kind, id }) => ids().has(`${kind} ${id}`)
}

/** Whether nobody knows what was applied there, since only what is set today tells. */
export const isAssumed = ({ assumed }: Pick<BaseObject, 'assumed'>, path: string): boolean =>
  assumed?.some((each) => overlaps(each, path)) ?? false

/** Stands for the fingerprint of a secret that was applied when there was no key to make one with. */
export const noPrint = ''

/** An object as a run has made it: what else was known of it stays known. */
export function asMade(
  known: BaseObject | undefined,
  made: Pick<BaseObject, 'address' | 'kind' | 'id' | 'fields' | 'fingerprints' | 'templates'>,
): BaseObject {
  const { recorded, protect, labels, id, added, since } = known ?? {}
  return {
    ...made,
    ...(since !== undefined && id === made.id && { since }),
    ...(recorded !== undefined && { recorded }),
    ...(protect && { protect }),
    ...(labels && { labels }),
    ...(added && id === made.id && { added }),
  }
}

/** Whether a live value means that one; of an object only the members count that are told. */
const holds = (live: Json | undefined, told: Json, { type, default: byDefault }: Described): boolean =>
  isObject(live) && isObject(told)
    ? Object.entries(told).every(([name, value]) => holds(ownValue(live, name), value, memberIn(type, name)))
    : sameJson(live, told) || sameValue(type, told, live, byDefault)

/** What was last applied, with what a run that was cut off has put there, if that is live. */
export function withPerhaps(base: BaseObject, object: LiveObject, index: LiveIndex): BaseObject {
  if (!base.perhaps?.length) return base
  const shown = liveFields(object, index)
  const { fields } = catalog[base.kind]
  const live = base.perhaps.flatMap((each) =>
    Object.entries(each).filter(
      ([name, value]) =>
        Object.hasOwn(base.fields, name) && holds(ownValue(shown, name), value, fields[name] ?? anything),
    ),
  )
  if (live.length === 0) return base
  const put = new Set(live.map(([name]) => name))
  const isReleased = (name: string): boolean => put.has(name) && (base.released?.includes(name) ?? false)
  const all = Object.entries({ ...base.fields, ...Object.fromEntries(live) })
  return { ...base, fields: recordOf(all.filter(([name]) => !isReleased(name))) }
}
