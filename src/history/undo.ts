import { addressAndAbove, addressOf, parseAddress, pinnedId, unescapeName } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import {
  addedChildren,
  attributeField,
  extraField,
  givenByParent,
  hasSecretName,
  inverseReferenceOf,
  isKindName,
  isWritable,
  referredKind,
} from '../catalog/queries.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject, sameJson } from '../json/json.js'
import { by } from '../json/order.js'
import { keysOf, pointerTo, withMember } from '../json/pointer.js'
import { addressOfAncestors } from '../manifest/ancestors.js'
import { manifestsFromValues, type ObjectValues } from '../manifest/from-values.js'
import { implicitResource } from '../manifest/nest.js'
import type { Ancestor, Manifests, Name, Resource } from '../manifest/resource.js'
import type { Base, BaseObject } from '../planner/base/base-object.js'
import { isBlank } from '../planner/compare/blank.js'
import { fieldOfKey, pathOfPrint } from '../planner/compare/secret-values.js'
import type { Plan } from '../planner/plan.js'
import type { Problem } from '../problems/problem.js'
import { cannotUndo, perhapsMade } from '../problems/refusals.js'
import type { JournalEntry, Receipt, RunRecord } from '../stores/record.js'
import { type Done, doneIn, idsIn, unanswered } from './done.js'
import { changedMembers, membersIn } from './members.js'
import { movedIn, neededBy } from './needed.js'
import { notUndone } from './not-undone.js'

/** How to undo a run: manifests of the state before it, and a base of what it wrote. */
export interface Undo {
  readonly manifests: Manifests
  /** The objects that the run created, as it left them: an object that differs is not deleted. */
  readonly created: Manifests
  readonly base: Base
  /** What is put back but was not applied before, by address. */
  readonly released: NonNullable<Plan['released']>
  readonly done: readonly Done[]
  /** The run that is undone. */
  readonly of: RunRecord['head']
  /** What cannot be undone, so that it is reported beforehand. */
  readonly problems: readonly Problem[]
}

/** Reads a run's record backwards; it makes no plan yet. */
export function undoOf(record: RunRecord): Undo {
  const done = doneIn(record)
  const names = formerNames(done)
  const ids = idsIn(record)
  const gone = done.filter((each) => each.action !== 'create' && each.action !== 'update')
  const pinned = gone.filter(({ address, id }) => id !== '' && address.endsWith(pinOf(id)))
  const isOfPinned = isIn(pinned.filter((each) => !lacksSecret(each)))
  const lost = gone.filter(lacksSecret)
  const isLost = isIn([...lost, ...pinned])
  // An object that replaced one that cannot be restored stays: after its deletion nothing would be left.
  const isKept = isIn([
    ...lost.filter((each) => each.action === 'replace' && each.after !== undefined),
    ...movedIn(done),
  ])
  const undone = done.filter((each) => each.action !== 'create' && !isLost(each))
  const objects = undone.flatMap((each) => objectBefore(each, names, ids) ?? [])
  const manifests = manifestsOf(objects, record.head.run)
  const needed = neededBy(done.filter(isKept), done)
  const left = done.filter((each) => !isKept(each) && !needed.has(each.address))
  const made = left.filter((each) => each.action === 'create').flatMap((each) => objectAfter(each, ids) ?? [])
  const created = manifestsOf(made, record.head.run)
  const changed = withoutUnchanged(manifests, new Map(done.map((each) => [each.address, each])))
  return {
    manifests: changed,
    created,
    base: { origin: record.head.run, objects: baseOf(left, changed) },
    released: releasedIn(changed, done),
    done,
    of: record.head,
    problems: [
      ...notUndone(done, objects, { isKept, needed, isOfPinned }),
      ...unanswered(record).map(({ address, isMade }) =>
        isMade ? perhapsMade(address) : cannotUndo(address, 'nobody knows whether the run has changed it'),
      ),
      // The record has them in the order of the answers.
    ].sort(by(({ message }) => message)),
  }
}

function releasedIn({ resources }: Manifests, done: readonly Done[]): Undo['released'] {
  const byAddress = new Map(done.map((each) => [each.address, each]))
  return new Map(
    resources.flatMap((resource): [string, readonly string[] | 'all'][] => {
      const each = byAddress.get(recordedAddress(resource))
      if (each?.unapplied) return [[resource.address, 'all']]
      const names = each && releasedOf(each, Object.keys(resource.fields))
      return names && names.length > 0 ? [[resource.address, names]] : []
    }),
  )
}

