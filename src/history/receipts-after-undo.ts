import { isMade } from '../applier/run.js'
import { addressAndAbove } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { isKindName } from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import type { KindName } from '../catalog/types.js'
import { type Json, type JsonObject, sameJson } from '../json/json.js'
import { valueAtPointer } from '../json/patch.js'
import { isWithin, pointerTo } from '../json/pointer.js'
import type { LiveObject } from '../live/live-object.js'
import type { Resource } from '../manifest/resource.js'
import { withoutKeys } from '../planner/base/base-object.js'
import { fieldOfKey, pathOfPrint, printKey } from '../planner/compare/secret-values.js'
import type { Change } from '../planner/plan.js'
import type { Added, Image, Receipt } from '../stores/record.js'
import { formerIdOf, sinceBefore } from './base-from.js'
import type { Done } from './done.js'
import { type LastApplied, writeReceipts } from './last-applied.js'
import { listsPutBack } from './lists-put-back.js'
import { withMembers } from './members.js'
import { foundIn, leftIn, topFields, withAdded, withLeft, withWritten } from './receipts-after.js'
import { type NamesNow, withNamesNow } from './referred.js'
import type { EndedRun } from './run-journal.js'
import { announcedBefore, isRefilled, recordedAddress, type Undo } from './undo.js'

/** What a rollback has done, and the live state after it. */
interface AfterUndo extends EndedRun {
  readonly undo: Undo
  readonly isSelected: (address: string) => boolean
  readonly mask: (text: string) => string
}

/**
 * The addresses of objects that a run has taken over, or that another rollback of it has put back: they are managed neither
 * before nor after it.
 */
export function takenOverBy({ of, done }: Undo, receipts: readonly Receipt[]): ReadonlySet<string> {
  const made = new Set(done.flatMap(({ address, action }) => (action === 'update' ? [] : [address])))
  return new Set(
    receipts.flatMap(({ address, run, since = run }) => (since === of.run && !made.has(address) ? [address] : [])),
  )
}

/** Writes the receipts after a rollback: each object as before, and with it whatever the run did not touch. */
export async function receiptsAfterUndo(input: AfterUndo, last: LastApplied): Promise<void> {
  const claimed = new Set(input.remaining.matched.values())
  const after: AllAfterUndo = { ...input, left: leftIn(input.plan), claimed }
  const names = namesPutBack(after)
  const listed = listsPutBack(after, last.receipts)
  const receipts = new Map(last.receipts.map((receipt) => [receipt.address, listed(referringTo(names, receipt))]))
  const done = new Map(after.undo.done.map((each) => [each.address, each]))
  const keep = new Map<string, Receipt>()
  const forget = new Set<string>()
  const deleted = new Set<string>()
  const isNobodys = nobodysAgain(after, last.receipts)
  const announced = announcedBefore(after.undo, last.interrupted)
  const putBack = putBackBefore(after, announced)
  const recreated = idsRecreated(after, putBack)
  // A deleted object has the address that it would have with all names put back, even if one of them is not.
  const planned = new Map<string, string>()
  const renamed = new Map<string, string>()
  for (const change of after.plan.changes) {
    const result = after.run.results.get(change.address)
    const recorded = 'resource' in change ? recordedAddress(change.resource) : change.address
    if (recorded !== change.address) planned.set(recorded, change.address)
    const each = done.get(recorded)
    if (result?.outcome !== 'applied') {
      const isNew = change.action === 'create' && isMade(change, result)
      const isPartly = isNew || (result?.outcome === 'notKept' && !isNobodys(recorded))
      if (!isPartly || !each || each.unapplied) continue
      const known = isNew ? undefined : receipts.get(recorded)
      const found = asFound(change, { ...after, each, known, recreated, isMade: isNew }, last)
      if (found) keep.set(found.address, found)
      continue
    }
    if (change.action === 'delete') deleted.add(change.address)
    // An object that was not applied before is not managed afterwards: a later apply must not prune it (A82).
    if (!('resource' in change) || !each || each.unapplied) continue
    if (recorded !== change.address) renamed.set(recorded, change.address)
    const found = change.action === 'update' ? change.live.fields : undefined
    const isNew = change.action === 'create' || isRefilled(each, found) || announced.creates.has(change.address)
    if (!isNew && isNobodys(recorded)) continue
    const undone = { ...after, each, known: receipts.get(recorded), recreated, isMade: isNew }
    keep.set(change.address, receiptOf(change.resource, result.id, undone))
  }
  for (const { resource, id, isMade } of putBack) {
    const recorded = recordedAddress(resource)
    if (recorded !== resource.address) renamed.set(recorded, resource.address)
    const each = done.get(recorded)
    // The journal of the interrupted rollback counts what it has created as its own.
    if (each?.unapplied) forget.add(resource.address)
    if (!each || each.unapplied || (!isMade && isNobodys(recorded))) continue
    const undone = { ...after, each, known: isMade ? undefined : receipts.get(recorded), recreated, isMade }
    keep.set(resource.address, receiptOf(resource, id, undone))
  }
  for (const recorded of last.receipts) {
    const receipt = receipts.get(recorded.address) ?? recorded
    const address = underNewName(receipt.address, renamed)
    const isDeleted = isGone(underNewName(receipt.address, planned), deleted)
    const hasRecreated = receipt.added?.some((each) => recreated.has(nameOfAdded(each))) ?? false
    const isDropped = isDeleted || isNobodys(receipt.address)
    if (address === receipt.address && !isDropped && !hasRecreated && receipt === recorded) continue
    forget.add(receipt.address)
    if (!isDropped && !keep.has(address))
      keep.set(address, { ...receipt, address, ...broughtBack(receipt.added, recreated) })
  }
  await writeReceipts(last, [...keep.values()], forget)
}

