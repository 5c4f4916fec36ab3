import { parseAddress } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import {
  childField,
  elementOf,
  isExtra,
  isFieldOfParent,
  isKindName,
  linkFields,
  ownFields,
  pickedFields,
  targetOf,
} from '../catalog/queries.js'
import type { Kind, KindName } from '../catalog/types.js'
import { type Json, objectsIn, textOf } from '../json/json.js'
import { once } from '../json/once.js'
import type { Holder, LinksOf, ReadSpec } from '../live/live-object.js'
import type { Manifests, Name, Resource } from '../manifest/resource.js'
import type { Base, BaseObject } from './base/base-object.js'
import type { PlanSettings } from './plan.js'
import { scopeTest } from './prune/deletions.js'

/**
 * The objects whose links must be read. These are the live objects of anything that is desired, applied or removed, under any
 * name or id that it has had, if its links are written, were applied, or are deleted with it.
 */
export function linksNeeded(manifests: Manifests, settings: PlanSettings, base: Base | undefined): LinksOf {
  const needed = new Holders()
  const declared = new Holders()
  const declaredAt = byAddress(manifests)
  for (const resource of manifests.resources) {
    if (holdsLinks(resource.kind)) declared.resource(resource)
    if (writesLinks(resource.kind, resource.fields)) needed.resource(resource)
    else if (isLink(resource.kind)) needed.parentOf(resource, declaredAt)
  }
  for (const object of base?.objects.values() ?? []) {
    // An object is deleted with its links. The record of the delete contains them for a rollback.
    const goes =
      settings.prune !== 'none' &&
      holdsLinks(object.kind) &&
      !declaredAt(object.address) &&
      !declared.has(holderOf(object))
    if (writesLinks(object.kind, object.fields) || goes) needed.applied(object)
    else if (isLink(object.kind)) needed.parentOfApplied(object.address, base)
  }
  for (const { address, kind } of manifests.removals) if (holdsLinks(kind) || isLink(kind)) needed.address(address)
  if (settings.prune !== 'all') return (holder) => needed.has(holder)
  const isInScope = scopeTest(settings.scope)
  return (holder) =>
    needed.has(holder) || (!declared.has(holder) && isInScope([{ kind: holder.kind, key: holder.name }]))
}

/**
 * The objects whose children beyond the document must be read, and the picks of these children. These are the live objects of
 * anything that is written, applied or removed. Undefined if there are none, as in almost all areas (A313).
 */
export function extrasNeeded(
  manifests: Pick<Manifests, 'resources' | 'removals'>,
  base: Base | undefined,
): ReadSpec['extrasOf'] {
  const needed = new Holders()
  const declaredAt = byAddress(manifests)
  for (const resource of manifests.resources) {
    if (isExtra(catalog[resource.kind])) needed.parentOf(resource, declaredAt)
    const holds = (name: string) => holdsExtras(resource.kind, name)
    if (resource.wholeLists.some(holds) || resource.removedChildren.some(holds)) needed.resource(resource)
    if (needed.picking(resource)) needed.resource(resource)
  }
  for (const object of base?.objects.values() ?? []) {
    if (isExtra(catalog[object.kind])) needed.parentOfApplied(object.address, base)
    if (needed.picking(object)) needed.applied(object)
  }
  for (const { address, kind } of manifests.removals) if (isExtra(catalog[kind])) needed.address(address)
  return needed.isEmpty ? undefined : (holder) => needed.has(holder)
}

type DeclaredAt = (address: string) => Resource | undefined

/** Finds declared objects by address. The map is made only if there are links, or objects beyond the document. */
function byAddress({ resources }: Pick<Manifests, 'resources'>): DeclaredAt {
  const all = once(() => new Map(resources.map((resource) => [resource.address, resource])))
  return (address) => all().get(address)
}

const holdsExtras = (kind: KindName, field: string): boolean => {
  const child = childField(catalog[kind], field)
  return child !== undefined && isExtra(child.kind)
}

const holdsLinks = (kind: KindName): boolean => linkFields(catalog[kind]).length > 0

const isLink = (kind: KindName): boolean => isFieldOfParent(catalog[kind])

const writesLinks = (kind: KindName, fields: Resource['fields']): boolean =>
  linkFields(catalog[kind]).some(({ field }) => fields[field] !== undefined)

/** An object of the base as it was applied, without parents. */
const holderOf = ({ kind, id = '', address }: BaseObject): Holder => ({
  kind,
  id,
  name: parseAddress(address)?.steps.at(-1)?.name ?? '',
})

/** Live objects by their kinds and their possible names and ids. */
class Holders {
  readonly #names = new Set<string>()
  readonly #ids = new Set<string>()

  get isEmpty(): boolean {
    return this.#names.size === 0
  }

  has({ kind, id, name }: Holder): boolean {
    return this.#ids.has(`${kind} ${id}`) || this.#names.has(`${kind} ${name}`)
  }

  resource({ kind, key, id, formerly }: Resource): void {
    this.#add(kind, { name: key, ...(id !== undefined && { id }) })
    for (const name of formerly) this.#add(kind, { name })
  }

  parentOf({ parent, ancestors }: Resource, declaredAt: DeclaredAt): void {
    const declared = declaredAt(parent ?? '')
    if (declared) this.resource(declared)
    const named = ancestors.at(-1)
    if (named) this.#add(named.kind, named)
  }

  applied({ kind, id, address }: BaseObject): void {
    if (id !== undefined) this.#ids.add(`${kind} ${id}`)
    this.address(address)
  }

  parentOfApplied(address: string, base: Base | undefined): void {
    this.address(address)
    const parent = base?.objects.get(address.split('/').slice(0, -2).join('/'))
    if (parent) this.applied(parent)
  }

  /** Adds the targets of a link's references that pick something beyond the document. Returns whether there are any. */
  picking({ kind, fields }: Pick<Resource, 'kind' | 'fields'>): boolean {
    if (catalog[kind].association === undefined) return false
    const picks = ownFields(catalog[kind]).map(({ name, type }) => {
      const referred = elementOf(type)
      return referred.is === 'reference' && this.#pickingIn(targetOf(catalog[referred.kind]), fields[name])
    })
    return picks.includes(true)
  }

  #pickingIn(kind: Kind, value: Json | undefined): boolean {
    const picks = objectsIn(value).flatMap((entry) =>
      pickedFields(kind).map(({ field, kind: inner }) => {
        if (!isExtra(inner)) return this.#pickingIn(inner, entry[field])
        if (entry[field] === undefined) return false
        this.#add(kind.name, { name: textOf(entry.name) ?? '', ...(typeof entry.id === 'string' && { id: entry.id }) })
        return true
      }),
    )
    return picks.includes(true)
  }

  /** Adds each object along an address. If several have the same name, a pinned one ends in ~<id>. */
  address(address: string): void {
    for (const { kind, name = '' } of parseAddress(address)?.steps ?? []) {
      if (!isKindName(kind)) continue
      this.#add(kind, { name })
      const pin = name.lastIndexOf('~')
      if (pin !== -1) this.#add(kind, { name: name.slice(0, pin), id: name.slice(pin + 1) })
    }
  }

  #add(kind: KindName, { name, id }: Name): void {
    this.#names.add(`${kind} ${name}`)
    if (id !== undefined) this.#ids.add(`${kind} ${id}`)
  }
}
