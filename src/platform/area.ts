import type { KindName } from '../catalog/types.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import type { Json, JsonObject } from '../json/json.js'
import { childrenIn, type Entity } from './entity.js'
import type { Ids } from './ids.js'
import type { RefusalDetail } from './refusal.js'
import type { Settings } from './settings.js'
import type { Store } from './store.js'
import type { NameForm } from './stored-names.js'

/** The customer area: its objects and how the platform treats them. */
export interface PlatformArea {
  readonly store: Store
  readonly ids: Ids
  readonly settings: Settings
}

/** One writing request at work inside a transaction. Complaints are collected; any of them refuses the whole request. */
export interface Write {
  readonly area: PlatformArea
  /** Milliseconds since 1970. */
  readonly now: number
  /** The user name of the token. */
  readonly editor: string
  readonly complaints: RefusalDetail[]
  /** Whose words bodies may have: those of the platform, or in a seed those of either vocabulary. */
  readonly understood: Vocabulary | 'either'
  /** How this platform stores the names that it is given. */
  readonly nameForms: readonly NameForm[]
}

/** Where a new object goes. */
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

/** The child with that id in a field of its parent. Those without an id of their own, such as messages, are few. */
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

/** Sets some own values of an object without moving its date. */
export function setFields(write: Write, entity: Entity, fields: JsonObject): void {
  write.area.store.change(entity, { ...entity.fields, ...fields }, entity.updated)
}

/** A part of a request's body, and where it stands in it: complaints name that. */
export interface Given<Value extends Json = Json> {
  readonly value: Value
  readonly path: string
}
