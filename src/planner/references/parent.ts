import { catalog } from '../../catalog/catalog.js'
import { referredKind } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import { isObject } from '../../json/json.js'
import type { Resource } from '../../manifest/resource.js'
import type { Located } from '../match/locate.js'
import { type BrokenReference, find, type ReferenceName, type ReferenceScope } from './scope.js'
import { writtenNames } from './written.js'

/** The name of a link's linked object. */
export const linkName = ({ key, id }: Resource) => (id === undefined ? { name: key } : { name: key, id })

/**
 * The parent in which a resource's references to children are looked up if they name none: the linked service, the key's package,
 * or an ancestor of the resource.
 */
export function parentFor(
  resource: Resource,
  referred: KindName,
  scope: ReferenceScope,
): Located | BrokenReference | undefined {
  const kind = catalog[referred].parent?.kind
  if (!kind) return undefined
  const own = catalog[resource.kind]
  const reference = { from: resource, kind, parent: undefined } satisfies Partial<ReferenceName>
  if (own.association === kind) return find({ ...reference, at: '', name: linkName(resource) }, scope)
  const sibling = Object.values(own.fields).find((field) => referredKind(field) === kind)
  const written = sibling && resource.fields[sibling.name]
  if (sibling && isObject(written)) {
    const [name] = writtenNames([written])
    return name && find({ ...reference, at: `/${sibling.name}`, name }, scope)
  }
  const answered = sibling && scope.names.matched.get(resource.address)?.fields[sibling.name]
  if (isObject(answered)) {
    const live = scope.names.live.byId(kind, String(answered.id))
    return live && { address: scope.names.addressOfLive(live), resource: undefined, live }
  }
  const ancestor = resource.ancestors.find((each) => each.kind === kind)
  if (!ancestor) return undefined
  const found = scope.names.locate(kind, ancestor, undefined)
  return typeof found === 'string' ? undefined : found
}
