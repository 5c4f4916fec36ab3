import { kinds as allKinds } from '../catalog/queries.js'
import type { Kind, KindName } from '../catalog/types.js'
import { type JsonObject, objectsIn, textOf } from '../json/json.js'
import type { LiveObject } from '../live/live-object.js'
import { nestedIn } from './nesting.js'

/** What a platform has drawn, such as a UUID: letters and digits so long that no other object has the same by chance. */
const drawn = /^(?=.*[a-z])(?=.*\d)(?:[\da-f-]{16,}|[\da-z]{20,})$/i

/**
 * Ids in the spelling of the lists: a platform may answer the id of a reference in the other case, and take only its own
 * spelling in requests (A439). Nothing is looked through before a reference has such an id.
 */
export class ListedIds {
  readonly #heldIn: (kind: Kind) => readonly JsonObject[]
  readonly #known: readonly LiveObject[]
  readonly #bySmallLetters = new Map<KindName, ReadonlyMap<string, string | undefined>>()
  #ids: ReadonlyMap<KindName, ReadonlySet<string>> | undefined

  /** `heldIn`: the objects that were answered of a root kind; `known`: those of an earlier reading. */
  constructor(heldIn: (kind: Kind) => readonly JsonObject[], known: readonly LiveObject[]) {
    this.#heldIn = heldIn
    this.#known = known
  }

  /** The id as the list of its kind has it; as it is where that has no such id. */
  spelling(kind: KindName, id: string): string {
    this.#ids ??= this.#collected()
    const ids = this.#ids.get(kind)
    // So it is with nearly every reference of nearly every platform.
    if (!ids || ids.has(id) || !drawn.test(id)) return id
    const known = this.#bySmallLetters.get(kind) ?? bySmallLetters(ids)
    this.#bySmallLetters.set(kind, known)
    return known.get(id.toLowerCase()) ?? id
  }

  #collected(): ReadonlyMap<KindName, ReadonlySet<string>> {
    const all = new Map<KindName, Set<string>>()
    const add = (kind: KindName, id: string | undefined): void => {
      if (id !== undefined) setOf(all, kind).add(id)
    }
    const visit = (kind: Kind, objects: readonly JsonObject[]): void => {
      const lists = nestedIn(kind).filter(({ holds }) => holds !== 'links')
      for (const object of objects) {
        add(kind.name, textOf(object.id))
        for (const { field, kind: inner } of lists) {
          if (object[field] !== undefined) visit(inner, objectsIn(object[field]))
        }
      }
    }
    for (const kind of allKinds) if (!kind.parent && !kind.within) visit(kind, this.#heldIn(kind))
    const visitKnown = ({ kind, id, children }: LiveObject): void => {
      add(kind, id)
      for (const child of children) visitKnown(child)
    }
    for (const object of this.#known) visitKnown(object)
    return all
  }
}

function setOf(all: Map<KindName, Set<string>>, kind: KindName): Set<string> {
  const known = all.get(kind) ?? new Set<string>()
  all.set(kind, known)
  return known
}

/** Undefined: several differ in nothing but the case. */
function bySmallLetters(ids: ReadonlySet<string>): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>()
  for (const id of ids) {
    const small = id.toLowerCase()
    found.set(small, found.has(small) ? undefined : id)
  }
  return found
}
