import { type Announcement, type ChangeResult, isMade } from '../applier/run.js'
import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { attributeField, childFields, isWritable } from '../catalog/queries.js'
import { ownValue, recordOf } from '../catalog/record.js'
import { memberIn } from '../catalog/shapes.js'
import type { FieldType } from '../catalog/types.js'
import { changeErrorText } from '../documents/run.js'
import { isObject, type Json, type JsonObject, objectOf } from '../json/json.js'
import { valueAtPointer } from '../json/patch.js'
import { keysOf, pointerTo, withMember } from '../json/pointer.js'
import type { LiveIndex } from '../live/live-index.js'
import type { LiveObject } from '../live/live-object.js'
import { isUntouched, liveFields } from '../live/object-form.js'
import { withoutValue } from '../manifest/secret-paths.js'
import type { Base, BaseObject } from '../planner/base/base-object.js'
import { answeredAt, fieldOfKey, pathOfPrint, printKey } from '../planner/compare/secret-values.js'
import type { Change, DeleteChange, Plan, ReplaceChange, UpdateChange } from '../planner/plan.js'
import type { Fingerprint } from '../secrets/fingerprint.js'
import { holdsSecret } from '../secrets/mask.js'
import type { Announced, Image, SettledEntry } from '../stores/record.js'
import { imageWithoutSecrets, listsLeftBy } from './image.js'
import type { LastApplied } from './last-applied.js'
import { imageOf, leftIn, topFields, withIgnored, withLeft, withWritten } from './receipts-after.js'

/** What a journal records of each change: what it announces and what it has done, with the values before and after it. */

interface Recording {
  readonly last: LastApplied
  readonly mask: (text: string) => string
}

/**
 * An announcement with the fields that it takes over. It does not have the fields in which a secret was applied or is found: the
 * secret may be somebody else's.
 */
export function openOf(
  step: Announcement,
  { base, released }: Plan,
  { mask }: Pick<Recording, 'mask'>,
): Pick<Announced, keyof Announcement> {
  const { changes, ...others } = step
  if (!changes) return step
  const { before, after } = changes
  const [address = ''] = step.addresses
  const put = released?.get(address)
  const owned = {
    ...(base && { takenOver: unappliedOf(address, Object.keys(after), { base, before }) }),
    ...(typeof put === 'object' && { released: put }),
  }
  const applied = step.addresses.flatMap((address) => Object.keys(base?.objects.get(address)?.fingerprints ?? {}))
  const holding = Object.keys(after).filter(
    (name) => holdsSecret(before[name] ?? null, mask) || holdsSecret(after[name] ?? null, mask),
  )
  const secret = [...applied.map(fieldOfKey), ...holding].filter((name) => Object.hasOwn(after, name))
  if (secret.length === 0) return { ...others, changes: { ...changes, ...owned } }
  const isAny = Object.keys(after).length > new Set(secret).size
  const withoutThem = (values: JsonObject) => secret.map((name) => pointerTo(name)).reduce(withoutValue, values)
  return isAny
    ? { ...others, changes: { id: changes.id, before: withoutThem(before), after: withoutThem(after), ...owned } }
    : others
}

interface EntryContext {
  readonly plan: Plan
  readonly area: Recording
  readonly live: LiveIndex
  /** The changes in a plan of the same manifests after the run, by address. */
  readonly remaining?: ReadonlyMap<string, Change>
}

export function settledEntry(change: Change, result: ChangeResult, context: EntryContext) {
  const { plan, area } = context
  const isApplied = result.outcome === 'applied'
  const isUnknown = result.outcome === 'failed' && result.answered === 'no'
  const isKept = isApplied || result.outcome === 'notKept'
  const updated = isKept && change.action === 'update' ? change : undefined
  return {
    address: change.address,
    outcome: result.outcome,
    ...(isUnknown && { answered: 'no' as const }),
    id: result.id,
    error: isApplied ? undefined : area.mask(changeErrorText(result.error)),
    ...(isApplied && change.action === 'delete' && knownOf(plan.base?.objects.get(change.address))),
    ...(isKept && unappliedIn(change, plan.base)),
    ...(updated && isUnapplied(change, plan.base) && { unapplied: true as const }),
    ...(change.action !== 'delete' && releasedOf(plan.released?.get(change.address))),
    ...(updated && isApplied && withLists(listsLeftBy(updated))),
    ...imagesOf(change, result, context),
  }
}