/** The fields among these that were not applied before the run; none if the record does not say. */
function releasedOf({ action, managed, takenOver = [] }: Done, names: readonly string[]): readonly string[] {
  if (action === 'delete') return managed ? names.filter((name) => !managed.includes(name)) : []
  return names.filter((name) => takenOver.includes(name))
}

/** Whether a change is one of these, or is inside an object of one of them. */
function isIn(changes: readonly Done[]): (done: Done) => boolean {
  const addresses = new Set(changes.map(({ address }) => address))
  return ({ address }) => addressAndAbove(address).some((each) => addresses.has(each))
}

/** Objects that a run was about to create, without a recorded outcome. */
export interface Unanswered {
  /** One resource for each object, without fields. */
  readonly manifests: Manifests
  /** When the last of them was announced; milliseconds since 1970. */
  readonly at: number
}

export function unansweredCreates(record: RunRecord): Unanswered | undefined {
  const { head, entries } = record
  const unknown = new Map<string, number>()
  for (const entry of entries) {
    if (entry.is === 'announced') for (const address of entry.creates) unknown.set(address, entry.at)
    if (entry.is === 'settled' && entry.answered !== 'no') unknown.delete(entry.address)
  }
  const ids = idsIn(record)
  const objects = head.changes.flatMap(({ address, kind, action }): ObjectValues | readonly [] => {
    // A key cannot be found by its name, which is secret.
    if (action !== 'create' || !unknown.has(address) || !isKindName(kind) || hasSecretName(catalog[kind])) return []
    return objectValues({ address, kind, id: '' }, {}, new Map(), ids) ?? []
  })
  if (objects.length === 0) return undefined
  return {
    manifests: manifestsOf(objects, head.run),
    at: [...unknown.values()].reduce((most, at) => Math.max(most, at)),
  }
}

/**
 * The addresses that earlier rollbacks of the same run announced before they were interrupted: all of them, and those to create
 * again.
 */
export function announcedBefore(
  { of, done }: Pick<Undo, 'of' | 'done'>,
  interrupted: readonly RunRecord[],
): { readonly addresses: ReadonlySet<string>; readonly creates: ReadonlySet<string> } {
  const same = interrupted.filter(({ head: { purpose } }) => purpose.is === 'rollback' && purpose.of === of.run)
  const announced = same.flatMap(({ entries }) => entries.flatMap((each) => (each.is === 'announced' ? [each] : [])))
  const refilled = done.filter((each) =>
    announced.some(({ addresses, changes }) => addresses[0] === each.address && isRefilled(each, changes?.before)),
  )
  return {
    addresses: new Set(announced.flatMap(({ addresses, creates }) => [...addresses, ...creates])),
    creates: new Set([...announced.flatMap(({ creates }) => creates), ...refilled.map(({ address }) => address)]),
  }
}

/** Whether a rollback fills an object again that the run had emptied: on some platforms a single child always exists. */
export const isRefilled = ({ action, kind }: Done, found: JsonObject | undefined): boolean =>
  action === 'delete' && found !== undefined && isBlank({ kind, fields: found })

/** The record with these objects, which were found, by address: the run has created them (A106). */
export function withFound(record: RunRecord, found: ReadonlyMap<string, string>): RunRecord {
  const entries = [...found].map(([address, id]): JournalEntry => {
    const nothing = { fields: {}, fingerprints: {} }
    const outcome = { outcome: 'applied', error: undefined, before: undefined, after: nothing }
    return { is: 'settled', address, id, ...outcome, at: record.head.started }
  })
  return { ...record, entries: [...record.entries, ...entries] }
}

/**
 * The record with the ids that objects have since another rollback created them again: they are the objects that the run created
 * or changed. What the run deleted keeps its id.
 */
