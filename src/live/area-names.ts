import { addressOf, ownerAddress } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { hasSecretName, referredKind } from '../catalog/queries.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { Json } from '../json/json.js'
import { isObject } from '../json/json.js'
import type { LiveObject, Snapshot } from './live-object.js'

/** What live objects are called in manifests, and where a name alone does not say which of them is meant. */
export interface AreaNames {
  /** Every live object, parents before their children. */
  readonly all: readonly LiveObject[]
  byId(kind: KindName, id: string): LiveObject | undefined
  /** Whether another object in the same place bears the same name. */
  isAmbiguous(object: LiveObject): boolean
  /** For messages: kinds and names on the way to an object. An object named by a secret is shown by what it refers to. */
  addressOf(object: LiveObject): string
}

export function nameArea(snapshot: Pick<Snapshot, 'objects'>): AreaNames {
  const all: LiveObject[] = []
  const identified = new Map<string, LiveObject>()
  const bearing = new Map<string, number>()
  const places = new Map<LiveObject | undefined, number>([[undefined, 0]])
  const identityOf = (object: LiveObject) => `${places.get(object.parent)}|${ownIdentity(object)}`
  const add = (object: LiveObject): void => {
    all.push(object)
    places.set(object, all.length)
    if (object.id !== '' && !catalog[object.kind].linkTo) identified.set(`${object.kind}|${object.id}`, object)
    bearing.set(identityOf(object), (bearing.get(identityOf(object)) ?? 0) + 1)
    for (const child of object.children) add(child)
  }
  for (const object of snapshot.objects) add(object)

  const byId = (kind: KindName, id: string) => identified.get(`${kind}|${id}`)
  const isAmbiguous = (object: LiveObject): boolean => {
    const { linkTo } = catalog[object.kind]
    const target = linkTo && byId(linkTo, object.id)
    if (target) return isAmbiguous(target)
    return catalog[object.kind].naming !== undefined && (bearing.get(identityOf(object)) ?? 0) > 1
  }
  return { all, byId, isAmbiguous, addressOf: shownAddress }
}

/** Keys that share their value are told apart by their packages; one without its value is known by that alone. */
function ownIdentity(object: LiveObject): string {
  const kind = catalog[object.kind]
  if (!hasSecretName(kind)) return JSON.stringify([object.kind, object.owner ?? '', object.key])
  return JSON.stringify([object.kind, object.key, ...anchors(kind).map((field) => idIn(object.fields[field.name]))])
}

/** The references that an object keeps for good: the package of a key. */
const anchors = (kind: Kind): readonly Field[] =>
  Object.values(kind.fields).filter((field) => field.immutable && referredKind(field) !== undefined)

const idIn = (value: Json | undefined): string => (isObject(value) ? String(value.id ?? '') : '')

/** The name by which messages and variables show an object: never a secret. */
export function shownName(object: LiveObject): string {
  const kind = catalog[object.kind]
  if (!hasSecretName(kind)) return object.key
  return anchors(kind)
    .map((field) => {
      const value = object.fields[field.name]
      return isObject(value) ? String(value.name ?? value.id ?? '') : ''
    })
    .join(' ')
}

function shownAddress(object: LiveObject): string {
  const kind = catalog[object.kind]
  const parent = object.parent
    ? shownAddress(object.parent)
    : kind.within && ownerAddress(kind.within.name, object.owner ?? '')
  return addressOf(kind, kind.naming === undefined ? undefined : shownName(object), parent)
}

/** The objects on the way from the root to an object, itself included. */
export const pathTo = (object: LiveObject): readonly LiveObject[] =>
  object.parent ? [...pathTo(object.parent), object] : [object]