/**
 * The receipt of an object that was put back but partly stored with other values. It has the live values, because nobody else has
 * changed them (A87).
 */
function asFound({ address, action }: Change, undone: Undone, { fingerprint }: LastApplied): Receipt | undefined {
  const { known, remaining, mask, isMade: isNew } = undone
  const open = remaining.changes.find((change) => change.address === address)
  if (open?.action !== 'update' || !(isNew || (action === 'update' && known?.address === address))) return undefined
  const receipt = receiptOf(open.resource, open.live.id, undone)
  const names = topFields(open).filter((name) => Object.hasOwn(receipt.image.fields, name))
  const hidden = { earlier: known?.image, fingerprint, mask }
  return { ...receipt, image: withWritten(receipt.image, open.resource, open, names, hidden) }
}

/**
 * Whether an object is no longer managed after the run is undone. An object that is still to be put back is managed until then.
 */
function nobodysAgain(
  { undo, remaining, isSelected }: AfterUndo,
  receipts: readonly Receipt[],
): (recorded: string) => boolean {
  const known = new Set(receipts.map(({ address }) => address))
  const takenOver = takenOverBy(undo, receipts)
  const open = new Set(
    remaining.changes.map((change) => ('resource' in change ? recordedAddress(change.resource) : change.address)),
  )
  return (recorded) => !known.has(recorded) || (takenOver.has(recorded) && !open.has(recorded) && isSelected(recorded))
}

/** The names that objects have again, by the addresses that they had since the run. */
function namesPutBack({ undo, remaining }: AfterUndo): NamesNow {
  const back = undo.manifests.resources.filter((resource) => {
    const isRenamed = recordedAddress(resource) !== resource.address
    return isRenamed && remaining.matched.get(resource.address)?.key === resource.key
  })
  return new Map(back.map((resource) => [recordedAddress(resource), resource.key]))
}

/** A receipt with the names that the referred objects have again: nobody has changed these references. */
function referringTo(names: NamesNow, receipt: Receipt): Receipt {
  const { kind, address, image } = receipt
  if (names.size === 0 || !isKindName(kind)) return receipt
  const fields = withNamesNow({ kind, address, fields: image.fields }, names)
  return sameJson(fields, image.fields) ? receipt : { ...receipt, image: { ...image, fields } }
}

/** Whether an object or one of its parents is deleted: members of a fixed set and links have no change of their own. */
const isGone = (address: string, deleted: ReadonlySet<string>): boolean =>
  addressAndAbove(address).some((each) => deleted.has(each))

interface PutBackObject {
  readonly resource: Resource
  readonly id: string
  readonly isMade: boolean
}

/**
 * Objects that an interrupted rollback was about to put back, and that are as before: this rollback has no change for them.
 */
function putBackBefore(
  { undo, plan, remaining }: AfterUndo,
  { addresses, creates }: ReturnType<typeof announcedBefore>,
): readonly PutBackObject[] {
  const touched = new Set([...plan.changes, ...remaining.changes].map(({ address }) => address))
  return undo.manifests.resources.flatMap((resource) => {
    const { address, implicit } = resource
    const live = remaining.matched.get(address)
    const isPutBack = live && !implicit && addresses.has(address) && !touched.has(address)
    return isPutBack ? [{ resource, id: live.id, isMade: creates.has(address) }] : []
  })
}

/** The same, with what is computed once for all receipts. */
interface AllAfterUndo extends AfterUndo {
  readonly left: ReturnType<typeof leftIn>
  /** The live objects that resources have. */
  readonly claimed: ReadonlySet<LiveObject>
}

interface Undone extends AllAfterUndo {
  readonly each: Done
  readonly known: Receipt | undefined
  readonly recreated: ReadonlyMap<string, string>
  /** Whether it was created again, and not changed. */
  readonly isMade: boolean
}

function receiptOf({ kind, address, fields }: Resource, id: string, undone: Undone): Receipt {
  const { each, known, name, left, claimed, remaining, recreated, isMade } = undone
  // Fields that somebody has changed since are left to the live side, and keep the values that were last applied.
  const image = withLeft(imageBefore(each, known?.image, fields), known?.image, left.get(address) ?? [])
  if (!isMade) {
    const { origin = 'adopted', protect, labels, added } = known ?? {}
    const since = known && { ...sinceBefore(known.since ?? known.run, name), ...formerIdOf(known) }
    const more = { ...(protect && { protect }), ...(labels && { labels }), ...broughtBack(added, recreated) }
    return { address, kind, id, image, run: name, ...since, origin, ...more }
  }
  const live = remaining.matched.get(address)
  const found = live ? foundIn(live, claimed) : []
  const { added } = broughtBack(each.added, recreated)
  const former = each.id === '' || each.id === id ? {} : { formerId: each.id }
  const more = { ...sinceBefore(each.since, name), ...former, ...(each.labels && { labels: each.labels }) }
  return { address, kind, id, image, run: name, ...more, origin: 'created', ...withAdded(added, found) }
}

