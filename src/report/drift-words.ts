import type { Diagnostic } from '../documents/diagnostics.js'
import type { ChangeDocument, FieldDocument, PlanDocument } from '../documents/plan.js'
import { by } from '../json/order.js'
import { printable } from '../json/printable.js'
import { errorsIn } from '../problems/problem.js'
import { counted } from '../problems/suggest.js'
import { lapsedText } from './accepted-words.js'
import { type Happened, happenedWords } from './happened-words.js'
import { byRoot, editWords, type ObjectGroup } from './plan-words.js'
import { type FieldView, fieldView, memberText, sidesOf } from './value-text.js'

/** The contents of a drift report in all formats: what happened on the platform, not what an apply would do. */
interface DriftView {
  /** What happened to the objects, grouped by root object, parents before children. */
  readonly groups: readonly ObjectGroup<DriftEntry>[]
  /** Changes that are only not applied yet, one line each. */
  readonly pending: readonly string[]
  /** Such as `1 deleted, 2 changed on the platform, 1 conflict; 3 accepted, 40 in sync`. */
  readonly summary: string
}

/** One object that has drifted. */
export interface DriftEntry {
  readonly kind: string
  readonly address: string
  readonly happened: Happened
  /** Such as `deleted on the platform`. */
  readonly words: string
  readonly remarks: readonly string[]
  readonly fields: readonly FieldDocument[]
  readonly source?: ChangeDocument['source']
}

/** The maximum number of listed changes that are not applied yet. `plan` shows all of them. */
const mostPending = 10

/** The errors because of which a part of the area could not be compared (A360). */
export const driftErrors = ({ diagnostics }: PlanDocument): readonly Diagnostic[] => errorsIn(diagnostics)

export function driftView(drift: PlanDocument): DriftView {
  const entries = withoutContents([...drift.changes.flatMap(entriesIn), ...extrasIn(drift)], isWhole, withInside)
  const pending = withoutContents(drift.changes.flatMap(pendingIn), ({ whole }) => whole, asItIs)
  const more = pending.length - mostPending
  return {
    groups: byRoot(entries),
    pending: [
      ...pending.slice(0, mostPending).map(({ words }) => words),
      ...(more > 0 ? [`and ${more} more, which gatewright plan shows`] : []),
    ],
    summary: driftSummary(drift, entries, pending.length),
  }
}

/** What a change says about the platform; nothing if the change is only not applied yet. */
function entriesIn(change: ChangeDocument): readonly DriftEntry[] {
  const { kind, address, reason, source } = change
  const what = doneTo(change)
  const fields = what === 'update' ? change.fields.filter((field) => !isPending(field)) : []
  const happened = what === 'update' ? happenedIn(fields) : happenedTo(what, change.side)
  if (!happened) return []
  const remarks = [
    ...(what === 'update' && reason !== undefined ? [reason] : []),
    ...(change.lapsed ?? []).map(lapsedText),
    ...editWords(change),
  ]
  return [{ kind, address, happened, words: happenedWords[happened], remarks: remarks.map(printable), fields, source }]
}

/** If an object must be replaced, then fields have changed that an update cannot change back. */
function doneTo({ action, wants = 'update' }: ChangeDocument): 'create' | 'update' | 'delete' {
  const done = action === 'blocked' ? wants : action
  return done === 'replace' ? 'update' : done
}

function happenedTo(what: 'create' | 'delete', side: ChangeDocument['side']): Happened | undefined {
  if (side === 'manifest') return undefined
  if (side === 'unknown') return what === 'create' ? 'missing' : 'extra'
  return what === 'create' ? 'deleted' : 'created'
}

function happenedIn(fields: readonly FieldDocument[]): Happened | undefined {
  const has = (verdict: FieldDocument['verdict']) => fields.some((field) => field.verdict === verdict)
  if (has('conflict')) return 'conflict'
  if (has('drift')) return 'changed'
  return fields.length > 0 ? 'differs' : undefined
}

const isPending = ({ verdict }: FieldDocument): boolean => verdict === 'pending'

/** Children that are missing in the written list of their parent. */
function extrasIn({ unmanaged, accepted, base }: PlanDocument): readonly DriftEntry[] {
  const known = new Set(accepted.flatMap(({ address, object }) => (object === 'created' ? [address] : [])))
  const added = base === null ? 'extra' : 'created'
  return unmanaged.flatMap(({ address, inList, applied, lapsed = [] }): readonly DriftEntry[] => {
    if (!inList || known.has(address)) return []
    const happened = applied ? 'remaining' : added
    const remarks = ['the written list of its parent lacks it', ...lapsed.map(lapsedText)].map(printable)
    // The second last part of the address is the kind, because such a child has a name: single children are in no list.
    const kind = address.split('/').at(-2) ?? address
    return [{ kind, address, happened, words: happenedWords[happened], remarks, fields: [] }]
  })
}

/**
 * The unmanaged objects that have not drifted. Objects that are missing in a written list have drifted, unless they are accepted.
 */
export const unmanagedBeside = ({ unmanaged }: PlanDocument): PlanDocument['unmanaged'] =>
  unmanaged.filter(({ inList }) => !inList)

interface Pending {
  readonly address: string
  readonly words: string
  /** Whether the change includes all objects inside the object. */
  readonly whole: boolean
}