function imagesOf(
  change: Change,
  result: ChangeResult,
  { plan, area: { last, mask }, live, remaining }: EntryContext,
): Record<'before' | 'after', Image | undefined> {
  const { fingerprint } = last
  const before = beforeImage(change, { live, base: plan.base, fingerprint, mask })
  const after = afterImage(change, plan, last)
  if (result.outcome === 'applied') return { before, after: withoutFields(after, result.following) }
  const open = remaining?.get(change.address)
  // The part that the platform kept is live, and can be undone. If the object must be created again, nothing is.
  if (remaining && after && isPartlyDone(change, result) && open?.action !== 'create') {
    const hidden = { earlier: before, fingerprint, mask }
    const isOpen = open !== undefined && 'resource' in open
    return { before, after: isOpen ? withWritten(after, open.resource, open, topFields(open), hidden) : after }
  }
  if (result.removed) return { before, after: undefined }
  return leftImages(withoutSensitive(result.left, change), before)
}

/** Whether the platform did only a part of a change: only a reading shows which part. */
export const isPartlyDone = (change: Change, result: ChangeResult): boolean =>
  result.outcome === 'notKept' ||
  (result.outcome === 'failed' && (result.part === true || (change.action === 'create' && isMade(change, result))))

/** The fields, or the object, that a rollback put back and that are no longer managed. */
function releasedOf(released: readonly string[] | 'all' | undefined): Pick<SettledEntry, 'released' | 'unapplied'> {
  if (released === undefined) return {}
  return released === 'all' ? { unapplied: true } : { released }
}

/** An image without the fields of a later request: a run may be killed before it. */
const withoutFields = (image: Image | undefined, names: readonly string[] = []): Image | undefined =>
  image && { ...image, fields: names.map((name) => pointerTo(name)).reduce(withoutValue, image.fields) }

/** What a rollback must know of a deleted object. */
function knownOf(known: BaseObject | undefined) {
  const { fields = {}, fingerprints = {}, added, since, labels } = known ?? {}
  const managed = [...new Set([...Object.keys(fields), ...Object.keys(fingerprints).map(fieldOfKey)])]
  const more = { ...(added && { added }), ...(since !== undefined && { since }), ...(labels && { labels }) }
  return { managed, ...(!known && { unapplied: true as const }), ...more }
}

/** Whether an update is of an object that is not applied: manifests only give entries for its lists. */
export const isUnapplied = (change: Change, base: Plan['base']): boolean =>
  change.action === 'update' && change.resource.implicit && !base?.objects.has(change.address)

const withLists = (lists: JsonObject): Pick<SettledEntry, 'lists'> => (Object.keys(lists).length === 0 ? {} : { lists })

/**
 * What a change writes, or of a deleted object the members of applied fields, that was not applied before: it is no longer
 * managed when the object is put back. Without a base it is not known.
 */
function unappliedIn(change: Change, base: Plan['base']): Pick<SettledEntry, 'takenOver'> {
  if (!base || !(change.action === 'update' || change.action === 'delete')) return {}
  const names =
    change.action === 'update'
      ? new Set([...topFields(change), ...Object.keys(change.resource.fields)])
      : Object.keys(base.objects.get(change.address)?.fields ?? {})
  const takenOver = unappliedOf(change.address, [...names], { base, before: change.live.fields })
  return takenOver.length === 0 ? {} : { takenOver }
}

/** What was last applied, and the values of an object before a change. */
interface Applied {
  readonly base: Base
  readonly before: JsonObject
}