export function withIdsNow(record: RunRecord, receipts: readonly Receipt[]): RunRecord {
  const now = new Map(
    receipts.flatMap(({ kind, id, formerId }) =>
      formerId === undefined ? [] : [[idKey(kind, formerId), id] as const],
    ),
  )
  if (now.size === 0) return record
  const changes = new Map(record.head.changes.map((change) => [change.address, change]))
  const idNow = <Id extends string | undefined>(address: string, id: Id): Id | string => {
    const { kind, action } = changes.get(address) ?? {}
    return (kind !== undefined && action !== 'delete' && now.get(idKey(kind, id ?? ''))) || id
  }
  const entries = record.entries.map((entry): JournalEntry => {
    if (entry.is === 'settled') return { ...entry, id: idNow(entry.address, entry.id) }
    if (entry.is !== 'announced' || !entry.changes) return entry
    return { ...entry, changes: { ...entry.changes, id: idNow(entry.addresses[0] ?? '', entry.changes.id) } }
  })
  return { ...record, entries }
}

/** A link has the id of the object that it refers to. */
const idKey = (kind: string, id: string): string => `${(isKindName(kind) && catalog[kind].association) || kind} ${id}`

/** The names that objects, or the objects that links refer to, had before the run renamed them, by their addresses since then. */
function formerNames(done: readonly Done[]): ReadonlyMap<string, string> {
  const targets = new Map(done.map((each) => [`${each.kind} ${each.id}`, nameBefore(each)]))
  const names = done.flatMap((each): (readonly [string, string])[] => {
    const { association } = catalog[each.kind]
    // A link has the id of the object that it refers to.
    const name = association ? targets.get(`${association} ${each.id}`) : nameBefore(each)
    return name === undefined ? [] : [[each.address, name]]
  })
  return new Map(names)
}

function nameBefore({ address, kind, id, before }: Done): string | undefined {
  const { naming } = catalog[kind]
  const name = naming === undefined ? undefined : before?.fields[naming]
  if (typeof name === 'string') return name
  return id !== '' && address.endsWith(pinOf(id))
    ? unescapeName(address.slice(address.lastIndexOf('/') + 1, -pinOf(id).length))
    : undefined
}

/** The end of the name in the address of a pinned object. */
const pinOf = (id: string): string => `~${id}`

/** The object before the run; undefined if the record cannot restore it. */
function objectBefore(
  done: Done,
  names: ReadonlyMap<string, string>,
  ids: ReadonlySet<string>,
): ObjectValues | undefined {
  const { kind, before, after, action } = done
  if (!before) return undefined
  // An absent secret is not a secret: it can be removed again.
  const keys = Object.keys(after?.fingerprints ?? {})
  const named: JsonObject = { ...Object.fromEntries(keys.map((key) => [fieldOfKey(key), null])), ...after?.fields }
  const added = keys.filter((key) => key !== fieldOfKey(key) && !Object.hasOwn(before.fingerprints, key))
  const written = added.reduce<Json>((object, key) => withMember(object, keysOf(pathOfPrint(key)), null), named)
  const managed = action === 'update' && isObject(written) ? written : undefined
  const row = catalog[kind]
  const then = managed ? { ...besides(row, before.fields, managed), ...before.fields } : before.fields
  const spec = specOf(row, then, managed && { managed, after: after?.fields ?? {} })
  // A key is identified by the package that it is for.
  const identity = Object.entries(after?.fields ?? {}).flatMap(([name, value]): [string, Json][] => {
    const field = name === row.namedBy ? row.fields[name] : undefined
    return field ? [[name, underFormerName(field, value, names)]] : []
  })
  return objectValues(done, { ...Object.fromEntries(identity), ...spec }, names, ids)
}

/**
 * Fields that exclude the side that an object changes back to. They were written next to it before and after the run, because its
 * manifest wrote them, so they are still written (A363).
 */
function besides({ sides }: Kind, before: JsonObject, managed: JsonObject): JsonObject {
  if (!sides || !Object.hasOwn(before, sides.by)) return {}
  const names = [...sides.one, ...sides.other].filter((name) => managed[name] !== undefined && managed[name] !== null)
  return Object.fromEntries(names.map((name): [string, Json] => [name, managed[name] ?? null]))
}

const isOfASide = ({ sides }: Kind, name: string): boolean =>
  sides !== undefined && (sides.one.includes(name) || sides.other.includes(name))

