import { catalog } from '../catalog/catalog.js'
import type { LiveObject } from '../catalog/live.js'
import { shapes } from '../catalog/shapes.js'
import type { FieldType, Json, JsonObject, KindName } from '../catalog/types.js'
import { isObject, sameJson, sameValue } from '../catalog/value.js'
import type { Resource } from '../manifest/resource.js'
import { differences } from './compare.js'
import type { LiveIndex } from './live-index.js'
import type { FieldChange, Verdict } from './plan.js'
import type { Resolver } from './references.js'

/** What was last applied: from the records, or from the manifests at a git reference (design §4, Base and verdicts). */
export interface Base {
  /** A run's name, or a git reference. */
  readonly origin: string
  readonly objects: ReadonlyMap<string, BaseObject>
}

export interface BaseObject {
  readonly address: string
  readonly kind: KindName
  /** The object that a run made or took over; undefined where only a git reference, or a request without answer, tells. */
  readonly id: string | undefined
  /** The managed fields as manifests write them, secrets apart. */
  readonly fields: JsonObject
  /** Keyed fingerprints of the secret fields. */
  readonly fingerprints: Readonly<Record<string, string>>
}

/** A keyed fingerprint of a value, or undefined where there is no key. */
export type Fingerprint = (value: Json) => string | undefined

/** What a verdict is told from. */
export interface Witness {
  readonly object: LiveObject
  /** Resolves names of the base; what it does not find any more is no problem of today's manifests. */
  readonly resolver: Resolver
  readonly live: LiveIndex
  readonly fingerprint: Fingerprint
}

/** A resource with what it no longer writes: unset where live still equals the base, handed back otherwise. */
export interface Effective {
  readonly resource: Resource
  /** Fields that are no longer written and that somebody changed meanwhile: they are left alone. */
  readonly handedBack: readonly string[]
}

/** Adds a null for every field that the base has and the resource does not write any more. */
export function withUnset(resource: Resource, base: BaseObject | undefined, witness: Witness): Effective {
  if (!base) return { resource, handedBack: [] }
  const moved = movedSince(resource, base, witness)
  const handedBack: string[] = []
  const fields: Record<string, Json> = { ...resource.fields }
  for (const name of [...Object.keys(base.fields), ...Object.keys(base.fingerprints)].sort()) {
    const field = catalog[resource.kind].fields[name]
    const written = resource.fields[name]
    if (written === undefined) {
      if (!field || field.writeOnly || field.immutable || field.create === 'Req' || field.update === 'Req') continue
      if (moved.has(`/${name}`)) handedBack.push(`/${name}`)
      else fields[name] = null
    } else if (field && isObject(written)) {
      fields[name] = withoutDropped(field.type, written, base.fields[name], `/${name}`, moved, handedBack)
    }
  }
  return { resource: { ...resource, fields }, handedBack }
}

/** Members of an object field are managed one by one, and unset one by one. */
function withoutDropped(
  type: FieldType,
  written: JsonObject,
  base: Json | undefined,
  at: string,
  moved: ReadonlySet<string>,
  handedBack: string[],
): JsonObject {
  if (type.is !== 'shape' || !isObject(base)) return written
  const members = shapes[type.shape]
  const result: Record<string, Json> = { ...written }
  for (const [name, value] of Object.entries(base)) {
    const path = `${at}/${name}`
    const inner = written[name]
    const member = members[name]
    if (inner === undefined) {
      if (moved.has(path)) handedBack.push(path)
      else result[name] = null
    } else if (member && isObject(inner)) {
      result[name] = withoutDropped(member.type, inner, value, path, moved, handedBack)
    }
  }
  return result
}

/** The paths at which the live object has left the base. */
function movedSince(
  resource: Resource,
  base: BaseObject,
  { object, resolver, live, fingerprint }: Witness,
): Set<string> {
  const then = { ...resource, fields: base.fields, additions: {}, ignore: [] }
  const paths = new Set(differences(then, object, resolver, live).fields.map((field) => field.path))
  for (const [name, print] of Object.entries(base.fingerprints)) {
    const answered = object.fields[name]
    const now = answered === undefined || answered === null ? undefined : fingerprint(answered)
    if (answered !== undefined && now !== print) paths.add(`/${name}`)
  }
  return paths
}

/** The verdict on each field that differs; fields that are in sync after all are left out. */
export function judged(
  changes: readonly FieldChange[],
  resource: Resource,
  base: BaseObject,
  witness: Witness,
): readonly FieldChange[] {
  const moved = movedSince(resource, base, witness)
  return changes.flatMap((change) => {
    const verdict = verdictOf(change, resource, base, moved, witness)
    return verdict === 'in sync' ? [] : [{ ...change, verdict }]
  })
}

function verdictOf(
  change: FieldChange,
  resource: Resource,
  base: BaseObject,
  moved: ReadonlySet<string>,
  witness: Witness,
): Verdict | 'in sync' {
  const [name = ''] = change.path.slice(1).split('/')
  const print = base.fingerprints[name]
  if (print !== undefined) return secretVerdict(name, print, resource, witness)
  const then = valueAt(base.fields, change.path)
  if (then === undefined) return 'pending'
  if (!moved.has(change.path)) return 'pending'
  return isSame(change, resource, then) ? 'drift' : 'conflict'
}

/** What the platform does not give back can only be told by what was sent last. */
function secretVerdict(
  name: string,
  print: string,
  resource: Resource,
  { object, fingerprint }: Witness,
): Verdict | 'in sync' {
  const wanted = resource.fields[name]
  const wantedPrint = wanted === undefined || wanted === null ? undefined : fingerprint(wanted)
  const answered = object.fields[name]
  if (answered === undefined || answered === null) return wantedPrint === print ? 'in sync' : 'pending'
  const livePrint = fingerprint(answered)
  if (livePrint === undefined) return 'unverifiable'
  if (livePrint === print) return 'pending'
  return wantedPrint === print ? 'drift' : 'conflict'
}

/** Whether the wanted value is still the one of the base. */
function isSame(change: FieldChange, resource: Resource, then: Json): boolean {
  const wanted = valueAt(resource.fields, change.path)
  const type = typeAt(resource.kind, change.path)
  if (!type) return sameJson(then, wanted)
  return type.is === 'reference' || (type.is === 'list' && type.of.is === 'reference')
    ? sameReferences(then, wanted)
    : sameValue(type, then, wanted, undefined)
}

/** References are written by name: their order has no meaning. */
const sameReferences = (left: Json | undefined, right: Json | undefined): boolean =>
  JSON.stringify(inOrder(left ?? null)) === JSON.stringify(inOrder(right ?? null))

function inOrder(value: Json): Json {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(inOrder)
    return [...items].sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]): [string, Json] => [name, inOrder(inner)])
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
}

function valueAt(fields: JsonObject, path: string): Json | undefined {
  const parts = path.slice(1).split('/')
  let value: Json | undefined = fields
  for (const part of parts) value = isObject(value) ? value[part] : undefined
  return value
}

function typeAt(kind: KindName, path: string): FieldType | undefined {
  const [name = '', ...members] = path.slice(1).split('/')
  let type = catalog[kind].fields[name]?.type
  for (const member of members) type = type?.is === 'shape' ? shapes[type.shape][member]?.type : undefined
  return type
}
