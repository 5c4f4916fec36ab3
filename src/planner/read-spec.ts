import { catalog } from '../catalog/catalog.js'
import {
  addedChildren,
  ancestors,
  attributeField,
  childField,
  childFields,
  inverseReferenceFields,
  isBeyondDocument,
  isReadOnly,
  isWritable,
  kinds,
  limitingKind,
  linkFields,
  ownFields,
  owningList,
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
 * What is read beside what is compared: who changed it last, for a report of drift; what the platform has added by itself,
 * once a run has created what it adds to.
 */
export type Purpose = 'plan' | 'drift' | 'after creates'

/**
 * What the live area is asked for, so that the manifests can be compared with it: kinds that are not used are not read,
 * kinds that are only referred to with id and name, and of the others only the fields that are compared (design §5).
 */
export function readSpecFor(
  manifests: Manifests,
  settings: PlanSettings,
  purpose: Purpose,
  base: Base | undefined,
): ReadSpec {
  const asked = new Asked()
  for (const resource of manifests.resources) askForResource(resource, asked)
  for (const removal of manifests.removals) askForRemoval(catalog[removal.kind], asked)
  const isAnyGone = base !== undefined && askForAllOf(base, manifests, asked)
  if (settings.prune === 'all') for (const kind of prunable(settings)) askForRemoval(kind, asked)
  if (isAnyGone || settings.prune === 'all' || manifests.removals.length > 0) askForReferrers(asked)
  if (purpose === 'drift') askForEditors(asked)
  if (purpose === 'after creates') askForAdded(asked)
  return {
    fields: asked.fields(),
    containers: containersIn(manifests),
    linksOf: linksNeeded(manifests, settings, base),
    extrasOf: extrasNeeded(manifests, base),
  }
}

function containersIn({ resources }: Manifests): ReadSpec['containers'] {
  const ids = new Map<KindName, Set<string>>()
  for (const { kind, owner } of resources) {
    if (owner !== undefined) ids.set(kind, (ids.get(kind) ?? new Set()).add(owner))
  }
  return Object.fromEntries([...ids].map(([kind, each]) => [kind, [...each].sort()]))
}

/** Asks for what was applied; whether any of that is declared no more. */
function askForAllOf(base: Base, { resources }: Manifests, asked: Asked): boolean {
  const declared = recordedAddresses(resources)
  let isAnyGone = false
  for (const object of base.objects.values()) {
    askForBase(object, declared, asked)
    isAnyGone ||= !declared.has(object.address)
  }
  return isAnyGone
}

class Asked {
  readonly #names = new Map<KindName, Set<string>>()
  readonly #settled = new Map<KindName, Set<string>>()
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

  /** A kind that is only referred to: id and name will do. */
  referred(kind: Kind): void {
    if (!this.#names.has(kind.name)) this.#names.set(kind.name, new Set())
  }

  field(kind: Kind, name: string): void {
    if (this.#names.get(kind.name)?.has(name)) return
    this.kind(kind)
    this.#names.get(kind.name)?.add(name)
    const field = kind.fields[name]
    if (!field || referredKind(field) === undefined) this.settled(kind).add(name)
  }

  /** Asks for the list that shows what a field means; false for other fields. */
  inverseReference(kind: Kind, name: string): boolean {
    const inverseReference = inverseReferenceFields(kind).find(({ field }) => field.name === name)
    if (inverseReference) this.field(inverseReference.owner, inverseReference.list.name)
    return inverseReference !== undefined
  }

  /** What need not be asked for again, once for each of thousands of objects; references always say more than their name. */
  settled(kind: Kind): Set<string> {
    const known = this.#settled.get(kind.name) ?? new Set<string>()
    this.#settled.set(kind.name, known)
    return known
  }

  /** The same for all objects of a kind with the same relevant properties: it is called once for them. */
  besideWritten(resource: Resource, kind: Kind): void {
    const asked = this.#alike.get(kind) ?? []
    const traits = (isPinned(resource) ? 1 : 0) + (isRouted(resource, kind) ? 2 : 0) + (hasSide(resource, kind) ? 4 : 0)
    if (asked[traits]) return
    asked[traits] = true
    this.#alike.set(kind, asked)
    for (const name of besideCompared(resource, kind)) this.field(kind, name)
    // The children of an object that is replaced are deleted with it, whoever created them (A350).
    if (mayBeReplaced(resource, kind)) for (const child of childFields(kind)) askForContents(child.kind, this)
  }

  kinds(): readonly Kind[] {
    return [...this.#names.keys()].map((name) => catalog[name])
  }

  fields(): ReadonlyMap<KindName, readonly string[]> {
    return new Map([...this.#names].map(([kind, names]) => [kind, [...names].sort()]))
  }
}

function askForResource(resource: Resource, asked: Asked): void {
  const kind = catalog[resource.kind]
  asked.kind(kind)
  if (kind.association) asked.referred(catalog[kind.association])
  const settled = asked.settled(kind)
  for (const name in resource.fields) {
    if (!settled.has(name)) askForWritten(kind, name, resource.fields[name] ?? null, asked)
  }
  // A plan that is made without a secret relies on the same fields as one that is made with it.
  for (const path of resource.unavailable) askForWritten(kind, keysOf(path)[0] ?? '', null, asked)
  for (const name in resource.additions) askForWritten(kind, name, resource.additions[name] ?? [], asked)
  asked.besideWritten(resource, kind)
  if (kind.limited) askForLimits(resource, kind, asked)
  for (const name of [...resource.wholeLists, ...resource.removedChildren]) {
    const child = childField(kind, name)
    if (!child) continue
    asked.kind(child.kind)
    askForSiblings(child.kind, asked)
  }
}

/** What is limited by an object that no manifest need declare is held against the limits that it has live. */
function askForLimits({ fields }: Resource, kind: Kind, asked: Asked): void {
  const name = limitingKind(kind)
  for (const [field, { exempt, override }] of Object.entries(kind.limited?.fields ?? {})) {
    if (name === undefined || (fields[field] === undefined && fields[exempt] === undefined)) continue
    for (const each of [field, exempt, override]) asked.field(catalog[name], each)
  }
}

function askForWritten(kind: Kind, name: string, written: Json | readonly Json[], asked: Asked): void {
  const field = kind.fields[name]
  if (field?.writeOnly) return
  asked.field(kind, name)
  asked.inverseReference(kind, name)
  if (field) askForReferred(kind, field, written, asked)
}

/** Fields that a request of this kind needs although no manifest writes them; none that only the notes know (A220). */
function besideCompared(resource: Resource, kind: Kind): readonly string[] {
  const own = ownFields(kind)
  const names = own.filter((field) => field.update === 'Req').map((field) => field.name)
  // A child that exists once, and a message of a fixed set, may have to be sent whole.
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

/** Whether a field may differ that cannot be changed: of a name only if the object is known without it. */
const mayBeReplaced = (resource: Resource, kind: Kind): boolean =>
  ownFields(kind).some((field) => field.immutable && (field.name !== kind.naming || isPinned(resource)))

function askForContents(kind: Kind, asked: Asked): void {
  asked.kind(kind)
  for (const child of childFields(kind)) askForContents(child.kind, asked)
}

const isRouted = ({ fields }: Resource, kind: Kind): boolean =>
  routeFields(kind).some((name) => fields[name] !== undefined)

const routeFields = perKind(({ route }): readonly string[] => Object.values(route ?? {}))

/** Whether it says which of two groups of fields it has: what is live of the other one may have to go. */
const hasSide = ({ fields }: Resource, { sides }: Kind): boolean =>
  sides !== undefined && fields[sides.by] !== undefined

const isPinned = (resource: Resource): boolean => resource.id !== undefined || resource.formerly.length > 0

function askForReferred(holder: Kind, field: Field, written: Json | readonly Json[], asked: Asked): void {
  const referred = referredKind(field)
  if (!referred) return
  const kind = targetOf(catalog[referred])
  // A link that has a collection of its own has members there, such as the action of a role.
  if (linkFields(holder).some((links) => links.field === field.name))
    for (const own of ownFields(catalog[referred])) if (isWritable(own)) asked.field(catalog[referred], own.name)
  for (const ancestor of ancestors(kind)) asked.referred(ancestor)
  asked.referred(kind)
  askForPicked(kind, asList(written), asked)
}

/**
 * What references pick inside the objects that they name: which methods a plan gives access to is answered inside its
 * endpoints.
 */
function askForPicked(kind: Kind, written: readonly Json[], asked: Asked): void {
  for (const { field, kind: picked, picks } of pickedFields(kind)) {
    const inner = written.flatMap((each) => {
      if (each === '*') return picks === 'any' ? [each] : []
      const value = isObject(each) ? each[field] : undefined
      return value === undefined ? [] : [value]
    })
    if (inner.length === 0) continue
    asked.referred(picked)
    askForPicked(picked, inner.flatMap(asList), asked)
  }
}

/** What was applied and is no longer written may have to be unset, or deleted. */
function askForBase(object: BaseObject, declared: ReadonlyMap<string, string>, asked: Asked): void {
  const kind = catalog[object.kind]
  if (!declared.has(object.address)) {
    askForRemoval(kind, asked)
    return
  }
  const settled = asked.settled(kind)
  for (const name in object.fields) if (!settled.has(name)) askForApplied(kind, name, object, asked)
  for (const key in object.fingerprints) askForApplied(kind, fieldOfKey(key), object, asked)
}

function askForApplied(kind: Kind, name: string, { fields }: BaseObject, asked: Asked): void {
  const field = kind.fields[name] ?? attributeField(kind, name)
  if (!field || field.writeOnly || asked.inverseReference(kind, name)) return
  asked.field(kind, name)
  askForReferred(kind, field, fields[name] ?? null, asked)
}

function askForRemoval(kind: Kind, asked: Asked): void {
  asked.kind(kind)
  // All of it, also what only the notes know: a rollback restores it from the record of the delete (A220).
  for (const field of ownFields(kind)) {
    if (!isWritable(field) || field.writeOnly || owningList(kind, field)) continue
    asked.field(kind, field.name)
    // The name includes the parent, which the reference itself does not show: it must be read.
    const referred = referredKind(field)
    if (referred && referenceParent(kind, targetOf(catalog[referred])).by === 'entry')
      askForReferred(kind, field, [], asked)
  }
  for (const child of childFields(kind)) askForRemoval(child.kind, asked)
  for (const link of kinds) if (link.association === kind.name && link.operations.delete) asked.kind(link)
  askForSiblings(kind, asked)
}

/** What answers with an error set keeps it, whether or not a manifest declares that. */
function askForSiblings(kind: Kind, asked: Asked): void {
  for (const { holder, field } of siblingReferencesTo(kind)) asked.field(holder, field)
}

/** The kinds that `prune: all` may delete from; an owner that is no resource cannot be listed. */
function prunable(settings: PlanSettings): readonly Kind[] {
  const { kinds: named } = settings.scope
  return kinds.filter(
    (kind) =>
      !kind.within &&
      !isReadOnly(kind) &&
      (named.length === 0 || [...ancestors(kind), kind].some((each) => named.includes(each.name))),
  )
}

/** What is deleted goes after what refers to it: which object that is must be known. */
function askForReferrers(asked: Asked): void {
  const read = asked.kinds()
  for (const kind of read) {
    for (const field of ownFields(kind)) {
      const referred = referredKind(field)
      // An inverse reference that a list on the other side owns is read there.
      if (!referred || owningList(kind, field) || !read.includes(targetOf(catalog[referred]))) continue
      asked.field(kind, field.name)
    }
  }
}

function askForAdded(asked: Asked): void {
  for (const kind of asked.kinds()) for (const child of addedChildren(kind)) asked.referred(child.kind)
}

function askForEditors(asked: Asked): void {
  for (const kind of asked.kinds()) {
    for (const name of ['updated', ...Object.values(kind.lastEdit ?? {})]) {
      if (kind.fields[name]) asked.field(kind, name)
    }
  }
}
