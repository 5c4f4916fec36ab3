import { documentName, memberOf } from '../../catalog/shapes.js'
import type { FieldType } from '../../catalog/types.js'
import { groupBy } from '../../json/groups.js'
import { type Entry, isNull, type MapNode } from '../node.js'

/** Fields of an upper layer win: member by member if members are managed one by one, otherwise whole. */

/** How the members of two mappings are merged: by the type of each member; undefined if the mapping is one value. */
type OverlayMembers = ((key: string) => FieldType | undefined) | undefined

/** Merges the upper entries over the lower ones; each upper entry remembers what it covers. */
export function overlay(
  lower: readonly Entry[],
  upper: readonly Entry[],
  typeOf: (key: string) => FieldType | undefined,
): readonly Entry[] {
  if (upper.length === 0) return lower
  if (lower.length === 0) return upper
  // If one member has both spellings, its reader reports that: neither may be dropped here.
  const above = groupBy(upper, ({ key }) => documentName(key))
  const all: Entry[] = []
  for (const entry of lower) {
    const name = documentName(entry.key)
    const members = overlayMembers(typeOf(entry.key))
    all.push(...(above.get(name)?.map((each) => covering(each, entry, members)) ?? [entry]))
    above.delete(name)
  }
  for (const entry of upper) if (above.has(documentName(entry.key))) all.push(entry)
  return all
}

const overlayMembers = (type: FieldType | undefined): OverlayMembers =>
  type?.is === 'shape' ? (key) => memberOf(type.shape, key)?.type : undefined

function covering(upper: Entry, lower: Entry, members: OverlayMembers): Entry {
  if (members && upper.value.is === 'map' && lower.value.is === 'map') {
    return { ...upper, value: mergedMap(upper.value, lower.value, members), covers: lower }
  }
  return { ...upper, covers: lower }
}

function mergedMap(upper: MapNode, lower: MapNode, typeOf: (key: string) => FieldType | undefined): MapNode {
  const entries = overlay(lower.entries, upper.entries, typeOf)
  return { ...upper, entries, ...(entries.some(({ value }) => value.secret) && { secret: true as const }) }
}

/** The entries without the field or member at these keys. */
export function withoutEntry(entries: readonly Entry[], keys: readonly string[]): readonly Entry[] {
  const [first = '', ...rest] = keys
  return entries.flatMap((entry) => {
    if (documentName(entry.key) !== documentName(first)) return [entry]
    if (rest.length === 0 || entry.value.is !== 'map' || isNull(entry.value)) return []
    return [{ ...entry, value: { ...entry.value, entries: withoutEntry(entry.value.entries, rest) } }]
  })
}

/** Whether the entries have a field or member at these keys. */
export function writes(entries: readonly Entry[], [first = '', ...rest]: readonly string[]): boolean {
  const entry = entries.find(({ key }) => documentName(key) === documentName(first))
  if (!entry || rest.length === 0) return entry !== undefined
  return entry.value.is === 'map' && writes(entry.value.entries, rest)
}
