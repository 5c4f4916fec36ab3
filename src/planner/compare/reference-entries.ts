import { parseAddress } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { ancestors, elementOf, pickedFields, referredKind, targetOf } from '../../catalog/queries.js'
import { linkValues } from '../../catalog/reference-form.js'
import type { Field, KindName } from '../../catalog/types.js'
import { asList, isList, isObject, type Json, type JsonObject, sameJson } from '../../json/json.js'
import { bySpelling } from '../../json/order.js'
import type { LiveIndex } from '../../live/live-index.js'
import type { LiveObject } from '../../live/live-object.js'
import type { NestedEntries, ReferenceEntry } from '../plan.js'
import { targetKey } from '../references/scope.js'

/** Compares references of live objects with those in manifests. */

/** The references in a field of a live object, each with the name of its target in the area. */
export function liveEntries(object: LiveObject, field: Field | undefined, live: LiveIndex): readonly ReferenceEntry[] {
  const referred = field && referredKind(field)
  if (!referred) return []
  const kind = targetOf(catalog[referred]).name
  const ownerKind = severalParents(object.kind, kind)
  return asList(object.fields[field.name]).flatMap((each) => {
    const entry = liveEntry(each, referred)
    if (entry?.target.is !== 'live') return []
    const known = live.byId(kind, entry.target.id)
    const named = known && known.key !== '' ? { ...entry, name: known.key } : entry
    return [ownerKind ? { ...named, owner: known?.parent?.key } : named]
  })
}

/** Whether references from one kind to another can name children of several parents, such as an event's endpoints. */
function severalParents(from: KindName, to: KindName): boolean {
  const parent = catalog[to].parent?.kind
  if (
    !parent ||
    catalog[from].association === parent ||
    ancestors(catalog[from]).some((each) => each.name === parent)
  ) {
    return false
  }
  return !Object.values(catalog[from].fields).some((field) => referredKind(field) === parent)
}

function liveEntry(answered: Json, referred: KindName): ReferenceEntry | undefined {
  if (!isObject(answered) || typeof answered.id !== 'string') return undefined
  return {
    target: { is: 'live', id: answered.id },
    name: typeof answered.name === 'string' ? answered.name : answered.id,
    owner: undefined,
    extra: linkValues(referred, answered),
    nested: liveNested(answered, referred),
  }
}

/** The picks of a live reference inside its target. Undefined if the platform did not return them. */
function liveNested(answered: JsonObject, referred: KindName): NestedEntries | undefined {
  const [picked] = pickedFields(targetOf(catalog[referred]))
  const inner = picked && answered[picked.field]
  if (!picked || inner === undefined || (picked.picks === 'any' && !isList(inner))) return undefined
  const { field, picks, kind } = picked
  return { field, picks, entries: asList(inner).flatMap((each) => liveEntry(each, kind.name) ?? []) }
}

/** Whether two sets of references are equal. Only the members that the desired references write are compared. */
export function sameEntries(desired: readonly ReferenceEntry[], present: readonly ReferenceEntry[]): boolean {
  if (desired.length !== present.length) return false
  const byTarget = new Map(present.map((entry) => [targetKey(entry.target), entry]))
  return desired.every((entry) => {
    const other = byTarget.get(targetKey(entry.target))
    if (!other) return false
    const sameExtra = Object.entries(entry.extra).every(([name, value]) => sameJson(value, other.extra[name]))
    return sameExtra && (!entry.nested || sameEntries(entry.nested.entries, other.nested?.entries ?? []))
  })
}

/**
 * The live references in the form of the desired ones: empty picks are removed if at most one can be picked and the manifest
 * writes none.
 */
export function asWritten(
  present: readonly ReferenceEntry[],
  desired: readonly ReferenceEntry[],
): readonly ReferenceEntry[] {
  const byTarget = new Map(desired.map((entry) => [targetKey(entry.target), entry]))
  return present.map((entry) => {
    const { nested } = entry
    const written = byTarget.get(targetKey(entry.target))?.nested
    if (!nested) return entry
    if (nested.picks === 'any') {
      return { ...entry, nested: { ...nested, entries: asWritten(nested.entries, written?.entries ?? []) } }
    }
    return nested.entries.length === 0 && !written ? { ...entry, nested: undefined } : entry
  })
}

