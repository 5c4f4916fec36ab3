import type { Recorded } from '../applier/missing.js'
import { addressesNamed, parseAddress } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { inverseReferenceFields, isKindName } from '../catalog/queries.js'
import { groupBy } from '../json/groups.js'
import { once } from '../json/once.js'
import type { Base, BaseObject } from '../planner/base/base-object.js'
import { asMade, withoutKeys } from '../planner/base/base-object.js'
import {
  type Announced,
  type Awaited,
  hasWrittenReceipts,
  type Receipt,
  type RunRecord,
  type SettledEntry,
} from '../stores/record.js'
import { isDone } from './done.js'

/**
 * What was last applied: the receipts, and the changes of runs that did not write their receipts. undefined if nothing was ever
 * recorded, or if the receipts are lost. `runs` have the order of the records: newest first.
 */
export function baseFrom(receipts: readonly Receipt[], runs: readonly RunRecord[]): Base | undefined {
  if (receipts.length === 0 && (runs.length === 0 || areLost(runs))) return undefined
  const objects = new Map<string, BaseObject>()
  for (const receipt of receipts) {
    const { address, kind, id, image, run, since = run, protect, labels, added } = receipt
    const more = { ...(protect && { protect }), ...(labels && { labels }), ...(added && { added }) }
    if (isKindName(kind)) objects.set(address, { address, kind, id, since, ...image, ...more })
  }
  const open = interruptedIn(runs)
  for (const address of stillAwaited(runs[open.length])) announce(address, parseAddress(address)?.kind, objects)
  for (const run of open.reverse()) replay(run, objects)
  return { origin: runs[0]?.head.run ?? 'records', objects }
}

/** The creates without an outcome that a run found when it began, and whose outcome is still unknown (A425). */
function stillAwaited(run: RunRecord | undefined): readonly string[] {
  const found = new Set(run?.head.awaited?.map(({ address }) => address))
  return awaitedIn(run ? [run] : []).flatMap(({ address }) => (found.has(address) ? [address] : []))
}

/** Whether receipts are missing: the newest run ended normally, and its journal has applied objects. */
function areLost(runs: readonly RunRecord[]): boolean {
  const [newest] = runs
  if (newest === undefined || interruptedIn(runs).length > 0) return false
  const objects = new Map<string, BaseObject>()
  replay(newest, objects)
  return [...objects.values()].some((object) => !object.announced)
}

/** What receipts and journals have of an address, whatever the base is: ids, and creates without a recorded outcome. */
export function recordedFrom(
  known: Base | undefined,
  awaited: readonly Awaited[],
): (address: string) => Recorded | undefined {
  const objects = known?.objects
  const announced = new Map(awaited.map(({ address, at }) => [address, at]))
  return (address) => {
    const id = objects?.get(address)?.id
    const announcedAt = announced.get(address)
    return id === undefined && announcedAt === undefined ? undefined : { id, announcedAt }
  }
}

/** The receipts as they would be if the interrupted runs had written theirs. */
export function receiptsFrom(stored: readonly Receipt[], known: Base | undefined): readonly Receipt[] {
  const earlier = new Map(stored.map((receipt) => [receipt.address, receipt]))
  const unknown = stored.filter(({ kind }) => !isKindName(kind))
  return [...unknown, ...[...(known?.objects.values() ?? [])].flatMap((object) => receiptFor(object, earlier, known))]
}

function receiptFor(
  { address, kind, id, since, fields, fingerprints, templates, protect, labels, added, announced }: BaseObject,
  earlier: ReadonlyMap<string, Receipt>,
  known: Base | undefined,
): readonly Receipt[] {
  const stored = earlier.get(address)
  if (stored && stored.id === id && stored.image.fields === fields && stored.image.fingerprints === fingerprints)
    return [stored]
  if (announced || id === undefined) return []
  const origin = stored?.id === id ? stored.origin : 'created'
  const image = { fields, fingerprints, ...(templates && { templates }) }
  const run = known?.origin ?? ''
  const former = stored?.id === id ? formerIdOf(stored) : {}
  const more = { ...former, ...(protect && { protect }), ...(labels && { labels }), ...(added && { added }) }
  return [{ address, kind, id, image, run, ...sinceBefore(since, run), origin, ...more }]
}

