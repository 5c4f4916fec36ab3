import { catalog } from '../../catalog/catalog.js'
import { ownValue, recordOf } from '../../catalog/record.js'
import { anything, type Described, memberIn } from '../../catalog/shapes.js'
import type { KindName } from '../../catalog/types.js'
import { sameValue } from '../../catalog/value.js'
import { isObject, type Json, type JsonObject, sameJson } from '../../json/json.js'
import { once } from '../../json/once.js'
import { keysOf, overlaps } from '../../json/pointer.js'
import type { LiveIndex } from '../../live/live-index.js'
import type { LiveObject } from '../../live/live-object.js'
import { liveFields } from '../../live/object-form.js'

/** What was last applied: from the records, or from the manifests at a git reference (design §4, Base and verdicts). */
export interface Base {
  /** The name of a run, or a git reference. */
  readonly origin: string
  readonly objects: ReadonlyMap<string, BaseObject>
}

export interface BaseObject {
  readonly address: string
  /** The address in the records, if it differs from today's address. */
  readonly recorded?: string
  readonly kind: KindName
  /**
   * The id of the object that a run created or adopted. Undefined if only a git reference, or a request without an answer, tells
   * of the object.
   */
  readonly id: string | undefined
  /**
   * The run that created or adopted the object. Undefined if only a git reference, or a request without an answer, tells of it.
   */
  readonly since?: string
  /** The managed fields as manifests write them, without secrets. */
  readonly fields: JsonObject
  /** Keyed fingerprints of the secret fields. */
  readonly fingerprints: Readonly<Record<string, string>>
  /** Keyed fingerprints of the text around the secrets. */
  readonly templates?: Readonly<Record<string, string>>
  /** Keyed fingerprints of the last sent values that the platform stored differently, by JSON Pointer. */
  readonly unkept?: Readonly<Record<string, string>>
  /** JSON Pointers of values that are filled in with today's variables: they do not prove what was applied. */
  readonly assumed?: readonly string[]
  /** The fields that an interrupted run may have written: each of these values also counts as last applied. */
  readonly perhaps?: readonly JsonObject[]
  /** The fields and members in `perhaps` that nobody manages if they are live, because a rollback has restored them. */
  readonly released?: readonly string[]
  /** An interrupted run only announced the object, so it may not have been created. */
  readonly announced?: true
  /** It was applied with `protect: true`: it is never deleted, even if no manifest says so any more. */
  readonly protect?: true
  /** The labels with which it was applied. */
  readonly labels?: Readonly<Record<string, string>>
  /** The children that the platform added by itself when a run created the object. */
  readonly added?: readonly { readonly kind: string; readonly id: string }[]
  /** The run that makes this plan created the object, so only the platform can have added anything to it. */
  readonly isNew?: true
}

/** Returns a test: whether the base has exactly that object, by its id, under any name. */
export function objectsOfBase(base: Base | undefined): (object: Pick<LiveObject, 'kind' | 'id'>) => boolean {
  const ids = once(() => new Set([...(base?.objects.values() ?? [])].map(({ kind, id }) => `${kind} ${id}`)))
  return ({ kind, id }) => ids().has(`${kind} ${id}`)
}

/** Whether nobody knows what was applied at a path, because its value was filled in with today's variables. */
export const isAssumed = ({ assumed }: Pick<BaseObject, 'assumed'>, path: string): boolean =>
  assumed?.some((each) => overlaps(each, path)) ?? false

/** The fingerprint of a secret that was applied when there was no key for fingerprints. */
export const noPrint = ''

/** The base of an object that a run has just written. Facts that were known before are kept. */
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

/** Whether a live value has the meaning of a recorded one. Only the recorded members of an object count. */
const holds = (live: Json | undefined, reported: Json, { type, default: byDefault }: Described): boolean =>
  isObject(live) && isObject(reported)
    ? Object.entries(reported).every(([name, value]) => holds(ownValue(live, name), value, memberIn(type, name)))
    : sameJson(live, reported) || sameValue(type, reported, live, byDefault)

/** What was last applied, with the values of an interrupted run that are live. */
export function withPerhaps(base: BaseObject, object: LiveObject, index: LiveIndex): BaseObject {
  if (!base.perhaps?.length) return base
  const displayed = liveFields(object, index)
  const { fields } = catalog[base.kind]
  const live = base.perhaps.flatMap((each) =>
    Object.entries(each).filter(
      ([name, value]) =>
        Object.hasOwn(base.fields, name) && holds(ownValue(displayed, name), value, fields[name] ?? anything),
    ),
  )
  if (live.length === 0) return base
  const put = new Set(live.map(([name]) => name))
  const all = recordOf(Object.entries({ ...base.fields, ...Object.fromEntries(live) }))
  return {
    ...base,
    fields: withoutKeys(
      all,
      base.released?.filter((key) => put.has(keysOf(`/${key}`)[0] ?? '')),
    ),
  }
}

/** The fields without these and without these members, which are in the form of `printKey`; no object is left empty. */
export const withoutKeys = (fields: JsonObject, keys: readonly string[] = []): JsonObject =>
  keys.reduce((left, key) => withoutMember(left, keysOf(`/${key}`)), fields)

function withoutMember(fields: JsonObject, [name = '', ...inner]: readonly string[]): JsonObject {
  const value = ownValue(fields, name)
  if (value === undefined || (inner.length > 0 && !isObject(value))) return fields
  const left = inner.length > 0 && isObject(value) ? withoutMember(value, inner) : {}
  const others = Object.entries(fields).filter(([other]) => other !== name)
  return recordOf(Object.keys(left).length === 0 ? others : [...others, [name, left]])
}
