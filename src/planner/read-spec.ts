import { catalog } from '../catalog/catalog.js'
import {
  addedChildren,
  ancestors,
  attributeField,
  childField,
  childFields,
  inverseReferenceFields,
  inverseReferenceOf,
  isBeyondDocument,
  isReadOnly,
  isWritable,
  kinds,
  limitingKind,
  linkFields,
  ownFields,
  perKind,
  pickedFields,
  referredKind,
  targetOf,
} from '../catalog/queries.js'
import { referenceParent, siblingReferencesTo } from '../catalog/reference-form.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { Json } from '../json/json.js'
import { asList, isObject } from '../json/json.js'
import { keysOf } from '../json/pointer.js'
import type { ReadSpec } from '../live/live-object.js'
import type { Manifests, Resource } from '../manifest/resource.js'
import type { Base, BaseObject } from './base/base-object.js'
import { recordedAddresses } from './base/todays-base.js'
import { fieldOfKey } from './compare/secret-values.js'
import { extrasNeeded, linksNeeded } from './link-holders.js'
import type { PlanSettings } from './plan.js'

/**
 * The purpose of reading, which decides what is read in addition. `drift`: who changed an object last. `after creates`: the
 * objects that the platform added to those that a run created.
 */
export type Purpose = 'plan' | 'drift' | 'after creates'

/**
 * What must be read from the live area to compare it with the manifests. Kinds that are not used are not read. Kinds that are
 * only referred to are read with id and name, and the others with only those fields that are compared (design §5).
 */
export function readSpecFor(
  manifests: Manifests,
  settings: PlanSettings,
  purpose: Purpose,
  base: Base | undefined,
): ReadSpec {
  const requested = new RequestedFields()
  for (const resource of manifests.resources) requestResource(resource, requested)
  for (const removal of manifests.removals) requestRemoval(catalog[removal.kind], requested)
  const isAnyGone = base !== undefined && requestAllOf(base, manifests, requested)
  if (settings.prune === 'all') for (const kind of prunable(settings)) requestRemoval(kind, requested)
  if (isAnyGone || settings.prune === 'all' || manifests.removals.length > 0) requestReferrers(requested)
  if (purpose === 'drift') requestEditors(requested)
  if (purpose === 'after creates') requestAdded(requested)
  return {
    fields: requested.fields(),
    containers: containersIn(manifests),
    linksOf: linksNeeded(manifests, settings, base),
    extrasOf: extrasNeeded(manifests, base),
  }
}

/** The containers in which manifests declare objects: email template sets. */
export function containersIn({ resources }: Manifests): ReadSpec['containers'] {
  const ids = new Map<KindName, Set<string>>()
  for (const { kind, owner } of resources) {
    if (owner !== undefined) ids.set(kind, (ids.get(kind) ?? new Set()).add(owner))
  }
  return Object.fromEntries([...ids].map(([kind, each]) => [kind, [...each].sort()]))
}

/** Requests everything that was applied. Returns whether some of it is no longer declared. */
function requestAllOf(base: Base, { resources }: Manifests, requested: RequestedFields): boolean {
  const declared = recordedAddresses(resources)
  let isAnyGone = false
  for (const object of base.objects.values()) {
    requestBase(object, declared, requested)
    isAnyGone ||= !declared.has(object.address)
  }
  return isAnyGone
}

class RequestedFields {
  readonly #names = new Map<KindName, Set<string>>()
  readonly #complete = new Map<KindName, Set<string>>()
  readonly #whole = new Set<Kind>()
  readonly #alike = new Map<Kind, boolean[]>()

