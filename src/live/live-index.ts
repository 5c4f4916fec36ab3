import { catalog } from '../catalog/catalog.js'
import type { KindName } from '../catalog/types.js'
import { append, groupBy } from '../json/groups.js'
import { type LiveObject, type Snapshot, withAllInside } from './live-object.js'

/** Finds live objects by kind, parent and natural key. Names are not unique: every look-up may find several objects. */
export interface LiveIndex {
  /** Every live object, parents before their children. */
  readonly all: readonly LiveObject[]
  find(kind: KindName, parent: LiveObject | undefined, key: string, owner?: string): readonly LiveObject[]
  /** All objects of a kind under a parent, or at the root. */
  among(kind: KindName, parent: LiveObject | undefined): readonly LiveObject[]
  /** The objects among them with an id. */
  withId(kind: KindName, parent: LiveObject | undefined, id: string): readonly LiveObject[]
  byId(kind: KindName, id: string): LiveObject | undefined
  /** Whether all objects of a kind were read: then an object that is not here does not exist in the area. */
  isRead(kind: KindName): boolean
  /** 'left out': an absent secret field may have a value, as in a snapshot file. */
  readonly secrets: 'answered' | 'left out'
}

export function indexLive(snapshot: Snapshot): LiveIndex {
  const all = withAllInside(snapshot.objects)

  // Made on request, and only for many siblings: most objects have few, and these are of one kind.
  const groups = new Map<LiveObject | undefined, ReadonlyMap<KindName, readonly LiveObject[]>>()
  const among = (kind: KindName, parent: LiveObject | undefined): readonly LiveObject[] => {
    const children = parent ? parent.children : snapshot.objects
    if (parent?.unread && !isReported(parent, catalog[kind].parent?.field ?? '')) return none
    if (children.length <= fewSiblings) {
      return children.every((child) => child.kind === kind) ? children : children.filter((child) => child.kind === kind)
    }
    const known = groups.get(parent) ?? groupBy(children, (child) => child.kind)
    groups.set(parent, known)
    return known.get(kind) ?? none
  }
  const named = lookUpBy<LiveObject>(({ key }) => [key])
  const identical = lookUpBy<LiveObject>(({ id }) => [id])
  const read = new Set(snapshot.kinds)
  let identified: ReadonlyMap<string, LiveObject> | undefined

  return {
    all,
    among,
    find: (kind, parent, key, owner) => {
      const siblings = among(kind, parent)
      const isMeant = (object: LiveObject) => object.key === key && object.owner === owner
      return siblings.length <= fewSiblings ? siblings.filter(isMeant) : named(siblings, key).filter(isMeant)
    },
    withId: (kind, parent, id) => identical(among(kind, parent), id),
    byId: (kind, id) => {
      identified ??= new Map(
        all.filter((object) => object.id !== '').map((object) => [`${object.kind}|${object.id}`, object]),
      )
      return identified.get(`${kind}|${id}`)
    },
    isRead: (kind) => read.has(kind),
    secrets: snapshot.secrets ?? 'answered',
  }
}

const none: readonly never[] = []

/**
 * Whether the value of a field is known. It is not if the platform does not offer the kind, or if it was not needed. Throws if it
 * was not requested: unread values never count as absent.
 */
export function isReported({ kind, id, unread }: LiveObject, field: string): boolean {
  const reason = unread?.[field]
  if (reason === 'not asked for')
    throw new Error(`the ${field} of ${kind} ${id} were not read, and something relies on them`)
  return reason === undefined
}

/** Up to this number, comparing all of them is faster than an index of their names. */
const fewSiblings = 8

/**
 * Finds siblings by their name, or by another word. They are looked up one after the other: comparing all of them each time would
 * not be linear.
 */
export function lookUpBy<Item>(
  wordsOf: (item: Item) => readonly string[],
): (siblings: readonly Item[], word: string) => readonly Item[] {
  const tables = new WeakMap<readonly Item[], ReadonlyMap<string, readonly Item[]>>()
  const tableOf = (siblings: readonly Item[]): ReadonlyMap<string, readonly Item[]> => {
    const table = new Map<string, Item[]>()
    for (const item of siblings) for (const word of new Set(wordsOf(item))) append(table, word, item)
    return table
  }
  return (siblings, word) => {
    if (siblings.length <= fewSiblings) return siblings.filter((item) => wordsOf(item).includes(word))
    const table = tables.get(siblings) ?? tableOf(siblings)
    tables.set(siblings, table)
    return table.get(word) ?? none
  }
}
