import { addressOf, ownerAddress } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { hasSecretName } from '../../catalog/queries.js'
import type { LiveIndex } from '../../live/live-index.js'
import type { LiveObject } from '../../live/live-object.js'
import { displayedName } from '../../live/names.js'
import type { Resource } from '../../manifest/resource.js'

/** Makes the name in the address of a package key, because the apikey itself must not be shown. */
export type KeyName = (owner: string, key: string | undefined, keyIs: LiveObject['keyIs']) => string

/**
 * The addresses of live objects, made once each. A declared object has the address of its declaration, and `claimed` may get more
 * of these later.
 */
export function liveAddresses(
  live: LiveIndex,
  claimed: ReadonlyMap<LiveObject, Pick<Resource, 'address'>>,
  keyName: KeyName,
): (object: LiveObject) => string {
  const made = new Map<LiveObject, string>()
  const addressFor = (object: LiveObject): string => {
    const known = claimed.get(object)?.address ?? made.get(object)
    if (known !== undefined) return known
    const address = ownAddress(object)
    made.set(object, address)
    return address
  }
  const ownAddress = (object: LiveObject): string => {
    const kind = catalog[object.kind]
    const parent = object.parent
      ? addressFor(object.parent)
      : kind.within && ownerAddress(kind.within.name, object.owner ?? '')
    if (kind.naming === undefined) return addressOf(kind, undefined, parent)
    const sameName = live.find(kind.name, object.parent, object.key, object.owner)
    return addressOf(kind, addressName(object, keyName), parent, sameName.length > 1 ? object.id : undefined)
  }
  return addressFor
}

/** The name of a live object in its address. A secret natural key is replaced by the names of the objects to which it belongs. */
const addressName = (object: LiveObject, keyName: KeyName): string =>
  hasSecretName(catalog[object.kind])
    ? keyName(displayedName(object), object.key || undefined, object.keyIs)
    : object.key
