import type { LiveObject, Snapshot } from '../catalog/live.js'
import type { KindName } from '../catalog/types.js'

/** Finds live objects by kind, parent and natural key. Names are not unique: every look-up may give several. */
export interface LiveIndex {
  /** Every live object, parents before their children. */
  readonly all: readonly LiveObject[]
  find(kind: KindName, parent: LiveObject | undefined, key: string, owner?: string): readonly LiveObject[]
  /** All objects of a kind under a parent, or at the root. */
  among(kind: KindName, parent: LiveObject | undefined): readonly LiveObject[]
  byId(kind: KindName, id: string): LiveObject | undefined
  /** Whether an absent secret field says nothing of its value: that of a snapshot file. */
  readonly secrets: 'answered' | 'left out'
}

export function indexLive(snapshot: Snapshot): LiveIndex {
  const all: LiveObject[] = []
  const keyed = new Map<string, LiveObject[]>()
  const grouped = new Map<string, LiveObject[]>()
  const identified = new Map<string, LiveObject>()
  const numbers = new Map<LiveObject, number>()

  const groupOf = (kind: KindName, parent: LiveObject | undefined) =>
    parent === undefined ? kind : `${numbers.get(parent)}|${kind}`

  const add = (object: LiveObject): void => {
    numbers.set(object, all.length)
    all.push(object)
    const group = groupOf(object.kind, object.parent)
    append(grouped, group, object)
    append(keyed, `${group}|${object.owner ?? ''}|${object.key}`, object)
    if (object.id !== '') identified.set(`${object.kind}|${object.id}`, object)
    for (const child of object.children) add(child)
  }
  for (const object of snapshot.objects) add(object)

  return {
    all,
    find: (kind, parent, key, owner) => keyed.get(`${groupOf(kind, parent)}|${owner ?? ''}|${key}`) ?? [],
    among: (kind, parent) => grouped.get(groupOf(kind, parent)) ?? [],
    byId: (kind, id) => identified.get(`${kind}|${id}`),
    secrets: snapshot.secrets ?? 'answered',
  }
}

/** Adds to the list that a map holds under a key. */
export function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
