import type { KindName } from '../../catalog/types.js'
import { by } from '../../json/order.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Name, Resource } from '../../manifest/resource.js'
import type { Finding, Located } from '../match/locate.js'
import type { Matches } from '../match/match.js'
import type { ReferenceTarget } from '../plan.js'

/** How names are looked up. */
export type Names = Pick<Matches, 'live' | 'matched' | 'addressOfLive' | 'declaredUnder' | 'namesThere' | 'locate'>

/** Which live objects will be gone, or will have another id, after the plan. */
export interface PlannedRemovals {
  readonly deleted: ReadonlySet<LiveObject>
  /** Addresses of resources that are deleted and created again. */
  readonly replaced: ReadonlySet<string>
  /** Addresses of resources that are gone and stay so. */
  readonly leftDeleted: ReadonlySet<string>
}

export const noRemovals: PlannedRemovals = {
  deleted: new Set(),
  replaced: new Set(),
  leftDeleted: new Set(),
}

/** In what names of references are resolved. */
export interface ReferenceScope {
  readonly names: Names
  readonly removals: PlannedRemovals
}

/** One name that a resource refers to another object by. */
export interface ReferenceName {
  readonly from: Resource
  /** JSON Pointer of the reference within that resource; '' for what a link is a link to. */
  readonly at: string
  readonly kind: KindName
  readonly name: Name
  readonly parent: Located | undefined
}

/** A name that does not lead to one object that will be there after the plan; `found` is what it leads to. */
export interface BrokenReference extends ReferenceName {
  readonly found: Finding
}

export const isBroken = (found: Located | BrokenReference): found is BrokenReference => 'found' in found

/** The object that a name means, if it will exist after the plan. */
export function find(reference: ReferenceName, { names, removals }: ReferenceScope): Located | BrokenReference {
  const found = names.locate(reference.kind, reference.name, reference.parent)
  if (typeof found === 'string') return { ...reference, found }
  const isGone = !found.resource && found.live && removals.deleted.has(found.live)
  return isGone ? { ...reference, found } : found
}

/** All objects of a kind under a parent that will be there after the plan: declared, and live ones that stay. */
export function allUnder(kind: KindName, parent: Located, { names, removals }: ReferenceScope): readonly Located[] {
  const declared = names
    .declaredUnder(parent.address, kind)
    .filter(({ address }) => !removals.leftDeleted.has(address))
    .map((resource) => ({ address: resource.address, resource, live: names.matched.get(resource.address) }))
  const taken = new Set(declared.map((located) => located.live))
  const others = parent.live ? names.live.among(kind, parent.live) : []
  const staying = others
    .filter((object) => !taken.has(object) && !removals.deleted.has(object))
    .map((object) => ({ address: names.addressOfLive(object), resource: undefined, live: object }))
  return [...declared, ...staying].sort(by((each) => each.address))
}

/** In place of the id of an object: the id itself, or the address of the object that the plan creates. */
export const targetOf = ({ address, live }: Located, { replaced }: PlannedRemovals): ReferenceTarget =>
  live && !replaced.has(address) ? { is: 'live', id: live.id } : { is: 'desired', address }

/** The same text for the same target. */
export const targetKey = (target: ReferenceTarget): string =>
  target.is === 'live' ? `id:${target.id}` : `address:${target.address}`