/**
 * A reference with the live values of everything that the manifest does not write: the methods of an endpoint, a role's action.
 */
export function completed(entry: ReferenceEntry, field: Field, object: LiveObject | undefined): ReferenceEntry {
  const answered = object && asList(object.fields[field.name]).find((each) => isSame(each, entry))
  const element = elementOf(field.type)
  const referred = element.is === 'reference' ? element.kind : undefined
  const live = answered === undefined || !referred ? undefined : liveEntry(answered, referred)
  const extra = {
    ...(referred && catalog[referred].sentByDefault),
    ...field.sentInLinks,
    ...live?.extra,
    ...entry.extra,
  }
  return { ...entry, extra, nested: completedNested(entry.nested, live?.nested) }
}

function completedNested(
  written: NestedEntries | undefined,
  live: NestedEntries | undefined,
): NestedEntries | undefined {
  if (!written || !live) return written ?? live
  const byTarget = new Map(live.entries.map((entry) => [targetKey(entry.target), entry]))
  const entries = written.entries.map((entry) => {
    const nested = completedNested(entry.nested, byTarget.get(targetKey(entry.target))?.nested)
    return nested === entry.nested ? entry : { ...entry, nested }
  })
  return { ...written, entries }
}

const isSame = (answered: Json, entry: ReferenceEntry): boolean =>
  isObject(answered) && entry.target.is === 'live' && answered.id === entry.target.id

/**
 * The live and the desired references of a field as plans show them, by their names. If both sides would have the same text, the
 * names of the parents are added, or else the ids.
 */
export function displayedDistinctly(
  present: readonly ReferenceEntry[],
  desired: readonly ReferenceEntry[],
  field: Field,
  live: LiveIndex,
): { readonly before: Json; readonly after: Json } {
  const referred = referredKind(field)
  const apart = (reported: (entry: ReferenceEntry) => ReferenceEntry) => ({
    before: displayedIn(field, present.map(reported)),
    after: displayedIn(field, desired.map(reported)),
  })
  const [byName, byParent] = [apart((entry) => entry), apart((entry) => withParent(entry, referred, live))]
  return [byName, byParent].find(({ before, after }) => !sameJson(before, after)) ?? apart(withId)
}

function withParent(entry: ReferenceEntry, referred: KindName | undefined, live: LiveIndex): ReferenceEntry {
  const { target, owner } = entry
  if (owner !== undefined || !referred) return entry
  const parent =
    target.is === 'live'
      ? live.byId(targetOf(catalog[referred]).name, target.id)?.parent?.key
      : parseAddress(target.address)?.steps.at(-2)?.name
  return { ...entry, owner: parent }
}

const withId = (entry: ReferenceEntry): ReferenceEntry =>
  entry.target.is === 'live' ? { ...entry, extra: { id: entry.target.id, ...entry.extra } } : entry

/** The references of a field as plans show them: a list, or a single reference. */
export const displayedIn = ({ type }: Field, entries: readonly ReferenceEntry[]): Json =>
  type.is === 'list' ? displayedEntries(entries) : (entries.map(displayedEntry)[0] ?? null)

/** References as plans show them: by name and sorted. */
export function displayedEntries(entries: readonly ReferenceEntry[]): Json {
  return entries.map(displayedEntry).sort(bySpelling)
}

/** A reference as plans show it: only its name, or an object with its name and its other members. */
export function displayedEntry(entry: ReferenceEntry): Json {
  const name = entry.owner === undefined ? entry.name : `${entry.owner}/${entry.name}`
  const members: Record<string, Json> = { name, ...entry.extra }
  if (entry.nested) members[entry.nested.field] = displayedNested(entry.nested)
  return Object.keys(members).length === 1 ? name : members
}

const displayedNested = ({ picks, entries }: NestedEntries): Json =>
  picks === 'any' ? displayedEntries(entries) : (entries.map(displayedEntry)[0] ?? null)