/** The parts of a change that are only not applied yet: `update Role/Partners (description)`. */
function pendingIn(change: ChangeDocument): readonly Pending[] {
  const { address } = change
  const what = doneTo(change)
  const named = (words: string) => [{ address, words: printable(words), whole: what !== 'update' }]
  if (what !== 'update') return change.side === 'manifest' ? named(`${what} ${address}`) : []
  const paths = change.fields.filter(isPending).map(({ path }) => memberText(path))
  if (paths.length > 0) return named(`update ${address} (${paths.join(', ')})`)
  return change.fields.length === 0 ? named(`update ${address}`) : []
}

const isWhole = ({ happened }: DriftEntry): boolean =>
  ['deleted', 'created', 'remaining', 'missing', 'extra'].includes(happened)

/** The entries sorted by address. Objects inside an object that is reported as a whole are only counted. */
function withoutContents<Entry extends { readonly address: string }>(
  entries: readonly Entry[],
  isWhole: (entry: Entry) => boolean,
  withInside: (entry: Entry, inside: number) => Entry,
): readonly Entry[] {
  const kept: { entry: Entry; inside: number }[] = []
  // In this order, an object is followed by the objects inside it, so only the last whole object can contain the next one.
  let holder: (typeof kept)[number] | undefined
  for (const entry of [...entries].sort(by(({ address }) => `${address}/`))) {
    if (holder && isWhole(entry) && entry.address.startsWith(`${holder.entry.address}/`)) {
      holder.inside += 1
      continue
    }
    const each = { entry, inside: 0 }
    kept.push(each)
    if (isWhole(entry)) holder = each
  }
  return kept.map(({ entry, inside }) => withInside(entry, inside))
}

const asItIs = <Entry>(entry: Entry): Entry => entry

const withInside = (entry: DriftEntry, inside: number): DriftEntry =>
  inside === 0 ? entry : { ...entry, words: `${entry.words}, with ${counted(inside, 'object')} in it` }

function driftSummary(drift: PlanDocument, entries: readonly DriftEntry[], pending: number): string {
  const { summary, base, accepted } = drift
  const errors = driftErrors(drift).length
  const count = (...all: readonly Happened[]) => entries.filter(({ happened }) => all.includes(happened)).length
  const some = (number: number, words: string) => (number === 0 ? [] : [`${number} ${words}`])
  const there = [
    ...some(count('deleted'), 'deleted'),
    ...some(count('created'), 'created'),
    ...some(count('changed'), 'changed'),
  ].join(', ')
  const unknown = count('differs', 'missing', 'extra')
  const found = [
    ...(there === '' ? [] : [`${there} on the platform`]),
    ...some(count('conflict'), `conflict${count('conflict') === 1 ? '' : 's'}`),
    ...some(count('remaining'), 'removed from git only'),
    ...some(unknown, base === null ? `difference${unknown === 1 ? '' : 's'}` : 'unclear'),
  ]
  const rest = [
    ...some(errors, `error${errors === 1 ? '' : 's'}`),
    ...some(accepted.length, 'accepted'),
    ...some(pending, 'not applied yet'),
    ...some(summary.unchanged, 'in sync'),
    ...some(unmanagedBeside(drift).length, 'unmanaged'),
  ]
  return [found.length === 0 ? 'none' : found.join(', '), rest.join(', ')].filter(Boolean).join('; ')
}

/** A field that has drifted: on one line, or as the changed lines of a text. */
export type DriftedField =
  | { readonly is: 'line'; readonly name: string; readonly words: string }
  | { readonly is: 'diffs'; readonly name: string; readonly diffs: readonly FieldDiff[] }

interface FieldDiff {
  /** Such as `git → live`. */
  readonly from: string
  readonly lines: Extract<FieldView, { readonly is: 'diff' }>['lines']
}

export function driftedField(field: FieldDocument): DriftedField {
  const name = memberText(field.path)
  const { before: live, after: git, applied } = field
  const between = (
    from: string,
    before: FieldDocument['before'],
    after: FieldDocument['after'],
  ): readonly FieldDiff[] => {
    const view = fieldView({ ...field, ...(before !== undefined && { before }), ...(after !== undefined && { after }) })
    return view.is === 'diff' ? [{ from, lines: view.lines }] : []
  }
  const diffs =
    applied === undefined
      ? between('git → live', git, live)
      : [...between('applied → live', applied, live), ...between('applied → git', applied, git)]
  // Either all values are shown as diffs or none: if one of them fits on a line, all are on the line.
  if (diffs.length === (applied === undefined ? 1 : 2)) return { is: 'diffs', name, diffs }
  return { is: 'line', name, words: `${fieldWords(field)}${layerWords(field)}` }
}

/** The layer of the value in git: a user who wants to take the live value must change the layer, not the manifest. */
const layerWords = ({ origin, source }: FieldDocument): string => (source ? ` (git: ${origin})` : '')

function fieldWords(field: FieldDocument): string {
  const { git, live, applied } = sidesOf(field)
  switch (field.verdict) {
    case 'pending':
    case 'drift':
      return `git ${git} → live ${live}`
    case 'conflict':
      return [...(applied === undefined ? [] : [`applied ${applied}`]), `live ${live}`, `git ${git}`].join(', ')
    case 'difference':
      return `git ${git}, live ${live}`
    case 'unverifiable':
      return `git ${git}, live ${live}: it is unknown whether this was applied`
  }
}