/** The fields among these that were not applied, and the members of the others that were not, in the form of `printKey`. */
function unappliedOf(address: string, names: readonly string[], { base, before }: Applied): readonly string[] {
  const known = base.objects.get(address)
  const { managed } = knownOf(known)
  return names.flatMap((name) => {
    if (!known || !managed.includes(name)) return [printKey(pointerTo(name))]
    const applied = membersAdded(known.fields[name], Object.keys(known.fingerprints), name)
    return membersBesides(catalog[known.kind].fields[name]?.type, before[name], { applied, at: pointerTo(name) })
  })
}

/** The value with the members of which only a fingerprint is known. */
const membersAdded = (value: Json | undefined, prints: readonly string[], name: string): Json | undefined =>
  prints
    .filter((key) => key !== name && fieldOfKey(key) === name)
    .reduce<Json | undefined>((held, key) => withMember(held, keysOf(pathOfPrint(key)).slice(1), null), value)

interface AppliedAt {
  readonly applied: Json | undefined
  readonly at: string
}

/** The members of an object field that an applied value does not have. */
function membersBesides(
  type: FieldType | undefined,
  before: Json | undefined,
  { applied, at }: AppliedAt,
): readonly string[] {
  if (type?.is !== 'shape' || !isObject(before)) return []
  return Object.entries(before).flatMap(([name, value]) => {
    const path = at + pointerTo(name)
    const inner = isObject(applied) ? ownValue(applied, name) : undefined
    if (inner === undefined) return value === null ? [] : [printKey(path)]
    return membersBesides(memberIn(type, name).type, value, { applied: inner, at: path })
  })
}

/** The values that a change has left, without those that must not be recorded. */
function withoutSensitive(left: JsonObject | undefined, change: Change): JsonObject | undefined {
  return left && 'resource' in change ? change.resource.sensitive.reduce(withoutValue, left) : left
}

/** For a change that is not done, only the values that it has left count. */
function leftImages(
  left: JsonObject | undefined,
  before: Image | undefined,
): Record<'before' | 'after', Image | undefined> {
  if (!left) return { before: undefined, after: undefined }
  const then = Object.entries(before?.fields ?? {}).filter(([name]) => Object.hasOwn(left, name))
  return { before: { fields: Object.fromEntries(then), fingerprints: {} }, after: { fields: left, fingerprints: {} } }
}

/** The result of a change: the managed fields, except those that were left to the live side. */
export function afterImage(change: Change, plan: Plan, { fingerprint }: LastApplied): Image | undefined {
  if (!('resource' in change)) return undefined
  const declared = withUnset(imageOf(change.resource, fingerprint, plan), change)
  const before = plan.base?.objects.get(change.address)
  const image = change.action === 'update' ? withIgnored(declared, before, change.resource) : declared
  return withLeft(image, before, leftIn(plan).get(change.address) ?? [])
}

/** Fields that are no longer written and were unset are null in the image: the run has changed them as well. */
function withUnset(image: Image, { fields }: Change): Image {
  // References that are unset have an empty list.
  const isEmpty = (value: Json | undefined) => value === null || (Array.isArray(value) && value.length === 0)
  const unset = fields.filter(
    ({ after, sensitive, path }) => isEmpty(after) && !sensitive && valueAtPointer(image.fields, path) === undefined,
  )
  const all = unset.reduce<Json>((known, { path }) => withMember(known, keysOf(path), null), image.fields)
  return { ...image, fields: objectOf(all) }
}

/** What a change is compared with, and what hides secrets. */
interface Past {
  readonly live: LiveIndex
  readonly base: Base | undefined
  readonly fingerprint: Fingerprint
  readonly mask: (text: string) => string
}

