import { catalog } from '../../catalog/catalog.js'
import { isWritable, referredKind, relationFields } from '../../catalog/queries.js'
import { ownValue, recordOf } from '../../catalog/record.js'
import { shapes } from '../../catalog/shapes.js'
import type { Field, FieldType, KindName } from '../../catalog/types.js'
import { sameValue } from '../../catalog/value.js'
import type { Json, JsonObject } from '../../json/json.js'
import { isObject, sameJson } from '../../json/json.js'
import { keysOf } from '../../json/pointer.js'
import type { LiveIndex } from '../../live/live-index.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Fingerprint } from '../../secrets/fingerprint.js'
import type { BaseObject } from '../base/base-object.js'
import type { FieldChange, Verdict } from '../plan.js'
import type { Resolver } from '../references/resolve.js'
import { differences, isBlank, sameEntries } from './compare.js'

/** An object as a run has made it: what else was known of it stays known. */
export function asMade(
  known: BaseObject | undefined,
  made: Pick<BaseObject, 'address' | 'kind' | 'id' | 'fields' | 'fingerprints'>,
): BaseObject {
  const { recorded, protect, id, added } = known ?? {}
  return {
    ...made,
    ...(recorded !== undefined && { recorded }),
    ...(protect && { protect }),
    ...(added && id === made.id && { added }),
  }
}

/** Stands for the fingerprint of a secret that was applied when there was no key to make one with. */
export const noPrint = ''

/** What a verdict is told from. */
export interface Witness {
  readonly object: LiveObject
  /** Resolves names of the base; what it does not find any more is no problem of today's manifests. */
  readonly resolver: Resolver
  readonly live: LiveIndex
  readonly fingerprint: Fingerprint
}

/** What was last applied, with what a run that was cut off has put there, if that is live. */
export function withPerhaps(base: BaseObject, object: LiveObject): BaseObject {
  const live = (base.perhaps ?? []).flatMap((each) =>
    Object.entries(each).filter(
      ([name, value]) => Object.hasOwn(base.fields, name) && sameJson(ownValue(object.fields, name), value),
    ),
  )
  return live.length === 0 ? base : { ...base, fields: { ...base.fields, ...Object.fromEntries(live) } }
}

/** A resource with what it no longer writes: unset where live still equals the base, handed back otherwise. */
export interface Effective {
  readonly resource: Resource
  /** Fields that are no longer written and that somebody changed meanwhile: they are left alone. */
  readonly handedBack: readonly string[]
}

/** Adds a null for every field that the base has and the resource does not write any more. */
export function withUnset(resource: Resource, base: BaseObject | undefined, witness: Witness): Effective {
  if (!base || isStillWritten(resource, base)) return { resource, handedBack: [] }
  const moved = isAnother(base, witness.object) ? everything : movedSince(resource, base, witness)
  const handedBack: string[] = []
  const fields: Record<string, Json> = { ...resource.fields }
  for (const name of [...Object.keys(base.fields), ...Object.keys(base.fingerprints)].sort()) {
    const field = catalog[resource.kind].fields[name]
    const written = resource.fields[name]
    const at = `/${name}`
    if (!field || (written === undefined && !mayBeUnset(field)) || resource.ignore.includes(at)) continue
    if (isRelation(resource.kind, name)) continue
    const left = withoutDropped(field.type, written, base.fields[name] ?? null, { at, moved, handedBack })
    if (left !== undefined) fields[name] = left
  }
  return { resource: { ...resource, fields }, handedBack }
}

/** The rule: nothing that was applied is missing. Members of object fields are looked at one by one. */
function isStillWritten({ kind, fields }: Resource, base: BaseObject): boolean {
  for (const name in base.fields) {
    if ((fields[name] === undefined && !isRelation(kind, name)) || catalog[kind].fields[name]?.type.is === 'shape')
      return false
  }
  for (const name in base.fingerprints) if (fields[name] === undefined) return false
  return true
}

/** The list of another object says what becomes of it. */
const isRelation = (kind: KindName, name: string): boolean =>
  relationFields(catalog[kind]).some(({ field }) => field.name === name)

/** Somebody deleted the object that was applied and made another one of the same name: nothing of that is unset. */
const isAnother = (base: BaseObject, object: LiveObject): boolean => base.id !== undefined && base.id !== object.id

const mayBeUnset = (field: Field): boolean =>
  !field.writeOnly && !field.immutable && field.create !== 'Req' && field.update !== 'Req' && isWritable(field)

/** Where a field has left the base: everywhere above and below such a path as well. */
type Moved = (path: string) => boolean

const everything: Moved = () => true

interface Dropping {
  /** JSON Pointer of the value. */
  readonly at: string
  readonly moved: Moved
  /** Takes the paths of what is no longer written and was changed meanwhile. */
  readonly handedBack: string[]
}

/** What is written, with a null for what is not any more. Members of object fields are unset one by one, as they are managed. */
function withoutDropped(type: FieldType, written: Json | undefined, base: Json, dropping: Dropping): Json | undefined {
  if (type.is === 'shape' && isObject(base) && (written === undefined || isObject(written))) {
    return membersWithoutDropped(shapes[type.shape], written, base, dropping)
  }
  if (written !== undefined) return written
  if (!dropping.moved(dropping.at)) return null
  dropping.handedBack.push(dropping.at)
  return undefined
}

