import type { KindName } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import { groupBy } from '../json/groups.js'
import type { Json } from '../json/json.js'
import { once } from '../json/once.js'
import { outerPaths, overlaps } from '../json/pointer.js'
import { editorOf } from '../live/editor.js'
import { describedAt } from '../planner/compare/secret-values.js'
import { type Change, type DeleteChange, type FieldChange, isCreating, type Plan } from '../planner/plan.js'
import type { Problem } from '../problems/problem.js'
import { stalePlan } from '../problems/refusals.js'
import type { Fingerprint } from '../secrets/fingerprint.js'
import { masked } from '../secrets/hidden-words.js'

/** A change as it was planned: shown, approved, perhaps saved to a file. */
export interface PlannedChange {
  readonly address: string
  readonly action: string
  readonly precondition: string
  readonly fields: readonly PlannedField[]
  /** For a delete: the known fields of the object. */
  readonly known?: readonly PlannedLoss[]
}

interface PlannedField {
  readonly path: string
  readonly before?: Json
  readonly after?: Json
  readonly sensitive: boolean
  readonly unavailable?: true
  readonly fingerprint?: string
}

/** A field that is lost with its object. In a saved plan, the value is missing if it may be secret. */
export interface PlannedLoss {
  readonly path: string
  readonly value?: Json
  readonly sensitive: boolean
  readonly fingerprint?: string
}

/** How the new plan is compared with the old one. */
export type Strictness =
  /** The values on which each change relied must be the same. */
  | 'strict'
  /** The effect must be the same, even if the values before it differ. */
  | 'same effect'

/** The planned changes that are different now, with the reasons. Unrelated edits do not count. */
export function staleChanges(
  planned: readonly PlannedChange[],
  current: Plan,
  strictness: Strictness,
  fingerprint: Fingerprint,
): readonly Problem[] {
  const now = new Map(current.changes.map((change) => [change.address, change]))
  const approved = new Set(planned.map((change) => change.address))
  const left = groupBy(current.skipped, ({ address }) => address)
  const there = once(() => new Set([...current.matched.keys(), ...current.undeclared, ...unmanagedIn(current)]))
  const isThere = (address: string): boolean => there().has(address)
  const stale = planned.flatMap((change) => {
    const { address } = change
    const isSkipped = skippedIn(left.get(address) ?? [], strictness)
    const reasons = staleness(change, { now: now.get(address), isSkipped, isThere }, strictness, fingerprint)
    const isEdited = reasons.some(({ by }) => by === 'the area')
    const words = reasons.map((reason) => reason.words)
    return words.length === 0
      ? []
      : [stalePlan(change.address, words, isEdited ? lastEditOf(now.get(change.address)) : undefined)]
  })
  return [...stale, ...goingAlong(current, approved), ...lacking(current, approved, now)]
}

const unmanagedIn = ({ unmanaged }: Plan): readonly string[] => unmanaged.map(({ address }) => address)

/** Objects that would be deleted with an approved object although the user has not approved it, because they are new. */
const goingAlong = (current: Plan, approved: ReadonlySet<string>): readonly Problem[] =>
  current.changes.flatMap((change) => {
    if (change.action !== 'delete' || change.within === undefined || approved.has(change.address)) return []
    const isTaken = outerPaths(change.address).some((address) => approved.has(address))
    return isTaken ? [stalePlan(change.address, ['would now be deleted as well'], lastEditOf(change))] : []
  })

/** Objects that an approved change needs and that no longer exist: they would have to be created again. */
const lacking = (current: Plan, approved: ReadonlySet<string>, now: ReadonlyMap<string, Change>): readonly Problem[] =>
  current.changes
    .filter((change) => approved.has(change.address))
    .flatMap((change) => {
      const missing = change.dependsOn.filter((address) => {
        const needed = now.get(address)
        return !approved.has(address) && needed !== undefined && isCreating(needed)
      })
      return missing.length === 0
        ? []
        : [stalePlan(change.address, [`needs ${missing.join(', ')}, which is gone`], undefined)]
    })

/** Why a change differs from the planned one. The last editor of the object is only relevant if the area has changed. */
interface Reason {
  readonly words: string
  readonly by: 'the area' | 'what is desired'
}

const inArea = (words: string): Reason => ({ words, by: 'the area' })
const inDesired = (words: string): Reason => ({ words, by: 'what is desired' })

interface ChangeNow {
  readonly now: Change | undefined
  readonly isSkipped: (path: string) => boolean
  /** Whether an address has a live object. */
  readonly isThere: (address: string) => boolean
}

function staleness(
  then: PlannedChange,
  { now, isSkipped, isThere }: ChangeNow,
  strictness: Strictness,
  fingerprint: Fingerprint,
): readonly Reason[] {
  const was = `was to be ${doneWords[then.action] ?? then.action}`
  if (!now) return [withoutChange(then, { was, isSkipped, isThere })]
  if (now.action !== then.action) return [inArea(`${was}, and would now be ${doneWords[now.action]}`)]
  const reasons =
    now.action === 'delete'
      ? lossWords(then, now, fingerprint).map(inArea)
      : fieldReasons(then, { now, isSkipped }, strictness, fingerprint)
  if (reasons.length > 0 || strictness === 'same effect') return reasons
  return now.precondition === then.precondition ? [] : [inArea('is not the object that the plan was made for')]
}