/** A reference as a manifest wrote it, with the name that its object had before the run. */
function underFormerName(field: Field, written: Json, names: ReadonlyMap<string, string>): Json {
  const kind = referredKind(field)
  const name = isObject(written) ? written.name : written
  const former = kind && typeof name === 'string' ? names.get(addressOf(catalog[kind], name, undefined)) : undefined
  if (former === undefined) return written
  return isObject(written) ? { ...written, name: former } : former
}

const objectAfter = (done: Done, ids: ReadonlySet<string>): ObjectValues | undefined =>
  objectValues(done, specOf(catalog[done.kind], done.after?.fields ?? {}, undefined), new Map(), ids)

/** The fields that a manifest may write; for an updated object, only those that the manifests of that run managed. */
function specOf(kind: Kind, fields: JsonObject, updated: Updated | undefined): JsonObject {
  const managed = updated?.managed
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, Json][] => {
      const written = managed && Object.hasOwn(managed, name) ? extraField(name) : attributeField(kind, name)
      const field = kind.fields[name] ?? written
      if (!field || !isWritable(field) || name === kind.naming) return []
      if (field.secret && value !== null) return []
      if (name === givenByParent(kind) || inverseReferenceOf(kind, field)) return []
      if (managed && !Object.hasOwn(managed, name)) return []
      if (value === null && (!managed || field.create === 'Req' || field.update === 'Req')) return []
      const before = updated ? changedMembers(field.type, value, updated.managed[name], updated.after[name]) : value
      return before === undefined ? [] : [[name, before]]
    }),
  )
}

/**
 * For an updated object: the fields that its manifest managed, with null for secrets; and the same after the run, without
 * secrets.
 */
interface Updated {
  readonly managed: JsonObject
  readonly after: JsonObject
}

/** An object by its address in the record, with the names that it and its parents had before the run. */
function objectValues(
  { address, kind, id }: Pick<Done, 'address' | 'kind' | 'id'>,
  fields: JsonObject,
  names: ReadonlyMap<string, string>,
  ids: ReadonlySet<string>,
): ObjectValues | undefined {
  const parts = address.split('/')
  const ancestors: Ancestor[] = []
  let used = 0
  for (const step of parseAddress(address)?.steps ?? []) {
    used += step.name === undefined ? 1 : 2
    if (!isKindName(step.kind)) return undefined
    const before = names.get(parts.slice(0, used).join('/'))
    const isParent = used < parts.length
    if (isParent && step.name !== undefined) ancestors.push({ kind: step.kind, ...ancestorOf(step.name, before, ids) })
    if (!isParent) return { kind, recordedAs: address, ancestors, fields, ...identityOf(kind, id, step.name, before) }
  }
  return undefined
}

/** How a restored object is found: by its id if its address has it, otherwise by the name that it has had since. */
function identityOf(
  kind: KindName,
  id: string,
  name: string | undefined,
  before = name,
): Pick<ObjectValues, 'name' | 'id' | 'formerly'> {
  const row = catalog[kind]
  if (hasSecretName(row)) return { name: undefined, id: id === '' ? undefined : id, formerly: [] }
  if (before === undefined) return { name: undefined, id: undefined, formerly: [] }
  const pin = pinOf(id)
  const isPinned = name?.endsWith(pin)
  return {
    name: before.endsWith(pin) ? before.slice(0, -pin.length) : before,
    id: isPinned ? id : undefined,
    // A link is found by the object that it refers to.
    formerly: isPinned || row.association || name === undefined || name === before ? [] : [name],
  }
}

/** A parent in an address, with the name that it had before the run. */
function ancestorOf(name: string, before: string | undefined, ids: ReadonlySet<string>): Name {
  const id = pinnedId(name, (each) => ids.has(each))
  if (id === undefined) return { name: before ?? name }
  return { name: before ?? name.slice(0, -pinOf(id).length), id }
}

function manifestsOf(objects: readonly ObjectValues[], run: string): Manifests {
  const manifests = manifestsFromValues(objects, `run ${run}`)
  return { ...manifests, resources: withPinned(manifests.resources) }
}

/** Adds pinned objects that the run has not touched, so that the objects in them find them by their ids. */
function withPinned(resources: readonly Resource[]): readonly Resource[] {
  const all = new Map(resources.map((resource) => [resource.address, resource]))
  for (const { ancestors, range } of resources) {
    for (const [index, { kind, name, id }] of ancestors.entries()) {
      const address = addressOfAncestors(ancestors.slice(0, index + 1))
      if (id === undefined || address === undefined || all.has(address)) continue
      const above = ancestors.slice(0, index)
      const found = implicitResource({ address, kind, to: { name, id }, range })
      all.set(address, { ...found, ancestors: above, parent: addressOfAncestors(above) })
    }
  }
  return [...all.values()]
}

