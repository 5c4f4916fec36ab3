import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { outerPaths } from '../json/pointer.js'
import { catalog } from './catalog.js'
import { isKindName, keyOfName } from './queries.js'
import type { Kind, KindName } from './types.js'

/**
 * Addresses name an object along the path of its parents: kind/name pairs, such as `Service/Orders API/Endpoint/orders`.
 * "/" and "%" inside a name are %2F and %25; a child that exists once is its kind alone; of those that have one name a pinned
 * one ends in ~<id>.
 */

/** One step of an address. */
export interface AddressStep {
  readonly kind: string
  readonly name: string | undefined
}

export const escapeName = (name: string): string =>
  name.includes('/') || name.includes('%') ? name.replaceAll('%', '%25').replaceAll('/', '%2F') : name

export const unescapeName = (name: string): string => name.replaceAll(/%2F/gi, '/').replaceAll('%25', '%')

/** The address of an object under its parent's address; `name` is undefined for a child that exists once. */
export function addressOf(kind: Kind, name: string | undefined, parent: string | undefined, id?: string): string {
  const own = name === undefined ? kind.name : `${kind.name}/${escapeName(keyOfName(kind, name))}`
  const pinned = id === undefined ? own : `${own}~${escapeName(id)}`
  return parent === undefined ? pinned : `${parent}/${pinned}`
}

/** The addresses that a reference may mean, under the parent of what it refers to: with its id, if it gives one, and without. */
export function addressesNamed(kind: Kind, reference: Json | undefined, parent?: string): readonly string[] {
  const { name, id }: JsonObject = isObject(reference) ? reference : { name: reference ?? null }
  if (typeof name !== 'string') return []
  const own = addressOf(kind, name, parent)
  return typeof id === 'string' ? [addressOf(kind, name, parent, id), own] : [own]
}

/** The id that a name in an address ends in (`S~17`), if it is one of those that there are. */
export function pinnedId(name: string, isId: (id: string) => boolean): string | undefined {
  for (let at = name.lastIndexOf('~'); at > 0; at = name.lastIndexOf('~', at - 1)) {
    const id = name.slice(at + 1)
    if (isId(id)) return id
  }
  return undefined
}

/** The address of an owner that is no resource, such as `EmailTemplateSet/7`. */
export const ownerAddress = (owner: string, name: string): string => `${owner}/${escapeName(name)}`

/** The address without its last step: that of what an object of the kind lies in, or '' at the root. */
export const addressOfParent = (kind: Kind, address: string): string =>
  address
    .split('/')
    .slice(0, kind.naming === undefined ? -1 : -2)
    .join('/')

/** The name in the last step of an address, as it is without escapes. */
export const nameInAddress = (address: string): string => unescapeName(address.slice(address.lastIndexOf('/') + 1))

/** The address itself and all that it begins with up to a "/": those of what it lies in are among them. */
export const addressAndAbove = (address: string): readonly string[] => [...outerPaths(address), address]

/** The kind that an address names last, or undefined if the text is no address. */
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
