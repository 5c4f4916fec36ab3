import { hasOwnId } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { Entity, EntityDraft } from './entity.js'
import { indexKeys } from './indexes.js'

/** The changes of a transaction by uid: the object as it is now, or undefined if it was removed. */
export type Changes = ReadonlyMap<number, Entity | undefined>

interface Mutable extends Entity {
  updated: number
  fields: JsonObject
  readonly children: Map<string, Map<number, Entity>>
}

/** All objects of the area in memory, with their indexes. Every change can be undone until its transaction ends. */
export class Store {
  readonly #entities = new Map<number, Mutable>()
  readonly #byKind = new Map<KindName, Map<number, Entity>>()
  readonly #byId = new Map<string, Entity>()
  readonly #byKey = new Map<string, Set<Entity>>()
  readonly #persist: (changes: Changes, at: number) => void
  #undo: (() => void)[] = []
  #changes = new Map<number, Entity | undefined>()
  #nextUid = 1

  constructor(persist: (changes: Changes, at: number) => void) {
    this.#persist = persist
  }

  /** Executes the work completely; if it throws, undoes all of it. The changes are persisted before this returns. */
  transact<Result>(work: () => Result, at: number): Result {
    this.#undo = []
    this.#changes = new Map()
    try {
      const result = work()
      if (this.#changes.size > 0) this.#persist(this.#changes, at)
      return result
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo()
      throw error
    } finally {
      this.#undo = []
    }
  }

  insert(draft: EntityDraft): Entity {
    const entity: Mutable = { ...draft, uid: this.#nextUid, children: new Map() }
    this.#nextUid += 1
    this.#attach(entity)
    this.#undo.push(() => this.#detach(entity))
    this.#changes.set(entity.uid, entity)
    return entity
  }

  /** Restores an object that was persisted earlier. Parents must be restored before their children. */
  restore(uid: number, draft: EntityDraft): void {
    this.#attach({ ...draft, uid, children: new Map() })
    this.#nextUid = Math.max(this.#nextUid, uid + 1)
  }

  /** Replaces the own values of an object. */
  change(entity: Entity, fields: JsonObject, updated: number): void {
    const before = { fields: entity.fields, updated: entity.updated }
    this.#assign(entity, fields, updated)
    this.#undo.push(() => this.#assign(entity, before.fields, before.updated))
    this.#changes.set(entity.uid, entity)
  }

  /** Removes an object with its contents. */
  remove(entity: Entity): void {
    for (const held of entity.children.values()) for (const child of [...held.values()]) this.remove(child)
    const mutable = this.#mutable(entity)
    this.#detach(mutable)
    this.#undo.push(() => this.#reattach(mutable))
    this.#changes.set(entity.uid, undefined)
  }

  /** The object of a kind with that id. Links and children without their own id can only be found through their parents. */
  find(kind: KindName, id: string): Entity | undefined {
    return this.#byId.get(`${kind}/${id}`)
  }

  entity(uid: number): Entity | undefined {
    return this.#entities.get(uid)
  }

  /** All objects of a kind, oldest first. */
  all(kind: KindName): readonly Entity[] {
    return [...(this.#byKind.get(kind)?.values() ?? [])]
  }

  /** All objects with that key of `indexes.ts`. */
  found(key: string): readonly Entity[] {
    return [...(this.#byKey.get(key) ?? [])]
  }

  /** All objects by uid. */
  everything(): ReadonlyMap<number, Entity> {
    return this.#entities
  }

  get size(): number {
    return this.#entities.size
  }

  #mutable(entity: Entity): Mutable {
    const mutable = this.#entities.get(entity.uid)
    if (!mutable) throw new Error(`object ${entity.kind}/${entity.id} is not in the store`)
    return mutable
  }

  #assign(entity: Entity, fields: JsonObject, updated: number): void {
    const mutable = this.#mutable(entity)
    this.#unindex(mutable)
    mutable.fields = fields
    mutable.updated = updated
    this.#index(mutable)
  }

  #attach(entity: Mutable): void {
    this.#entities.set(entity.uid, entity)
    mapIn(this.#byKind, entity.kind).set(entity.uid, entity)
    if (entity.parent) mapIn(this.#mutable(entity.parent).children, entity.slot).set(entity.uid, entity)
    if (hasOwnId(entity.kind)) this.#byId.set(`${entity.kind}/${entity.id}`, entity)
    this.#index(entity)
  }

  #reattach(entity: Mutable): void {
    this.#attach(entity)
    reorder(this.#byKind.get(entity.kind))
    if (entity.parent) reorder(this.#mutable(entity.parent).children.get(entity.slot))
  }

  #detach(entity: Mutable): void {
    this.#entities.delete(entity.uid)
    this.#byKind.get(entity.kind)?.delete(entity.uid)
    if (entity.parent) this.#entities.get(entity.parent.uid)?.children.get(entity.slot)?.delete(entity.uid)
    if (hasOwnId(entity.kind)) this.#byId.delete(`${entity.kind}/${entity.id}`)
    this.#unindex(entity)
  }

  #index(entity: Entity): void {
    for (const key of indexKeys(entity)) {
      const found = this.#byKey.get(key)
      if (found) found.add(entity)
      else this.#byKey.set(key, new Set([entity]))
    }
  }

  #unindex(entity: Entity): void {
    for (const key of indexKeys(entity)) {
      const found = this.#byKey.get(key)
      found?.delete(entity)
      if (found?.size === 0) this.#byKey.delete(key)
    }
  }
}

function mapIn<Key>(maps: Map<Key, Map<number, Entity>>, key: Key): Map<number, Entity> {
  const map = maps.get(key) ?? new Map<number, Entity>()
  maps.set(key, map)
  return map
}

/** Sorts the objects of a map into the order of their creation. */
function reorder(map: Map<number, Entity> | undefined): void {
  if (!map) return
  const sorted = [...map].sort(([left], [right]) => left - right)
  map.clear()
  for (const [uid, each] of sorted) map.set(uid, each)
}