function membersWithoutDropped(
  members: Readonly<Record<string, { readonly type: FieldType }>>,
  written: JsonObject | undefined,
  base: JsonObject,
  dropping: Dropping,
): JsonObject | undefined {
  const result = recordOf(Object.entries(written ?? {}))
  for (const [name, value] of Object.entries(base)) {
    const type = members[name]?.type ?? { is: 'map', of: 'any' }
    const left = withoutDropped(type, written && ownValue(written, name), value, {
      ...dropping,
      at: `${dropping.at}/${name}`,
    })
    if (left !== undefined) result[name] = left
  }
  return written === undefined && Object.keys(result).length === 0 ? undefined : result
}

/** Tells at which paths the live object has left the base. */
function movedSince(resource: Resource, base: BaseObject, { object, resolver, live, fingerprint }: Witness): Moved {
  const then = { ...resource, fields: base.fields, additions: {}, withdrawals: {}, ignore: [] }
  const paths = differences(then, object, resolver, live).fields.map((field) => field.path)
  for (const [name, print] of Object.entries(base.fingerprints)) {
    const answered = object.fields[name]
    if (answered === undefined) continue
    if (answered === null || fingerprint(answered) !== print) paths.push(`/${name}`)
  }
  return (path) => paths.some((each) => each === path || each.startsWith(`${path}/`) || path.startsWith(`${each}/`))
}

export interface Classified {
  readonly fields: readonly FieldChange[]
  /** Secrets that the platform does not give back and that were applied without a key to tell them by. */
  readonly unverifiable: readonly string[]
}

/** The verdict on each field that differs; fields that are in sync after all, or cannot be told from it, are left out. */
export function judged(
  changes: readonly FieldChange[],
  resource: Resource,
  base: BaseObject,
  witness: Witness,
): Classified {
  const moved = movedSince(resource, base, witness)
  const unverifiable: string[] = []
  const fields = changes.flatMap((change) => {
    const verdict = verdictOf(change, resource, base, moved, witness)
    if (verdict === 'not returned') unverifiable.push(change.path)
    return verdict === 'in sync' || verdict === 'not returned' ? [] : [{ ...change, verdict }]
  })
  return { fields, unverifiable }
}

type Finding = Verdict | 'in sync' | 'not returned'

function verdictOf(change: FieldChange, resource: Resource, base: BaseObject, moved: Moved, witness: Witness): Finding {
  const [name = ''] = keysOf(change.path)
  const print = ownValue(base.fingerprints, name)
  if (print !== undefined) return secretVerdict(name, print, resource, witness)
  const then = valueAt(base.fields, change.path)
  if (then === undefined || !moved(change.path)) return 'pending'
  // A single child that is blank was deleted, which is drift whatever is written now (A57).
  return isSame(change, resource, then, witness) || isBlank(witness.object) ? 'drift' : 'conflict'
}

/** What the platform does not give back can only be told by what was sent last. */
function secretVerdict(name: string, print: string, resource: Resource, { object, fingerprint }: Witness): Finding {
  const wanted = resource.fields[name] ?? null
  const wantedPrint = wanted === null ? noPrint : fingerprint(wanted)
  const isTellable = print !== noPrint && fingerprint(null) !== undefined
  const answered = object.fields[name]
  if (answered === undefined) {
    if (!isTellable) return 'not returned'
    return wantedPrint === print ? 'in sync' : 'pending'
  }
  if (!isTellable) return 'unverifiable'
  if (answered !== null && fingerprint(answered) === print) return 'pending'
  return wantedPrint === print ? 'drift' : 'conflict'
}

/** Whether the wanted value is still the one of the base. */
function isSame(change: FieldChange, resource: Resource, then: Json, { resolver }: Witness): boolean {
  const wanted = valueAt(resource.fields, change.path)
  const described = describedAt(resource.kind, change.path)
  if (!described) return sameJson(then, wanted)
  const field = catalog[resource.kind].fields[change.path.slice(1)]
  if (!field || !referredKind(field)) return sameValue(described.type, then, wanted, described.default)
  // By what they lead to: a name may be an earlier one, and "*" stands for all that there is.
  const [before, now] = [then, wanted ?? null].map((written) => resolver.entries(resource, field, written))
  return before !== undefined && now !== undefined && sameEntries(now, before)
}

/** What stands at a path; what an object holds that was cleared is cleared as well. */
function valueAt(fields: JsonObject, path: string): Json | undefined {
  const parts = keysOf(path)
  let value: Json | undefined = fields
  for (const part of parts) {
    if (value === null) return null
    value = isObject(value) ? ownValue(value, part) : undefined
  }
  return value
}

function describedAt(
  kind: KindName,
  path: string,
): { readonly type: FieldType; readonly default?: Json | undefined } | undefined {
  const [name = '', ...members] = keysOf(path)
  let described: ReturnType<typeof describedAt> = catalog[kind].fields[name]
  for (const member of members) {
    described = described?.type.is === 'shape' ? shapes[described.type.shape][member] : undefined
  }
  return described
}