/** The ids of the objects that this rollback, or an interrupted one, has created again, by the old objects. */
function idsRecreated({ undo, plan, run }: AfterUndo, putBack: readonly PutBackObject[]): ReadonlyMap<string, string> {
  const old = new Map(undo.done.map(({ address, id }) => [address, id]))
  const now = plan.changes.flatMap((change) => {
    const result = run.results.get(change.address)
    const id = result?.outcome === 'applied' || isMade(change, result) ? result?.id : undefined
    return 'resource' in change && id !== undefined ? [{ resource: change.resource, id }] : []
  })
  return new Map(
    [...now, ...putBack].flatMap(({ resource, id }): [string, string][] => {
      const was = old.get(recordedAddress(resource))
      return was === undefined ? [] : [[nameOfAdded({ kind: resource.kind, id: was }), id]]
    }),
  )
}

const nameOfAdded = ({ kind, id }: Added): string => `${kind} ${id}`

/** The objects that the platform had added to an object, with the ids that they have since the rollback. */
const broughtBack = (added: Receipt['added'], recreated: ReadonlyMap<string, string>): Pick<Receipt, 'added'> =>
  added ? { added: added.map((each) => ({ ...each, id: recreated.get(nameOfAdded(each)) ?? each.id })) } : {}

/** An address with the names that the objects in it have again. */
function underNewName(address: string, renamed: ReadonlyMap<string, string>): string {
  const longest = addressAndAbove(address).findLast((each) => renamed.has(each))
  return longest === undefined ? address : `${renamed.get(longest)}${address.slice(longest.length)}`
}

/**
 * The known receipt with the fields that were put back. A field that had no value, or was not applied, is no longer managed. A
 * deleted object comes back with fields that were not managed: a later apply must not unset them.
 */
function imageBefore(
  { action, kind, before, after, managed, takenOver, perhaps }: Done,
  known: Image | undefined,
  back: Image['fields'],
): Image {
  if (action === 'delete' && managed) {
    const own = Object.entries(back).filter(([name]) => managed.includes(name))
    return { fields: withoutKeys(Object.fromEntries(own), takenOver), fingerprints: {} }
  }
  if (action === 'delete' || !known) return { fields: back, fingerprints: {} }
  const printed = new Set(Object.keys(known.fingerprints).map(fieldOfKey))
  const wasKnown = (name: string): boolean => Object.hasOwn(known.fields, name) || printed.has(name)
  // For a request without an answer, the journal may not have what it took over; the known receipt does not have these fields.
  const isReported = takenOver !== undefined || perhaps.length === 0
  // What the run took over without a change may have been changed by a later run.
  const isAsLeft = (key: string): boolean => sameJson(heldAtKey(known, key), heldAtKey(after, key))
  const dropped = (takenOver ?? []).filter((key) => valueAtKey(back, key) !== undefined || isAsLeft(key))
  const isOurs = (name: string): boolean =>
    !dropped.includes(printKey(pointerTo(name))) && (isReported || wasKnown(name))
  const all = { ...known.fields, ...putBackInto(known.fields, back, kind) }
  const merged = Object.entries(all).filter(([name, value]) => value !== null && isOurs(name))
  // Secret members stay as they are, next to those that were put back.
  const isLeft = (key: string) => isOurs(fieldOfKey(key)) && Object.hasOwn(before?.fingerprints ?? {}, key)
  const isDropped = (key: string) => dropped.some((each) => isWithin(key, each))
  const prints = Object.entries(known.fingerprints).filter(
    ([key]) => !isDropped(key) && (!Object.hasOwn(back, fieldOfKey(key)) || isLeft(key)),
  )
  return { fields: withoutKeys(Object.fromEntries(merged), dropped), fingerprints: Object.fromEntries(prints) }
}

const valueAtKey = (fields: JsonObject, key: string): Json | undefined => valueAtPointer(fields, pathOfPrint(key))

/** What an image has at a key: the value, and the fingerprints of the secrets in it. */
const heldAtKey = (image: Image | undefined, key: string): Json => ({
  value: valueAtKey(image?.fields ?? {}, key) ?? null,
  prints: recordOf(Object.entries(image?.fingerprints ?? {}).filter(([each]) => isWithin(each, key))),
})

/** The fields that were put back; objects keep their other members. A field that had no value is no longer managed. */
const putBackInto = (known: JsonObject, back: JsonObject, kind: KindName): JsonObject =>
  Object.fromEntries(
    Object.entries(back).map(([name, value]) => [
      name,
      withMembers(catalog[kind].fields[name]?.type, known[name], value),
    ]),
  )
