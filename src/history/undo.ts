import { addressAndAbove } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { addedChildren, hasSecretName, isKindName } from '../catalog/queries.js'
import type { Json, JsonObject } from '../json/json.js'
import { sameJson } from '../json/json.js'
import { by } from '../json/order.js'
import { pointerTo } from '../json/pointer.js'
import { addressOfAncestors } from '../manifest/ancestors.js'
import { manifestsFromValues, type ObjectValues } from '../manifest/from-values.js'
import { implicitResource } from '../manifest/nest.js'
import type { Manifests, Resource } from '../manifest/resource.js'
import type { Base, BaseObject } from '../planner/base/base-object.js'
import { isBlank } from '../planner/compare/blank.js'
import { fieldOfKey, printKey } from '../planner/compare/secret-values.js'
import type { Plan } from '../planner/plan.js'
import type { Problem } from '../problems/problem.js'
import { cannotUndo, perhapsMade } from '../problems/refusals.js'
import type { RunRecord } from '../stores/record.js'
import { type Done, doneIn, idsIn, unanswered } from './done.js'
import { membersIn } from './members.js'
import { movedIn, neededBy } from './needed.js'
import { notUndone } from './not-undone.js'
import { formerNames, isOfASide, objectAfter, objectBefore, objectValues, pinOf } from './recorded-objects.js'

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

/** The fields among these, and their members, that were not applied before the run; none if the record does not say. */
function releasedOf({ action, managed, takenOver = [] }: Done, names: readonly string[]): readonly string[] {
  const unmanaged = action === 'delete' && managed ? names.filter((name) => !managed.includes(name)) : []
  const members = takenOver.filter((key) => names.includes(fieldOfKey(key)))
  return [...unmanaged.map((name) => printKey(pointerTo(name))), ...members]
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