  kind(kind: Kind): void {
    if (this.#whole.has(kind)) return
    this.#whole.add(kind)
    this.referred(kind)
    const names = this.#names.get(kind.name)
    if (kind.platformOwned) names?.add(kind.platformOwned.field)
    if (kind.approval) names?.add(kind.approval.field)
    if (kind.namedBy !== undefined) names?.add(kind.namedBy)
  }

  /** Requests id and name of a kind that is only referred to. */
  referred(kind: Kind): void {
    if (!this.#names.has(kind.name)) this.#names.set(kind.name, new Set())
  }

  field(kind: Kind, name: string): void {
    if (this.#names.get(kind.name)?.has(name)) return
    this.kind(kind)
    this.#names.get(kind.name)?.add(name)
    const field = kind.fields[name]
    if (!field || referredKind(field) === undefined) this.complete(kind).add(name)
  }

  /** Requests the list that shows the value of an inverse reference. Returns false for other fields. */
  inverseReference(kind: Kind, name: string): boolean {
    const inverseReference = inverseReferenceFields(kind).find(({ field }) => field.name === name)
    if (inverseReference) this.field(inverseReference.owner, inverseReference.list.name)
    return inverseReference !== undefined
  }

  /**
   * The fields that are asked for already, so that they are not examined again for each of thousands of objects. A field with
   * references is not among them, because each of its values can require more.
   */
  complete(kind: Kind): Set<string> {
    const known = this.#complete.get(kind.name) ?? new Set<string>()
    this.#complete.set(kind.name, known)
    return known
  }

  /**
   * Requests fields that no manifest writes. They are the same for all objects of a kind with the same properties, so this is
   * done once for all of them.
   */
  besideWritten(resource: Resource, kind: Kind): void {
    const requested = this.#alike.get(kind) ?? []
    const traits = (isPinned(resource) ? 1 : 0) + (isRouted(resource, kind) ? 2 : 0) + (hasSide(resource, kind) ? 4 : 0)
    if (requested[traits]) return
    requested[traits] = true
    this.#alike.set(kind, requested)
    for (const name of besideCompared(resource, kind)) this.field(kind, name)
    // The children of an object that is replaced are deleted with it, whoever created them (A350).
    if (mayBeReplaced(resource, kind)) for (const child of childFields(kind)) requestContents(child.kind, this)
  }

  kinds(): readonly Kind[] {
    return [...this.#names.keys()].map((name) => catalog[name])
  }

  fields(): ReadonlyMap<KindName, readonly string[]> {
    return new Map([...this.#names].map(([kind, names]) => [kind, [...names].sort()]))
  }
}

function requestResource(resource: Resource, requested: RequestedFields): void {
  const kind = catalog[resource.kind]
  requested.kind(kind)
  if (kind.association) requested.referred(catalog[kind.association])
  const complete = requested.complete(kind)
  for (const name in resource.fields) {
    if (!complete.has(name)) requestWritten(kind, name, resource.fields[name] ?? null, requested)
  }
  // A plan without a secret must rely on the same fields as a plan with it.
  for (const path of resource.unavailable) requestWritten(kind, keysOf(path)[0] ?? '', null, requested)
  for (const name in resource.additions) requestWritten(kind, name, resource.additions[name] ?? [], requested)
  requested.besideWritten(resource, kind)
  if (kind.limited) requestLimits(resource, kind, requested)
  for (const name of [...resource.wholeLists, ...resource.removedChildren]) {
    const child = childField(kind, name)
    if (!child) continue
    requested.kind(child.kind)
    requestSiblings(child.kind, requested)
  }
}

/**
 * Requests the limits of a limiting object that no manifest has to declare: the limits of a resource are compared with its live
 * limits.
 */
function requestLimits({ fields }: Resource, kind: Kind, requested: RequestedFields): void {
  const name = limitingKind(kind)
  for (const [field, { exempt, override }] of Object.entries(kind.limited?.fields ?? {})) {
    if (name === undefined || (fields[field] === undefined && fields[exempt] === undefined)) continue
    for (const each of [field, exempt, override]) requested.field(catalog[name], each)
  }
}

function requestWritten(kind: Kind, name: string, written: Json | readonly Json[], requested: RequestedFields): void {
  const field = kind.fields[name]
  if (field?.writeOnly) return
  requested.field(kind, name)
  requested.inverseReference(kind, name)
  if (field) requestReferred(kind, field, written, requested)
}

/**
 * Fields that a request of this kind needs although no manifest writes them. Fields that only the field notes know are not among
 * them (A220).
 */
function besideCompared(resource: Resource, kind: Kind): readonly string[] {
  const own = ownFields(kind)
  const names = own.filter((field) => field.update === 'Req').map((field) => field.name)
  // A single child, and a message of a fixed set, may have to be sent in full.
  if (kind.naming === undefined || kind.fixedSet) names.push(...own.map((field) => field.name))
  if (kind.route && isRouted(resource, kind)) names.push(...Object.values(kind.route))
  if (kind.sides && hasSide(resource, kind)) names.push(...kind.sides.one, ...kind.sides.other)
  if (mayBeReplaced(resource, kind))
    names.push(...own.filter((field) => field.create !== 'Ign').map((field) => field.name))
  return names.filter(
    (name) =>
      !kind.fields[name]?.writeOnly && kind.fields[name]?.readOnly === undefined && !isBeyondDocument(kind, name),
  )
}

/** Whether an immutable field can differ. A name can differ only if the object is identified by something else. */
const mayBeReplaced = (resource: Resource, kind: Kind): boolean =>
  ownFields(kind).some((field) => field.immutable && (field.name !== kind.naming || isPinned(resource)))

function requestContents(kind: Kind, requested: RequestedFields): void {
  requested.kind(kind)
  for (const child of childFields(kind)) requestContents(child.kind, requested)
}

const isRouted = ({ fields }: Resource, kind: Kind): boolean =>
  routeFields(kind).some((name) => fields[name] !== undefined)

const routeFields = perKind(({ route }): readonly string[] => Object.values(route ?? {}))

/** Whether a resource decides between two groups of fields: the live fields of the other group may have to be cleared. */
const hasSide = ({ fields }: Resource, { sides }: Kind): boolean =>
  sides !== undefined && fields[sides.by] !== undefined

const isPinned = (resource: Resource): boolean => resource.id !== undefined || resource.formerly.length > 0

function requestReferred(
  holder: Kind,
  field: Field,
  written: Json | readonly Json[],
  requested: RequestedFields,
): void {
  const referred = referredKind(field)
  if (!referred) return
  const kind = targetOf(catalog[referred])
  // A link with its own collection has additional members there, such as the action of a role.
  if (linkFields(holder).some((links) => links.field === field.name))
    for (const own of ownFields(catalog[referred])) if (isWritable(own)) requested.field(catalog[referred], own.name)
  for (const ancestor of ancestors(kind)) requested.referred(ancestor)
  requested.referred(kind)
  requestPicked(kind, asList(written), requested)
}

/**
 * Requests what references pick inside their targets: the endpoints of a service contain the methods to which a plan gives
 * access.
 */
function requestPicked(kind: Kind, written: readonly Json[], requested: RequestedFields): void {
  for (const { field, kind: picked, picks } of pickedFields(kind)) {
    const inner = written.flatMap((each) => {
      if (each === '*') return picks === 'any' ? [each] : []
      const value = isObject(each) ? each[field] : undefined
      return value === undefined ? [] : [value]
    })
    if (inner.length === 0) continue
    requested.referred(picked)
    requestPicked(picked, inner.flatMap(asList), requested)
  }
}

/**
 * Requests an object of the base: fields that are no longer written may have to be unset, and the object may have to be deleted.
 */
function requestBase(object: BaseObject, declared: ReadonlyMap<string, string>, requested: RequestedFields): void {
  const kind = catalog[object.kind]
  if (!declared.has(object.address)) {
    requestRemoval(kind, requested)
    return
  }
  const complete = requested.complete(kind)
  for (const name in object.fields) if (!complete.has(name)) requestApplied(kind, name, object, requested)
  for (const key in object.fingerprints) requestApplied(kind, fieldOfKey(key), object, requested)
}

function requestApplied(kind: Kind, name: string, { fields }: BaseObject, requested: RequestedFields): void {
  const field = kind.fields[name] ?? attributeField(kind, name)
  if (!field || field.writeOnly || requested.inverseReference(kind, name)) return
  requested.field(kind, name)
  requestReferred(kind, field, fields[name] ?? null, requested)
}

function requestRemoval(kind: Kind, requested: RequestedFields): void {
  requested.kind(kind)
  // All fields are read, including those that only the field notes know: a rollback restores them from the record of the delete
  // (A220).
  for (const field of ownFields(kind)) {
    if (!isWritable(field) || field.writeOnly || inverseReferenceOf(kind, field)) continue
    requested.field(kind, field.name)
    // The name includes the parent, but the reference does not contain the parent, so it must be read.
    const referred = referredKind(field)
    if (referred && referenceParent(kind, targetOf(catalog[referred])).by === 'entry')
      requestReferred(kind, field, [], requested)
  }
  for (const child of childFields(kind)) requestRemoval(child.kind, requested)
  for (const link of kinds) if (link.association === kind.name && link.operations.delete) requested.kind(link)
  requestSiblings(kind, requested)
}

/**
 * Requests the siblings that can refer to an object: endpoints that use an error set, whether or not a manifest declares that.
 */
function requestSiblings(kind: Kind, requested: RequestedFields): void {
  for (const { holder, field } of siblingReferencesTo(kind)) requested.field(holder, field)
}

/** The kinds that `prune: all` may delete. If the parent of a kind is no resource, its objects cannot be listed. */
function prunable(settings: PlanSettings): readonly Kind[] {
  const { kinds: named } = settings.scope
  return kinds.filter(
    (kind) =>
      !kind.within &&
      !isReadOnly(kind) &&
      (named.length === 0 || [...ancestors(kind), kind].some((each) => named.includes(each.name))),
  )
}

/** Requests all references between the kinds that are read, because an object is deleted only after the references to it. */
function requestReferrers(requested: RequestedFields): void {
  const read = requested.kinds()
  for (const kind of read) {
    for (const field of ownFields(kind)) {
      const referred = referredKind(field)
      // An inverse reference that belongs to a list of the other object is read there.
      if (!referred || inverseReferenceOf(kind, field) || !read.includes(targetOf(catalog[referred]))) continue
      requested.field(kind, field.name)
    }
  }
}

function requestAdded(requested: RequestedFields): void {
  for (const kind of requested.kinds()) for (const child of addedChildren(kind)) requested.referred(child.kind)
}

function requestEditors(requested: RequestedFields): void {
  for (const kind of requested.kinds()) {
    for (const name of ['updated', ...Object.values(kind.lastEdit ?? {})]) {
      if (kind.fields[name]) requested.field(kind, name)
    }
  }
}