/**
 * Leaves out the fields that the run sent without a change. An object that is restored gets its earlier children, and none of
 * those that the platform adds to a new object.
 */
function withoutUnchanged(manifests: Manifests, done: ReadonlyMap<string, Done>): Manifests {
  const resources = manifests.resources.map((resource) => {
    const each = done.get(resource.recordedAs ?? '')
    if (each?.action === 'delete')
      return { ...resource, wholeLists: addedChildren(catalog[resource.kind]).map(({ field }) => field) }
    if (each?.action !== 'update') return resource
    const row = catalog[resource.kind]
    const { fields: left = {}, fingerprints = {} } = each.after ?? {}
    // A secret that the run has set is not among its fields.
    const isSame = ([name, value]: readonly [string, Json]): boolean =>
      row.naming !== name && !Object.hasOwn(fingerprints, name) && sameJson(value, left[name] ?? null)
    // A field of a side that the object has anyway is left alone, whoever has changed it since.
    const stands = (entry: readonly [string, Json]): boolean => isSame(entry) && isOfASide(row, entry[0])
    const fields = Object.entries(resource.fields).filter((entry) => !isSame(entry) || stands(entry))
    const ignore = fields.filter(stands).map(([name]) => pointerTo(name))
    return { ...resource, fields: Object.fromEntries(fields), ignore: [...resource.ignore, ...ignore] }
  })
  return { ...manifests, resources }
}

/** What the run wrote. It is the base: a later change by somebody else is a conflict, and is left alone. */
function baseOf(done: readonly Done[], manifests: Manifests): ReadonlyMap<string, BaseObject> {
  const resources = new Map(manifests.resources.map((resource) => [resource.recordedAs, resource]))
  const objects = done.flatMap((each): [string, BaseObject][] => {
    const resource = resources.get(each.address)
    if (each.action === 'delete' || !each.after) return []
    const address = resource?.address ?? each.address
    const fields = each.action === 'create' ? each.after.fields : fieldsIn(resource, each.after.fields)
    const fingerprints = printsIn(resource, withoutForgotten(each, each.after.fingerprints))
    const perhaps = each.perhaps.map((held) => fieldsIn(resource, held))
    return [[address, { address, kind: each.kind, id: each.id, fields, fingerprints, perhaps }]]
  })
  return new Map(objects)
}

/**
 * A secret member that existed before stays as it is. It is not desired, because records have no secrets, and it must not be
 * unset.
 */
const withoutForgotten = ({ before }: Done, fingerprints: BaseObject['fingerprints']): BaseObject['fingerprints'] =>
  Object.fromEntries(Object.entries(fingerprints).filter(([key]) => !Object.hasOwn(before?.fingerprints ?? {}, key)))

const printsIn = (resource: Resource | undefined, held: BaseObject['fingerprints']): BaseObject['fingerprints'] =>
  Object.fromEntries(Object.entries(held).filter(([key]) => Object.hasOwn(resource?.fields ?? {}, fieldOfKey(key))))

/** The fields that a resource has; of objects, only the members that it has. */
function fieldsIn(resource: Resource | undefined, held: JsonObject): JsonObject {
  if (!resource) return {}
  const { kind, fields } = resource
  const kept = Object.entries(held).filter(([name]) => Object.hasOwn(fields, name))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, membersIn(catalog[kind].fields[name]?.type, value, fields[name])]),
  )
}

/** The address of a resource of `Undo.manifests` in the record. */
export const recordedAddress = (resource: Resource): string => resource.recordedAs ?? resource.address

/** Records have no secrets: an object that needs one cannot be created again. */
function lacksSecret({ kind, before }: Done): boolean {
  const row = catalog[kind]
  if (hasSecretName(row)) return true
  const held = Object.keys(before?.fingerprints ?? {}).map(fieldOfKey)
  return Object.values(row.fields).some(
    (field) => field.create === 'Req' && (field.writeOnly || held.includes(field.name)),
  )
}
