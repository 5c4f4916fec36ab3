import type { Entity } from './entity.js'
import { type Changes, Store } from './store.js'

/** The area as it was some time ago, for answers that lag behind the writes. */
export class Replica {
  readonly #delay: number
  readonly #store = new Store(() => {})
  /** Later changes, oldest first. */
  #waiting: readonly NotedChange[] = []

  /** Starts with the present contents of the store; `delay` is in milliseconds. */
  constructor(delay: number, source: Store) {
    this.#delay = delay
    this.#apply({ at: 0, changes: copyOf(source.everything()) })
  }

  /** Records the changes of a transaction at that time. */
  note(changes: Changes, at: number): void {
    this.#waiting = [...this.#waiting, { at, changes: copyOf(changes) }]
  }

  /** The area as it was `delay` milliseconds before that time. */
  storeAt(now: number): Store {
    const [due, waiting] = [true, false].map((is) => this.#waiting.filter(({ at }) => now - at >= this.#delay === is))
    this.#waiting = waiting ?? []
    for (const noted of due ?? []) this.#apply(noted)
    return this.#store
  }

  #apply({ at, changes }: NotedChange): void {
    this.#store.transact(() => {
      for (const [uid, entity] of changes) this.#put(uid, entity)
    }, at)
  }

  #put(uid: number, entity: Entity | undefined): void {
    const known = this.#store.entity(uid)
    if (entity && known) this.#store.change(known, entity.fields, entity.updated)
    else if (entity)
      this.#store.restore(uid, { ...entity, parent: entity.parent && this.#store.entity(entity.parent.uid) })
    else if (known) this.#store.remove(known)
  }
}

interface NotedChange {
  readonly at: number
  readonly changes: EntityCopies
}

type EntityCopies = readonly (readonly [uid: number, entity: Entity | undefined])[]

/** A copy of the objects as they are now, parents before their children. */
const copyOf = (changes: Changes): EntityCopies =>
  [...changes].map(([uid, entity]) => [uid, entity && { ...entity }] as const).sort(([left], [right]) => left - right)