/** The state before a change: the fields that an update changes, and all fields of an object that is deleted. */
function beforeImage(change: Change, past: Past): Image | undefined {
  switch (change.action) {
    case 'update': {
      const names = Object.keys(change.values)
      const image = imageOfLive(change.live, names, secretPathsOf(change, past), past)
      return withUnanswered(image, change, past, (name) => names.includes(name))
    }
    case 'replace':
    case 'delete': {
      const image = imageOfLive(change.live, Object.keys(change.live.fields), secretPathsOf(change, past), past)
      const all = withUnanswered(image, change, past, () => true)
      return { ...all, fields: { ...all.fields, ...fixedSets(change, past) } }
    }
    case 'create':
    case 'blocked':
      return undefined
  }
}

/** Adds the secrets that were applied and that the platform does not answer: they are not absent. */
function withUnanswered(
  image: Image,
  { address, live }: UpdateChange | ReplaceChange | DeleteChange,
  { base }: Past,
  isIn: (field: string) => boolean,
): Image {
  const applied = Object.entries(base?.objects.get(address)?.fingerprints ?? {})
  const unanswered = applied.filter(
    ([key]) => isIn(fieldOfKey(key)) && answeredAt(live, pathOfPrint(key)) === undefined,
  )
  return {
    fields: unanswered.map(([key]) => pathOfPrint(key)).reduce(withoutValue, image.fields),
    fingerprints: { ...image.fingerprints, ...Object.fromEntries(unanswered) },
  }
}

/** The fields as a manifest would write them: references are names, which stay valid when ids change. */
function imageOfLive(
  object: LiveObject,
  names: readonly string[],
  sensitive: readonly string[],
  { live, fingerprint, mask }: Past,
): Image {
  const written = liveFields(object, live)
  const values = recordOf(names.map((name): [string, Json] => [name, ownValue(written, name) ?? null]))
  // Somebody may have written a secret into a field that is not secret.
  const open = sensitive.reduce(withoutValue, values)
  const holding = names.filter((name) => holdsSecret(open[name] ?? null, mask))
  const paths = [...sensitive, ...holding.map((name) => pointerTo(name))]
  return imageWithoutSecrets(object.kind, values, paths, fingerprint)
}

/** The fields that are secret by the manifest, or were secret when they were applied. */
function secretPathsOf(change: UpdateChange | ReplaceChange | DeleteChange, { base }: Past): readonly string[] {
  const applied = Object.keys(base?.objects.get(change.address)?.fingerprints ?? {}).map((key) => `/${key}`)
  return 'resource' in change ? [...change.resource.sensitive, ...applied] : applied
}

/**
 * Members of a fixed set have no changes of their own. Those that differ from the platform's defaults are kept with their parent,
 * and so are those that a run has written, because not every platform creates all members by itself.
 */
function fixedSets({ live: object, address }: ReplaceChange | DeleteChange, past: Past): JsonObject {
  const isApplied = ({ kind, key }: LiveObject): boolean =>
    past.base?.objects.has(addressOf(catalog[kind], key, address)) ?? false
  return Object.fromEntries(
    childFields(catalog[object.kind])
      .filter((child) => child.kind.fixedSet)
      .flatMap((child): [string, Json][] => {
        const members = object.children.filter(
          (each) => each.kind === child.kind.name && (!isUntouched(each) || isApplied(each)),
        )
        return members.length === 0 ? [] : [[child.field, members.map((each) => memberOf(each, address, past))]]
      }),
  )
}

/**
 * All fields that are not secret, in the words of a manifest. Empty fields are included, because the platform may fill them in a
 * new object.
 */
function memberOf(object: LiveObject, parent: string, { live, base, mask }: Past): JsonObject {
  const kind = catalog[object.kind]
  const applied = base?.objects.get(addressOf(kind, object.key, parent))?.fingerprints ?? {}
  const secrets = new Set(Object.keys(applied).map(fieldOfKey))
  const values = Object.entries(liveFields(object, live)).filter(([name, value]) => {
    const field = kind.fields[name] ?? attributeField(kind, name)
    if (field === undefined || !isWritable(field)) return false
    return !secrets.has(name) && !holdsSecret(value, mask)
  })
  return { ...Object.fromEntries(values), ...(kind.naming === undefined ? {} : { [kind.naming]: object.key }) }
}