/** The run that created the object or took it over, for a receipt that this run writes. */
export const sinceBefore = (since: string | undefined, run: string): Pick<Receipt, 'since'> =>
  since === undefined || since === run ? {} : { since }

export const formerIdOf = ({ formerId }: Receipt): Pick<Receipt, 'formerId'> =>
  formerId === undefined ? {} : { formerId }

/** Creates that were announced and have no recorded outcome. The head of each run has those that were open when it began. */
export function awaitedIn(newestFirst: readonly RunRecord[]): readonly Awaited[] {
  const announced = new Map<string, number>()
  for (const { head, entries } of [...newestFirst].reverse()) {
    for (const { address, at } of head.awaited ?? []) announced.set(address, at)
    const planned = new Set(head.changes.map(({ address }) => address))
    const added = new Map<string, readonly string[]>()
    for (const entry of entries) {
      if (entry.is === 'announced') {
        for (const address of entry.creates) announced.set(address, entry.at)
        const byPlatform = entry.creates.filter((address) => !planned.has(address))
        for (const address of byPlatform.length > 0 ? entry.addresses : []) {
          const inside = byPlatform.filter((each) => each.startsWith(`${address}/`))
          if (inside.length > 0) added.set(address, inside)
        }
      }
      // The objects that the platform added came with this object, and may be deleted by now.
      if (entry.is === 'settled' && entry.answered !== 'no') {
        for (const address of [entry.address, ...(added.get(entry.address) ?? [])]) announced.delete(address)
      }
    }
  }
  return [...announced].map(([address, at]) => ({ address, at }))
}

/** What was last applied, with the changes of one more run, which are only in its journal. */
export function withRun(base: Base | undefined, run: RunRecord): Base {
  const objects = new Map(base?.objects)
  replay(run, objects)
  return { origin: run.head.run, objects }
}

/** The runs since the last one that wrote its receipts; only their changes are missing in the receipts. */
export function interruptedIn(newest: readonly RunRecord[]): RunRecord[] {
  const ended = newest.findIndex(hasWrittenReceipts)
  return newest.slice(0, ended === -1 ? newest.length : ended)
}

function replay(run: RunRecord, objects: Map<string, BaseObject>): void {
  const changes = new Map(run.head.changes.map((change) => [change.address, change]))
  const kindOf = (address: string): BaseObject['kind'] | undefined => {
    const kind = changes.get(address)?.kind ?? ''
    return isKindName(kind) ? kind : parseAddress(address)?.kind
  }
  const before = new Map(objects)
  const sameId = once(() => groupBy(before.values(), ({ kind, id }) => `${kind} ${id}`))
  const withId: Replay['withId'] = (kind, id) =>
    sameId()
      .get(`${kind} ${id}`)
      ?.map(({ address }) => objects.get(address))
      .find((each) => each?.kind === kind && each.id === id)
  for (const entry of run.entries) {
    switch (entry.is) {
      case 'announced':
        for (const address of entry.creates) announce(address, kindOf(address), objects)
        if (entry.changes) announceChanges(entry.addresses, entry.changes, objects)
        break
      case 'settled':
        if (isLeft(entry, changes.get(entry.address)?.action)) replayLeft(entry, before, objects)
        else
          replayEntry(entry, changes.get(entry.address)?.action, kindOf(entry.address), {
            run,
            before,
            objects,
            withId,
          })
        break
      case 'ended':
        break
    }
  }
  const done = new Set(run.entries.flatMap((each) => (each.is === 'settled' && isDone(each) ? [each.address] : [])))
  const isOpen = (address: string): boolean => changes.has(address) && !done.has(address)
  for (const entry of run.entries) if (entry.is === 'settled') withdrawUnlisted(entry.address, isOpen, before, objects)
}