/** Why a planned change is no longer needed. */
function withoutChange(
  { action, address, fields }: PlannedChange,
  { was, isSkipped, isThere }: Omit<ChangeNow, 'now'> & { readonly was: string },
): Reason {
  if (action !== 'delete') {
    return fields.some(({ path }) => isSkipped(path))
      ? inDesired(`${was}; it would now be left alone`)
      : inArea(`${was}; it already has the planned values`)
  }
  return inArea(`${was}; ${isThere(address) ? 'it would now be left alone' : 'it is gone, or would be left alone'}`)
}

/**
 * Whether a field without a change keeps its live value, because its drift is accepted or its object is not selected. If the
 * manifests may differ, they may not write the field any more, so this is assumed.
 */
const skippedIn =
  (left: Plan['skipped'], strictness: Strictness) =>
  (path: string): boolean =>
    strictness === 'same effect' ||
    left.some(({ paths }) => paths === 'all' || paths.some((each) => overlaps(each, path)))

const doneWords: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'updated',
  replace: 'replaced',
  delete: 'deleted',
  blocked: 'blocked',
}

function fieldReasons(
  then: PlannedChange,
  { now, isSkipped }: { readonly now: Change; readonly isSkipped: (path: string) => boolean },
  strictness: Strictness,
  fingerprint: Fingerprint,
): readonly Reason[] {
  const before = new Map(then.fields.map((field) => [field.path, field]))
  const after = new Map(now.fields.map((field) => [field.path, field]))
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  return paths.flatMap((path) => {
    const old = before.get(path)
    const field = after.get(path)
    if (!field) {
      return [
        isSkipped(path)
          ? inDesired(`${path} would now be left alone`)
          : inArea(`${path} already has the planned values`),
      ]
    }
    if (!old) return [unplannedReason(path, field, strictness)]
    if (field.sensitive || old.sensitive) return secretWords(path, old, field, fingerprint).map(inDesired)
    if (!isSame(old.before, field.before) && !isDefault(now.kind, path, old.before, field.before))
      return [
        inArea(
          `${path} was ${displayedOrMasked(old.before, field)}, and is ${displayedOrMasked(field.before, field)} now`,
        ),
      ]
    return isSame(old.after, field.after)
      ? []
      : [
          inDesired(
            `${path} was to become ${displayedOrMasked(old.after, field)}, and would now become ${displayedOrMasked(field.after, field)}`,
          ),
        ]
  })
}

/**
 * The reason for a change that was not planned. If the manifests may differ, it is not known which side has changed. If they are
 * the same, the area has changed. The exception are secrets, because they are not in the manifests: if the live secret is still
 * the last applied one, its variable has another value.
 */
function unplannedReason(path: string, field: FieldChange, strictness: Strictness): Reason {
  if (strictness !== 'strict')
    return inDesired(
      `${path} would now become ${displayedOrMasked(field.after, field)}, and the plan did not change it`,
    )
  if (field.sensitive && field.verdict === 'pending') return inDesired(otherSecret(path))
  return inArea(`${path} is now ${displayedOrMasked(field.before, field)} (it matched when the plan was made)`)
}

/** Whether one value is empty and the other one is the platform's default. */
function isDefault(kind: KindName, path: string, then: Json | undefined, now: Json | undefined): boolean {
  const field = describedAt(kind, path)
  const [nothing, value] = (then ?? null) === null ? [then, now] : [now, then]
  return field !== undefined && (nothing ?? null) === null && sameValue(field.type, null, value, field.default)
}

/** The edits of an object that is to be deleted. The user who approved the delete has not seen them. */
function lossWords(then: PlannedChange, now: DeleteChange, fingerprint: Fingerprint): readonly string[] {
  const before = new Map((then.known ?? []).map((field) => [field.path, field]))
  const after = new Map(now.known.map((field) => [field.path, field]))
  const printOf = (field: PlannedLoss | undefined): string | undefined =>
    field &&
    (field.fingerprint ??
      (field.value === undefined ? undefined : (fingerprint(field.value) ?? JSON.stringify(field.value))))
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((path) => {
    const [old, field] = [before.get(path), after.get(path)]
    if (printOf(old) === printOf(field)) return []
    if (old?.sensitive || field?.sensitive) return [`${path} was changed`]
    return [`${path} was ${JSON.stringify(old?.value ?? null)}, and is ${JSON.stringify(field?.value ?? null)} now`]
  })
}

/**
 * Compares a secret with the planned one; secrets are resolved again. A value without a fingerprint in a saved plan was
 * unavailable when the plan was made, or it is no secret, or the secret was to be cleared.
 */
function secretWords(path: string, old: PlannedField, now: FieldChange, fingerprint: Fingerprint): readonly string[] {
  if (old.unavailable || now.unavailable) return []
  const desired = now.after ?? null
  if (old.fingerprint !== undefined) {
    if (fingerprint(desired) === old.fingerprint) return []
    return [desired === null ? `${path} would now be cleared` : otherSecret(path)]
  }
  const isCleared = desired === null && old.sensitive
  if (isCleared || isSame(old.after, desired)) return []
  return [`${path} would now become another value than was planned`]
}

const otherSecret = (path: string): string => `${path} resolves to another secret now`

const isSame = (left: Json | undefined, right: Json | undefined): boolean =>
  JSON.stringify(left ?? null) === JSON.stringify(right ?? null)

const displayedOrMasked = (value: Json | undefined, { sensitive }: { readonly sensitive: boolean }): string =>
  sensitive ? masked : JSON.stringify(value ?? null)

function lastEditOf(change: Change | undefined): string | undefined {
  if (!change || change.action === 'create' || !change.live) return undefined
  const [editor, { updated }] = [editorOf(change.live), change.live]
  const words = [editor && `by ${editor}`, updated && `at ${updated}`].filter(Boolean)
  return words.length === 0 ? undefined : words.join(' ')
}
