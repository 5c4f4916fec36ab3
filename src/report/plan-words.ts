import type { ChangeDocument, FieldDocument, PlanDocument, ProofDocument } from '../documents/plan.js'
import { groupBy } from '../json/groups.js'
import { by } from '../json/order.js'
import { printable } from '../json/printable.js'
import type { Support } from '../planner/plan.js'
import { counted } from '../problems/suggest.js'
import { lapsedText, shortened } from './accepted-words.js'
import { type FieldToShow, valueText } from './value-text.js'

/** What a plan says in every form. */

/** What is told of one root object, and of those in it. */
export interface ObjectGroup<Entry> {
  /** The root object's address. */
  readonly root: string
  readonly entries: readonly Entry[]
}

/** Entries by root object, in the order of the addresses of these. */
export const byRoot = <Entry extends { readonly address: string }>(
  entries: readonly Entry[],
): readonly ObjectGroup<Entry>[] =>
  [...groupBy(entries, ({ address }) => rootOf(address))]
    .map(([root, own]) => ({ root, entries: own }))
    .sort(by(({ root }) => root))

/** Changes by root object; groups and the changes in them are in the order of their addresses. */
export const groupsOf = ({ changes }: PlanDocument): readonly ObjectGroup<ChangeDocument>[] =>
  byRoot([...changes].sort(by(({ address }) => address)))

/** An address below that of its root object, for people. */
export const innerAddress = (root: string, address: string): string =>
  printable(address === root ? root : address.slice(root.length + 1))

/** What a plan may do, in the order in which it is counted. */
export const planActions = ['create', 'update', 'replace', 'delete', 'blocked'] as const

/** `2 to create, 1 to update; 40 unchanged, 3 unmanaged`. */
export function summaryText({ summary }: PlanDocument): string {
  const changed = planActions
    .filter((action) => summary[action] > 0)
    .map((action) => (action === 'blocked' ? `${summary[action]} blocked` : `${summary[action]} to ${action}`))
  const rest = [
    ...(summary.unchanged > 0 ? [`${summary.unchanged} unchanged`] : []),
    ...(summary.accepted > 0 ? [`${summary.accepted} accepted, kept`] : []),
    ...(summary.unmanaged > 0 ? [`${summary.unmanaged} unmanaged`] : []),
  ]
  return [changed.length === 0 ? 'nothing to do' : changed.join(', '), rest.join(', ')].filter(Boolean).join('; ')
}

/** `about 12 requests, 6 seconds`; empty where nothing is to be sent. */
export function estimateText({ estimate, summary }: PlanDocument): string {
  const changes = summary.create + summary.update + summary.replace + summary.delete
  if (changes === 0) return ''
  return `about ${counted(estimate.requests, 'request')}, ${counted(estimate.seconds, 'second')}`
}

/** What the interface document says of the operations that changes use: once, however many there are. */
export function supportNotes({ changes }: PlanDocument): readonly string[] {
  const using = (is: Support['is']) => changes.filter(({ support }) => support?.is === is)
  const textsOf = (found: readonly ChangeDocument[]) =>
    [...new Set(found.map(({ support }) => support?.text ?? ''))].sort()
  const conventional = using('conventional')
  const operations = textsOf(conventional).join(', ')
  return [
    ...(conventional.length === 0
      ? []
      : [
          `Conventional, since the interface document does not show it (${counted(conventional.length, 'change')}): ${operations}`,
        ]),
    ...textsOf(using('caveat')).map((text) => {
      const kinds = using('caveat').filter(({ support }) => support?.text === text)
      return `${[...new Set(kinds.map(({ kind }) => kind))].sort().join(', ')} (${counted(kinds.length, 'change')}): ${text}`
    }),
  ].map(printable)
}

/** What came of rehearsing a plan. */
export function proofText({ writes, cutPoints, of, requests, holds, failures }: ProofDocument): string {
  const cost = `${counted(writes, 'write')}, cut off at ${cutPoints} of ${of} points and resumed; reading the area took ${counted(requests, 'request')}`
  const rest = failures.length > 10 ? `; and ${failures.length - 10} more` : ''
  if (!holds) return printable(`Not proved: ${failures.slice(0, 10).join('; ')}${rest} (${cost}).`)
  const claims = 'it ends in the desired state, a second plan is empty, nothing else is touched'
  return `Proved on the embedded platform: ${claims} (${cost}).`
}

/** A verdict behind a field; what goes without saying in a plan is left out. */
export function verdictText({ verdict = 'pending', applied, sensitive, origin, source }: FieldToShow): string {
  // Who has to change it, or to be asked, looks for it in the layer and not in the manifest.
  const layer = source && (verdict === 'conflict' || verdict === 'drift') ? `, set by ${origin}` : ''
  if (verdict === 'conflict' && applied !== undefined && !sensitive) {
    return `  (conflict: ${shortened(valueText(applied))} was applied${layer})`
  }
  return verdict === 'pending' || verdict === 'difference' ? '' : `  (${verdict}${layer})`
}

/** The fields worth showing: the name of what is created stands in its address already. */
export function shownFields(change: ChangeDocument): readonly FieldDocument[] {
  if (change.action !== 'create') return change.fields
  const [, name] = /(?:^|\/)([^/]*)$/.exec(change.address) ?? []
  const isNaming = ({ after }: FieldDocument) =>
    typeof after === 'string' && after.replaceAll('%', '%25').replaceAll('/', '%2F') === name
  const naming = change.fields.find(isNaming)
  const shown = change.fields.filter((field) => field !== naming)
  // That the whole object has drifted is said once, above them.
  return isMadeAgain(change) ? shown.map((field) => ({ ...field, verdict: 'pending' })) : shown
}

/** Whether somebody deleted on the platform what is to be created. */
const isMadeAgain = ({ action, fields }: ChangeDocument): boolean =>
  action === 'create' && fields.length > 0 && fields.every(({ verdict }) => verdict === 'drift')

/** Remarks that belong below a change: why, and what may happen. */
export function remarksOf(change: ChangeDocument): readonly string[] {
  return [
    ...(isMadeAgain(change) ? ['deleted on the platform: created again'] : []),
    ...(change.reason === undefined ? [] : [change.reason]),
    ...(change.hazards.length > 0 ? [`hazards: ${change.hazards.join(', ')}`] : []),
    ...(change.lapsed ?? []).map(lapsedText),
  ].map(printable)
}

/** Who edited the live object last, and when, as far as the platform tells. */
export function editText({ editor, updated, revision }: ChangeDocument): readonly string[] {
  const edited = [
    editor && `by ${editor}`,
    updated && `at ${updated}`,
    revision !== undefined && `as revision ${revision}`,
  ].filter(Boolean)
  return edited.length > 0 ? [`last edited ${edited.join(' ')}`] : []
}

/** The first pair of kind and name; names hold no "/" in addresses. */
export const rootOf = (address: string): string => address.split('/').slice(0, 2).join('/')
