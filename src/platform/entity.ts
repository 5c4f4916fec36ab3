import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'

/** One stored object of the area. Only the store changes objects. */
export interface Entity {
  /** A number that increases with every insertion. It gives the order in which objects were created. */
  readonly uid: number
  readonly kind: KindName
  /** The id of the object. For a link, the id of its target; for a single child, ''. */
  readonly id: string
  readonly parent: Entity | undefined
  /** The field of the parent that holds the object; '' for a root object. */
  readonly slot: string
  /** An owner that is no resource, such as an email template set. */
  readonly owner: string | undefined
  /** Milliseconds since 1970. */
  readonly created: number
  readonly updated: number
  /**
   * Own values in one spelling: domains as host names, references as {id}, datetimes in UTC. Fields that are not set are absent.
   */
  readonly fields: JsonObject
  readonly children: ReadonlyMap<string, ReadonlyMap<number, Entity>>
}

/** The properties of an entity that its creator sets. */
export type EntityDraft = Omit<Entity, 'uid' | 'children'>

/** The children in one field of an object, oldest first. */
export function childrenIn(entity: Entity, slot: string): readonly Entity[] {
  const held = entity.children.get(slot)
  return held ? [...held.values()] : []
}

/** The root object of the tree that contains an object. */
export function rootOfTree(entity: Entity): Entity {
  return entity.parent ? rootOfTree(entity.parent) : entity
}

/** Whether an object is the given ancestor or lies below it. */
export function isEntityWithin(entity: Entity, ancestor: Entity): boolean {
  return entity === ancestor || (entity.parent !== undefined && isEntityWithin(entity.parent, ancestor))
}

/** The text in an own field, or undefined. */
export function entityText(entity: Entity, field: string): string | undefined {
  const value = entity.fields[field]
  return typeof value === 'string' ? value : undefined
}
