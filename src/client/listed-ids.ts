import { catalog } from '../catalog/catalog.js'
import { ancestors } from '../catalog/queries.js'
import type { Kind, KindName } from '../catalog/types.js'
import { type JsonObject, objectsIn, textOf } from '../json/json.js'
import type { LiveObject } from '../live/live-object.js'
import { nestedIn } from './nesting.js'

/** A generated id, such as a UUID: so many letters and digits that no other object has the same by chance. */
const drawn = /^(?=.*[a-z])(?=.*\d)(?:[\da-f-]{16,}|[\da-z]{20,})$/i

/**
 * Ids in the spelling of the lists. A platform may answer the id of a reference in the other case, but accept only its own
 * spelling in requests (A439). Nothing is searched before a reference has such an id.
 */
export class ListedIds {
  readonly #heldIn: (kind: Kind) => readonly JsonObject[]
  readonly #known: readonly LiveObject[]
  readonly #ids = new Map<KindName, ReadonlySet<string>>()
  readonly #bySmallLetters = new Map<KindName, ReadonlyMap<string, string | undefined>>()

  /** `heldIn`: the answered objects of a root kind; `known`: those of an earlier reading. */
  constructor(heldIn: (kind: Kind) => readonly JsonObject[], known: readonly LiveObject[]) {
    this.#heldIn = heldIn
    this.#known = known
  }

  /** The id as the list of its kind has it; unchanged if the list does not have it. */
  spelling(kind: KindName, id: string): string {
    const ids = this.#ids.get(kind) ?? this.#collected(catalog[kind])
    this.#ids.set(kind, ids)
    // This is true of nearly every reference of nearly every platform.
    if (ids.has(id) || !drawn.test(id)) return id
    const known = this.#bySmallLetters.get(kind) ?? bySmallLetters(ids)
    this.#bySmallLetters.set(kind, known)
    return known.get(id.toLowerCase()) ?? id
  }

  /** The ids of all objects of a kind, from the lists that contain them. */
  #collected(kind: Kind): ReadonlySet<string> {
    const [root = kind, ...below] = [...ancestors(kind), kind]
    let answered = this.#heldIn(root)
    let known = this.#known.filter((object) => object.kind === root.name)
    let owner = root
    for (const inner of below) {
      const lists = nestedIn(owner).filter((list) => list.kind === inner && list.holds !== 'links')
      answered = lists.flatMap(({ field }) => answered.flatMap((object) => objectsIn(object[field])))
      known = known.flatMap(({ children }) => children.filter((child) => child.kind === inner.name))
      owner = inner
    }
    return new Set([...answered.flatMap(({ id }) => textOf(id) ?? []), ...known.map(({ id }) => id)])
  }
}

/** undefined: several ids differ only in case. */
function bySmallLetters(ids: ReadonlySet<string>): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>()
  for (const id of ids) {
    const small = id.toLowerCase()
    found.set(small, found.has(small) ? undefined : id)
  }
  return found
}
