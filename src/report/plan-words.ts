import type { ChangeDocument, FieldDocument, PlanDocument, ProofDocument } from '../documents/plan.js'
import { groupBy } from '../json/groups.js'
import { by } from '../json/order.js'
import { printable } from '../json/printable.js'
import type { Support } from '../planner/plan.js'
import { counted } from '../problems/suggest.js'
import { lapsedText, shortened } from './accepted-words.js'
import { type FieldToShow, valueText } from './value-text.js'

/** The entries for one root object and the objects inside it. All formats of a plan use them. */
export interface ObjectGroup<Entry> {
  /** The address of the root object. */
  readonly root: string
  readonly entries: readonly Entry[]
}

/** Entries grouped by root object, in the order of the root objects' addresses. */
export const byRoot = <Entry extends { readonly address: string }>(
  entries: readonly Entry[],
): readonly ObjectGroup<Entry>[] =>
  [...groupBy(entries, ({ address }) => rootAddress(address))]
    .map(([root, own]) => ({ root, entries: own }))
    .sort(by(({ root }) => root))

/** Changes grouped by root object. The groups and their changes are sorted by address. */
export const groupsOf = ({ changes }: PlanDocument): readonly ObjectGroup<ChangeDocument>[] =>
  byRoot([...changes].sort(by(({ address }) => address)))

/** The part of an address after that of its root object, for people. */
export const innerAddress = (root: string, address: string): string =>
  printable(address === root ? root : address.slice(root.length + 1))

/** The actions of a plan, in the order of the counts. */
export const planActions = ['create', 'update', 'replace', 'delete', 'blocked'] as const

/** Such as `2 to create, 1 to update; 40 unchanged, 3 unmanaged`. */
export function planSummary({ summary }: PlanDocument): string {
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

/** Such as `about 12 requests, 6 seconds`; empty if nothing will be sent. */
export function estimateText({ estimate, summary }: PlanDocument): string {
  const changes = summary.create + summary.update + summary.replace + summary.delete
  if (changes === 0) return ''
  return `about ${counted(estimate.requests, 'request')}, ${counted(estimate.seconds, 'second')}`
}

/** What the interface document says about the operations of the changes. Each note is given once. */
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

/** The result of `--prove`. */
export function proofText({ writes, cutPoints, of, requests, holds, failures }: ProofDocument): string {
  const cost = `${counted(writes, 'write')}, interrupted at ${cutPoints} of ${of} points and resumed; reading the area took ${counted(requests, 'request')}`
  const rest = failures.length > 10 ? `; and ${failures.length - 10} more` : ''
  if (!holds) return printable(`Not proved: ${failures.slice(0, 10).join('; ')}${rest} (${cost}).`)
  const claims = 'it ends in the desired state, a second plan is empty, nothing else is touched'
  return `Proved on the embedded platform: ${claims} (${cost}).`
}

/** The verdict after a field; empty for the verdicts that are usual in a plan. */
export function verdictText({ verdict = 'pending', applied, sensitive, origin, source }: FieldToShow): string {
  // The layer is named because a user must change the layer, not the manifest.
  const layer = source && (verdict === 'conflict' || verdict === 'drift') ? `, set by ${origin}` : ''
  if (verdict === 'conflict' && applied !== undefined && !sensitive) {
    return `  (conflict: ${shortened(valueText(applied))} was applied${layer})`
  }
  return verdict === 'pending' || verdict === 'difference' ? '' : `  (${verdict}${layer})`
}

/** The fields to show. The name of a created object is left out: its address contains it. */
export function displayedFields(change: ChangeDocument): readonly FieldDocument[] {
  if (change.action !== 'create') return change.fields
  const [, name] = /(?:^|\/)([^/]*)$/.exec(change.address) ?? []
  const isNaming = ({ after }: FieldDocument) =>
    typeof after === 'string' && after.replaceAll('%', '%25').replaceAll('/', '%2F') === name
  const naming = change.fields.find(isNaming)
  const displayed = change.fields.filter((field) => field !== naming)
  // One remark above the fields says that the whole object has drifted.
  return isMadeAgain(change) ? displayed.map((field) => ({ ...field, verdict: 'pending' })) : displayed
}

/** Whether an object must be created because somebody deleted it on the platform. */
const isMadeAgain = ({ action, fields }: ChangeDocument): boolean =>
  action === 'create' && fields.length > 0 && fields.every(({ verdict }) => verdict === 'drift')

/** The remarks below a change: its reasons and its hazards. */
export function remarksOf(change: ChangeDocument): readonly string[] {
  return [
    ...(isMadeAgain(change) ? ['deleted on the platform: created again'] : []),
    ...(change.reason === undefined ? [] : [change.reason]),
    ...(change.hazards.length > 0 ? [`hazards: ${change.hazards.join(', ')}`] : []),
    ...(change.lapsed ?? []).map(lapsedText),
  ].map(printable)
}

/** Who edited the live object last, and when, if the platform says so. */
export function editWords({ editor, updated, revision }: ChangeDocument): readonly string[] {
  const edited = [
    editor && `by ${editor}`,
    updated && `at ${updated}`,
    revision !== undefined && `as revision ${revision}`,
  ].filter(Boolean)
  return edited.length > 0 ? [`last edited ${edited.join(' ')}`] : []
}

/** The first pair of kind and name. Names in addresses contain no "/". */
export const rootAddress = (address: string): string => address.split('/').slice(0, 2).join('/')
