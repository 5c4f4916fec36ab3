import type { KindName } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import type { Json } from '../json/json.js'
import { overlaps } from '../json/pointer.js'
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
  /** Of a delete: what was known of the object that goes. */
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

/** A field that goes with its object; of a saved plan without the value if that may be secret. */
export interface PlannedLoss {
  readonly path: string
  readonly value?: Json
  readonly sensitive: boolean
  readonly fingerprint?: string
}

/** What the new plan is held against the old one by. */
export type Strictness =
  /** What each change relied on must be as it was. */
  | 'strict'
  /** The effect must be the same, whatever it rests on. */
  | 'same effect'

/** What became another since the plan was made, change by change; unrelated edits do not count. */
export function staleChanges(
  planned: readonly PlannedChange[],
  current: Plan,
  strictness: Strictness,
  fingerprint: Fingerprint,
): readonly Problem[] {
  const now = new Map(current.changes.map((change) => [change.address, change]))
  const approved = new Set(planned.map((change) => change.address))
  const stale = planned.flatMap((change) => {
    const reasons = staleness(change, { current, now: now.get(change.address) }, strictness, fingerprint)
    const isEdited = reasons.some(({ by }) => by === 'the area')
    const words = reasons.map((reason) => reason.words)
    return words.length === 0
      ? []
      : [stalePlan(change.address, words, isEdited ? lastEditOf(now.get(change.address)) : undefined)]
  })
  return [...stale, ...goingAlong(current, approved), ...lacking(current, approved, now)]
}

/** What would be deleted with an object although nobody has seen it go: it came to be since. */
const goingAlong = (current: Plan, approved: ReadonlySet<string>): readonly Problem[] =>
  current.changes.flatMap((change) => {
    if (change.action !== 'delete' || change.within === undefined || approved.has(change.address)) return []
    const isTaken = [...approved].some((address) => change.address.startsWith(`${address}/`))
    return isTaken ? [stalePlan(change.address, ['would now be deleted as well'], lastEditOf(change))] : []
  })

/** What an approved change needs and is gone since: it would have to be created again. */
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

/** Why a change is not the one that was planned. Who edited the object last has to do with it only if the area is why. */
interface Reason {
  readonly words: string
  readonly by: 'the area' | 'what is desired'
}

const inArea = (words: string): Reason => ({ words, by: 'the area' })
const inDesired = (words: string): Reason => ({ words, by: 'what is desired' })

function staleness(
  then: PlannedChange,
  { current, now }: { readonly current: Plan; readonly now: Change | undefined },
  strictness: Strictness,
  fingerprint: Fingerprint,
): readonly Reason[] {
  const was = `was to be ${doneWords[then.action] ?? then.action}`
  if (!now) return [withoutChange(then, { current, was }, strictness)]
  if (now.action !== then.action) return [inArea(`${was}, and would now be ${doneWords[now.action]}`)]
  const isSkipped = skippedIn(then.address, current, strictness)
  const reasons =
    now.action === 'delete'
      ? lossWords(then, now, fingerprint).map(inArea)
      : fieldReasons(then, { now, isSkipped }, strictness, fingerprint)
  if (reasons.length > 0 || strictness === 'same effect') return reasons
  return now.precondition === then.precondition ? [] : [inArea('is not the object that the plan was made for')]
}

/** Why nothing would be done now to what was to be changed. */
function withoutChange(
  { action, address, fields }: PlannedChange,
  { current, was }: { readonly current: Plan; readonly was: string },
  strictness: Strictness,
): Reason {
  if (action !== 'delete') {
    const isSkipped = skippedIn(address, current, strictness)
    return fields.some(({ path }) => isSkipped(path))
      ? inDesired(`${was}; it would now be left alone`)
      : inArea(`${was}; it already has the planned values`)
  }
  const { undeclared, unmanaged, matched } = current
  const isThere =
    matched.has(address) || undeclared.includes(address) || unmanaged.some((each) => each.address === address)
  return inArea(`${was}; ${isThere ? 'it would now be left alone' : 'it is gone, or would be left alone'}`)
}

/**
 * Whether a field that would not be changed now is left as it is on the live side: its drift is accepted, or the object is not
 * selected. With other manifests it is unknown whether it has the planned value: they may not write it any more.
 */
function skippedIn(address: string, { skipped }: Plan, strictness: Strictness): (path: string) => boolean {
  const left = skipped.flatMap(({ address: other, paths }) => (other === address ? [paths] : []))
  return (path) =>
    strictness === 'same effect' || left.some((paths) => paths === 'all' || paths.some((each) => overlaps(each, path)))
}

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
      return [inArea(`${path} was ${shown(old.before, field)}, and is ${shown(field.before, field)} now`)]
    return isSame(old.after, field.after)
      ? []
      : [
          inDesired(
            `${path} was to become ${shown(old.after, field)}, and would now become ${shown(field.after, field)}`,
          ),
        ]
  })
}

/**
 * A field that the plan did not change. With other manifests it is unknown which side was different then. With the same ones it
 * is the area, apart from secrets: they are not in the manifests, and where the live one is that of the last apply, it is
 * the variable that has another value.
 */
function unplannedReason(path: string, field: FieldChange, strictness: Strictness): Reason {
  if (strictness !== 'strict')
    return inDesired(`${path} would now become ${shown(field.after, field)}, and the plan did not change it`)
  if (field.sensitive && field.verdict === 'pending') return inDesired(otherSecret(path))
  return inArea(`${path} is now ${shown(field.before, field)} (it matched when the plan was made)`)
}

/** Whether one side says nothing where the other has what the platform puts there. */
function isDefault(kind: KindName, path: string, then: Json | undefined, now: Json | undefined): boolean {
  const field = describedAt(kind, path)
  const [nothing, value] = (then ?? null) === null ? [then, now] : [now, then]
  return field !== undefined && (nothing ?? null) === null && sameValue(field.type, null, value, field.default)
}

/** What was edited of an object that is to go: whoever agreed to lose it has not seen that. */
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
 * Secrets are resolved again, and must be those that were planned with. A value of a saved plan that has no fingerprint was not
 * set where the plan was made, or is none: the secret was to be cleared.
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

const shown = (value: Json | undefined, { sensitive }: { readonly sensitive: boolean }): string =>
  sensitive ? masked : JSON.stringify(value ?? null)

function lastEditOf(change: Change | undefined): string | undefined {
  if (!change || change.action === 'create' || !change.live) return undefined
  const [editor, { updated }] = [editorOf(change.live), change.live]
  const words = [editor && `by ${editor}`, updated && `at ${updated}`].filter(Boolean)
  return words.length === 0 ? undefined : words.join(' ')
}
