import type { KindName } from '../catalog/types.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import type { Json, JsonObject } from '../json/json.js'
import { childrenIn, type Entity } from './entity.js'
import type { Ids } from './ids.js'
import type { RefusalDetail } from './refusal.js'
import type { Settings } from './settings.js'
import type { Store } from './store.js'
import type { NameForm } from './stored-names.js'

/** The customer area: its objects and the settings of the platform. */
export interface PlatformArea {
  readonly store: Store
  readonly ids: Ids
  readonly settings: Settings
}

/** One writing request inside a transaction. Complaints are collected; any complaint refuses the whole request. */
export interface Write {
  readonly area: PlatformArea
  /** Milliseconds since 1970. */
  readonly now: number
  /** The user name for which the token was issued. */
  readonly editor: string
  readonly complaints: RefusalDetail[]
  /** The vocabulary of bodies: that of the platform, or either one in a seed. */
  readonly understood: Vocabulary | 'either'
  /** How this platform stores the names that it gets. */
  readonly nameForms: readonly NameForm[]
}

/** The position of a new object. */
export interface Site {
  readonly parent: Entity | undefined
  readonly slot: string
  readonly owner?: string | undefined
}

/** Adds a complaint about a property of the body. */
export function complain(write: Pick<Write, 'complaints'>, property: string, message: string): void {
  write.complaints.push({ property, message })
}

/** The path of a property below another one: `endpoints[0]` and `name` are `endpoints[0].name`. */
export const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** The object of a kind with that id anywhere in the area, or undefined. */
export const findById = (area: PlatformArea, kind: KindName, id: string): Entity | undefined =>
  area.store.find(kind, id)

/**
 * The child with that id in a field of its parent. A search is needed only for children without an id of their own, such as
 * messages, and these are few.
 */
export function findChild(
  area: PlatformArea,
  kind: KindName,
  { parent, slot }: { readonly parent: Entity; readonly slot: string },
  id: string,
): Entity | undefined {
  const known = findById(area, kind, id)
  const isHere = known?.parent === parent && known.slot === slot
  return isHere ? known : childrenIn(parent, slot).find((each) => each.id === id)
}

/** Sets some own values of an object without changing its date. */
export function setFields(write: Write, entity: Entity, fields: JsonObject): void {
  write.area.store.change(entity, { ...entity.fields, ...fields }, entity.updated)
}

/** A part of a request's body with its path, which complaints name. */
export interface Given<Value extends Json = Json> {
  readonly value: Value
  readonly path: string
}
