import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { outerPaths } from '../json/pointer.js'
import { catalog } from './catalog.js'
import { isKindName, keyOfName } from './queries.js'
import type { Kind, KindName } from './types.js'

/**
 * An address names an object by its ancestors and itself: pairs of kind and name, such as `Service/Orders API/Endpoint/orders`.
 * "/" and "%" in a name are written as %2F and %25. A single child has only its kind. If several objects have the same name, a
 * pinned one ends in ~<id>.
 */

/** One step of an address. */
interface AddressStep {
  readonly kind: string
  readonly name: string | undefined
}

export const escapeName = (name: string): string =>
  name.includes('/') || name.includes('%') ? name.replaceAll('%', '%25').replaceAll('/', '%2F') : name

export const unescapeName = (name: string): string => name.replaceAll(/%2F/gi, '/').replaceAll('%25', '%')

/** The address of an object under its parent's address; `name` is undefined for a single child. */
export function addressOf(kind: Kind, name: string | undefined, parent: string | undefined, id?: string): string {
  const own = name === undefined ? kind.name : `${kind.name}/${escapeName(keyOfName(kind, name))}`
  const pinned = id === undefined ? own : `${own}~${escapeName(id)}`
  return parent === undefined ? pinned : `${parent}/${pinned}`
}

/** The possible addresses of a reference's target under its parent: with the id, if the reference has one, and without. */
export function addressesNamed(kind: Kind, reference: Json | undefined, parent?: string): readonly string[] {
  const { name, id }: JsonObject = isObject(reference) ? reference : { name: reference ?? null }
  if (typeof name !== 'string') return []
  const own = addressOf(kind, name, parent)
  return typeof id === 'string' ? [addressOf(kind, name, parent, id), own] : [own]
}

/** The id at the end of a name in an address (`S~17`), if it is the id of an object. */
export function pinnedId(name: string, isId: (id: string) => boolean): string | undefined {
  for (let at = name.lastIndexOf('~'); at > 0; at = name.lastIndexOf('~', at - 1)) {
    const id = name.slice(at + 1)
    if (isId(id)) return id
  }
  return undefined
}

/** The address of an owner that is no resource, such as `EmailTemplateSet/7`. */
export const ownerAddress = (owner: string, name: string): string => `${owner}/${escapeName(name)}`

/** The address without its last step: the address of the parent, or '' at the root. */
export const addressOfParent = (kind: Kind, address: string): string =>
  address
    .split('/')
    .slice(0, kind.naming === undefined ? -1 : -2)
    .join('/')

/** The name in the last step of an address, without escapes. */
export const nameInAddress = (address: string): string => unescapeName(address.slice(address.lastIndexOf('/') + 1))

/** The address itself and all its beginnings that end before a "/", among them the addresses of all ancestors. */
export const addressAndAbove = (address: string): readonly string[] => [...outerPaths(address), address]

/** The kind of the last step of an address, and all steps; undefined if the text is no address. */
export function parseAddress(address: string): { kind: KindName; steps: readonly AddressStep[] } | undefined {
  const parts = address.split('/')
  const steps: AddressStep[] = []
  for (let index = 0; index < parts.length; ) {
    const kind = parts[index] ?? ''
    const single = isKindName(kind) && catalog[kind].naming === undefined
    const name = single ? undefined : parts[index + 1]
    if (!single && (name === undefined || name === '')) return undefined
    steps.push({ kind, name: name === undefined ? undefined : unescapeName(name) })
    index += single ? 1 : 2
  }
  const last = steps.at(-1)
  return last && isKindName(last.kind) ? { kind: last.kind, steps } : undefined
}
