import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'

/** One object of the area as it is kept. Only the store changes one. */
export interface Entity {
  /** Rises with every insertion: the order in which objects came. */
  readonly uid: number
  readonly kind: KindName
  /** The object's id; of a link the id of the object that it links to; '' of a child that exists once. */
  readonly id: string
  readonly parent: Entity | undefined
  /** The field of the parent that holds it; '' for an object at the root. */
  readonly slot: string
  /** The owner that is no resource, such as an email template set. */
  readonly owner: string | undefined
  /** Milliseconds since 1970. */
  readonly created: number
  readonly updated: number
  /** Own values in one spelling: domains as host names, references as {id}, datetimes in UTC; unset ones are absent. */
  readonly fields: JsonObject
  readonly children: ReadonlyMap<string, ReadonlyMap<number, Entity>>
}

/** Everything of an entity that its creator decides. */
export type EntityDraft = Omit<Entity, 'uid' | 'children'>

/** The children that a field of an object holds, oldest first. */
export function childrenIn(entity: Entity, slot: string): readonly Entity[] {
  const held = entity.children.get(slot)
  return held ? [...held.values()] : []
}

/** The root object whose tree an object belongs to. */
export function rootOfTree(entity: Entity): Entity {
  return entity.parent ? rootOfTree(entity.parent) : entity
}

/** Whether an object is that ancestor or lies below it. */
export function isWithin(entity: Entity, ancestor: Entity): boolean {
  return entity === ancestor || (entity.parent !== undefined && isWithin(entity.parent, ancestor))
}

/** The text of an own field, or undefined. */
export function textOf(entity: Entity, field: string): string | undefined {
  const value = entity.fields[field]
  return typeof value === 'string' ? value : undefined
}
