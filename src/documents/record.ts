import { catalog } from '../catalog/catalog.js'
import { isKindName, isWritable, referredKind } from '../catalog/queries.js'
import { anything, type Described, memberIn } from '../catalog/shapes.js'
import type { KindName } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import { isObject, type Json, type JsonObject, objectOf } from '../json/json.js'
import { by, bySpelling } from '../json/order.js'
import { keysOf, pointerTo } from '../json/pointer.js'
import { masked } from '../secrets/hidden-words.js'
import type { Image, RunRecord, SettledEntry } from '../stores/record.js'
import { type HistoryChange, type HistoryRun, historyChanges, historyRun, withRunning } from './history.js'
import type { FieldDocument } from './plan.js'
import type { TargetDocument } from './target.js'

/** One run with all its results: `gatewright.record/1`. */
export interface RecordDocument extends HistoryRun {
  readonly format: 'gatewright.record/1'
  readonly target: TargetDocument
  readonly host: string
  readonly pid: number
  /** The digests of the applied plan and of its manifests. */
  readonly plan: string
  readonly manifests: string
  /** The values from `--value`: texts by name. */
  readonly values?: Readonly<Record<string, string>>
  readonly changes: readonly RecordedChange[]
}

/** A change with all fields that it changed. */
export interface RecordedChange extends HistoryChange {
  readonly fields: readonly RecordedField[]
}

/** `running`: the name of the run that holds the area's lock now, if there is one. */
export function recordDocument(record: RunRecord, running: string | undefined, target: TargetDocument): RecordDocument {
  const { worker, plan, manifests, values } = record.head
  const { host, pid } = worker
  const run = withRunning(historyRun(record), running)
  return {
    format: 'gatewright.record/1',
    target,
    ...run,
    host,
    pid,
    plan,
    manifests,
    ...(values && { values }),
    changes: changesIn(record),
  }
}

function changesIn(record: RunRecord): readonly RecordedChange[] {
  const last = new Map(record.entries.flatMap((entry) => (entry.is === 'settled' ? [[entry.address, entry]] : [])))
  return historyChanges(record).map((change) => {
    const entry = last.get(change.address)
    return { ...change, fields: entry ? recordedFields(change.kind, entry) : [] }
  })
}

/** A field that a run changed. Without `before` it was created, without `after` deleted. */
type RecordedField = Omit<FieldDocument, 'verdict'>

type Images = Pick<SettledEntry, 'before' | 'after' | 'managed'>

/** The fields of one object that a run changed, from the recorded images. Secrets are masked. */
function recordedFields(kind: string | null, images: Images): readonly RecordedField[] {
  if (kind === null || !isKindName(kind)) return []
  const spelled = plainFields(kind, images).map((field) => withReferences(kind, field))
  return [...spelled, ...secretFields(images)].sort(by(({ path }) => path))
}

/**
 * Manifests can contain a reference in two forms, and the image of the live object contains one of them. They are shown in the
 * form that plans use.
 */
function withReferences(kind: KindName, { before, after, ...rest }: RecordedField): RecordedField {
  const field = catalog[kind].fields[keysOf(rest.path)[0] ?? '']
  const displayed = field && referredKind(field) ? displayedReferences : (value: Json) => value
  return {
    ...rest,
    ...(before !== undefined && { before: displayed(before) }),
    ...(after !== undefined && { after: displayed(after) }),
  }
}

function displayedReferences(value: Json): Json {
  if (Array.isArray(value)) return value.map(displayedReferences).sort(bySpelling)
  if (!isObject(value)) return value
  if (Object.keys(value).length === 1 && typeof value.name === 'string') return value.name
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, displayedReferences(inner)]))
}

function plainFields(kind: KindName, { before, after, managed }: Images): readonly RecordedField[] {
  const isOurs = (name: string) => {
    const field = catalog[kind].fields[name]
    return managed ? managed.includes(name) : field === undefined || isWritable(field)
  }
  if (!after)
    return Object.entries(before?.fields ?? {}).flatMap(([name, value]) =>
      isOurs(name) ? only('before', name, value) : [],
    )
  if (!before) return Object.entries(after.fields).flatMap(([name, value]) => only('after', name, value))
  const secrets = new Set([...Object.keys(before.fingerprints), ...Object.keys(after.fingerprints)])
  return Object.keys(before.fields).flatMap((name) => {
    if (secrets.has(name) || !Object.hasOwn(after.fields, name)) return []
    const field = catalog[kind].fields[name] ?? anything
    return differing(pointerTo(name), field, before.fields[name] ?? null, after.fields[name] ?? null)
  })
}

const only = (side: 'before' | 'after', name: string, value: Json): readonly RecordedField[] =>
  value === null ? [] : [{ path: pointerTo(name), [side]: value, sensitive: false }]

/** The members of an object field are managed one by one, so only the written ones are compared. */
function differing(path: string, field: Described, before: Json, after: Json): readonly RecordedField[] {
  const { type } = field
  if (type.is === 'shape' && isObject(after)) {
    const then: JsonObject = objectOf(before)
    return Object.keys(after).flatMap((name) => {
      const member = memberIn(type, name)
      return differing(path + pointerTo(name), member, then[name] ?? null, after[name] ?? null)
    })
  }
  return sameValue(type, after, before, field.default) ? [] : [{ path, before, after, sensitive: false }]
}

/** Only a fingerprint of a secret is known. It shows whether the secret has changed. */
function secretFields({ before, after }: Images): readonly RecordedField[] {
  const [then, now] = [before?.fingerprints ?? {}, after?.fingerprints ?? {}]
  return [...new Set([...Object.keys(then), ...Object.keys(now)])].flatMap((key) => {
    const path = `/${key}`
    const [name = ''] = keysOf(path)
    const isSent = !before || Object.hasOwn(then, key) || Object.hasOwn(before.fields, name)
    if (!isSent || then[key] === now[key]) return []
    // The secret may be new, or it may have been removed.
    const isThere = (image: Image | undefined) =>
      image !== undefined && (image.fingerprints[key] !== undefined || (image.fields[name] ?? null) !== null)
    const sides = { ...(isThere(before) && { before: masked }), ...(isThere(after) && { after: masked }) }
    return [{ path, ...sides, sensitive: true }]
  })
}