/**
 * If the field of an object names the list of another object, a change of that other object adds the entry. If the run was to
 * make that change but did not complete it, the value that was applied before counts.
 */
function withdrawUnlisted(
  address: string,
  isOpen: (owner: string) => boolean,
  before: ReadonlyMap<string, BaseObject>,
  objects: Map<string, BaseObject>,
): void {
  const made = objects.get(address)
  if (!made) return
  for (const { field, owner } of inverseReferenceFields(catalog[made.kind])) {
    if (!addressesNamed(owner, made.fields[field.name]).some(isOpen)) continue
    const { [field.name]: _, ...fields } = objects.get(address)?.fields ?? {}
    const then = before.get(address)?.fields[field.name]
    objects.set(address, { ...made, fields: then === undefined ? fields : { ...fields, [field.name]: then } })
  }
}

/** A request was about to be sent: the object that it creates may exist, with an unknown id. */
function announce(address: string, kind: BaseObject['kind'] | undefined, objects: Map<string, BaseObject>): void {
  if (kind && !objects.has(address))
    objects.set(address, { address, kind, id: undefined, fields: {}, fingerprints: {}, announced: true })
}

/** A request was about to be sent that changes an object: its values may be live. */
function announceChanges(
  addresses: readonly string[],
  { after, released }: NonNullable<Announced['changes']>,
  objects: Map<string, BaseObject>,
): void {
  for (const address of addresses) {
    const known = objects.get(address)
    const more = { perhaps: [...(known?.perhaps ?? []), after], ...(released && { released }) }
    if (known) objects.set(address, { ...known, ...more })
  }
}

/** Whether a change is not done, but it is known what it has left: nothing, or temporary values. */
const isLeft = (entry: SettledEntry, action: string | undefined): boolean =>
  !isDone(entry) && entry.after !== undefined && action !== 'create'

function replayLeft(
  { address, after }: SettledEntry,
  before: ReadonlyMap<string, BaseObject>,
  objects: Map<string, BaseObject>,
): void {
  const earlier = before.get(address)
  if (earlier) objects.set(address, { ...earlier, fields: { ...earlier.fields, ...after?.fields } })
  else objects.delete(address)
}

interface Replay {
  readonly run: RunRecord
  readonly before: ReadonlyMap<string, BaseObject>
  readonly objects: Map<string, BaseObject>
  /** An object that was known before the run, whatever its address. */
  readonly withId: (kind: BaseObject['kind'], id: string | undefined) => BaseObject | undefined
}

function replayEntry(
  { address, outcome, id, after, answered, unapplied, released = [] }: SettledEntry,
  action: string | undefined,
  kind: BaseObject['kind'] | undefined,
  { run, before, objects, withId }: Replay,
): void {
  const known = objects.get(address)
  if (!isDone({ outcome })) {
    // A request that was refused created nothing; one without an answer may have created the object.
    if (action === 'create' && known?.announced && answered !== 'no') objects.delete(address)
    return
  }
  if (action === 'delete') {
    const earlier = before.get(address)
    // The closing reading still found it.
    if (outcome === 'notKept' && earlier) objects.set(address, earlier)
    else objects.delete(address)
  } else if (kind && after) {
    // A renamed object is found by its id.
    const isRenamed = !known && action === 'update'
    const earlier = isRenamed ? withId(kind, id) : known
    // A change that only adds an entry to a list of an object does not take the object over.
    if (!earlier && unapplied) return
    // A rollback created it again, and it was not applied before.
    if (action === 'create' && unapplied) {
      objects.delete(address)
      return
    }
    const fields = withoutKeys(after.fields, released)
    objects.set(address, { since: run.head.run, ...asMade(earlier, { address, kind, id, ...after, fields }) })
  }
}
