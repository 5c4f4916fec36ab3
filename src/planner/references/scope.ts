import type { KindName } from '../../catalog/types.js'
import { by } from '../../json/order.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Name, Resource } from '../../manifest/resource.js'
import type { Finding, Located } from '../match/locate.js'
import type { Matches } from '../match/match.js'
import type { ReferenceTarget } from '../plan.js'

/** The functions for looking up names. */
export type Names = Pick<Matches, 'live' | 'matched' | 'addressOfLive' | 'declaredUnder' | 'namesThere' | 'locate'>

/** The live objects that will not exist after the plan, or will have another id. */
export interface PlannedRemovals {
  readonly deleted: ReadonlySet<LiveObject>
  /** Addresses of resources that are deleted and created again. */
  readonly replaced: ReadonlySet<string>
  /** Addresses of resources that were deleted on the platform and are not created again. */
  readonly leftDeleted: ReadonlySet<string>
}

export const noRemovals: PlannedRemovals = {
  deleted: new Set(),
  replaced: new Set(),
  leftDeleted: new Set(),
}

/** The input for resolving names of references. */
export interface ReferenceScope {
  readonly names: Names
  readonly removals: PlannedRemovals
}

/** One name with which a resource refers to another object. */
export interface ReferenceName {
  readonly from: Resource
  /** JSON Pointer of the reference within that resource; '' for the linked object of a link. */
  readonly at: string
  readonly kind: KindName
  readonly name: Name
  readonly parent: Located | undefined
}

/** A name that does not mean exactly one object that will exist after the plan. `found` is the result of the lookup. */
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

/** All objects of a kind under a parent that will exist after the plan: the declared ones, and live ones that are not deleted. */
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

/** The id of an object, or its address if the plan creates it. */
export const referenceTarget = ({ address, live }: Located, { replaced }: PlannedRemovals): ReferenceTarget =>
  live && !replaced.has(address) ? { is: 'live', id: live.id } : { is: 'desired', address }

/** The same text for the same target. */
export const targetKey = (target: ReferenceTarget): string =>
  target.is === 'live' ? `id:${target.id}` : `address:${target.address}`
