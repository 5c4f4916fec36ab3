import type { ChangeDocument, PlanDocument } from '../documents/plan.js'
import { groupBy } from '../json/groups.js'
import { by } from '../json/order.js'
import { printable } from '../json/printable.js'
import { acceptedRows, type DecidedRow, lapsedText } from './accepted-words.js'
import type { Colours } from './colours.js'
import type { Line } from './line-diff.js'
import {
  displayedFields,
  estimateText,
  groupsOf,
  innerAddress,
  type ObjectGroup,
  planSummary,
  proofText,
  remarksOf,
  supportNotes,
  verdictText,
} from './plan-words.js'
import { policiesText, waivedRows } from './policy-words.js'
import { diagnosticText, type Report } from './problems.js'
import { alignedLines, alignedRows, padded, type TextForm, wrappedText } from './table.js'
import { headingText, planFacts } from './target.js'
import { type FieldToShow, fieldView, memberText } from './value-text.js'

interface PlanTextForm extends TextForm {
  /** `all`: all fields of created objects, however many there are, and the addresses of all unmanaged objects. */
  readonly detail?: 'all' | 'some'
}

/** If there are more creates, only their addresses are shown, so that deletions and updates among them stay visible. */
const mostCreates = 200

/**
 * A plan as terminal text: the target, the reasons for a refusal, the changes grouped by root object, and the counts. The
 * diagnostics are not included.
 */
export function planText(plan: PlanDocument, form: PlanTextForm): Report {
  const blocks = [
    [
      form.colours.bold(printable(headingText(plan))),
      ...planFacts(plan).map(([name, text]) => printable(`${name}: ${text}`)),
    ].join('\n'),
    ...refusedText(plan, form),
    ...groupTexts(plan, form),
    ...unmanagedText(plan, form),
    ...acceptedText(plan, form),
    ...waivedText(plan, form),
    [headline(plan, form.colours), ...footnotes(plan, form)].join('\n'),
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

function refusedText({ refused }: PlanDocument, form: PlanTextForm): readonly string[] {
  if (refused.length === 0) return []
  const title = form.colours.bold('Apply would refuse this plan:')
  return [title, ...refused.map((each) => diagnosticText(each, form))]
}

const isCalm = ({ summary }: PlanDocument, { detail }: PlanTextForm): boolean =>
  detail !== 'all' && summary.create > mostCreates

/**
 * One block for each root object. If there are so many that fields are not shown, blocks of one line follow each other without
 * empty lines.
 */
function groupTexts(plan: PlanDocument, form: PlanTextForm): readonly string[] {
  const isShort = isCalm(plan, form)
  const texts = groupsOf(plan).map((group) =>
    groupText(group, form, (change) => ({
      mark: marks[change.action],
      beside: [placeText(change.source)],
      paint: paintOf(change, form.colours),
      below: (indent) => (isShort && change.action === 'create' ? [] : details(change, indent, form)),
    })),
  )
  if (!isShort) return texts
  const blocks: string[][] = []
  const isLine = (text: string | undefined) => text !== undefined && !text.includes('\n')
  for (const text of texts) {
    const last = blocks.at(-1)
    if (last && isLine(last[0]) && isLine(text)) last.push(text)
    else blocks.push([text])
  }
  return blocks.map((lines) => lines.join('\n'))
}

/** The layout of an entry: the mark before its address, the cells beside it, and the lines below it. */
interface EntryLayout {
  readonly mark: string
  readonly beside: readonly string[]
  readonly paint: (text: string) => string
  readonly below: (indent: string) => readonly string[]
}

/** The entries of a root object and of the objects inside it, one below the other. */
export function groupText<Entry extends { readonly address: string }>(
  { root, entries }: ObjectGroup<Entry>,
  { colours, columns }: TextForm,
  layoutOf: (entry: Entry) => EntryLayout,
): string {
  const title = entries[0]?.address === root ? [] : [`  ${colours.bold(printable(root))}`]
  const heads = entries.map((entry) => ({ entry, indent: entry.address === root ? '' : '  ', ...layoutOf(entry) }))
  const placed = alignedRows(
    heads.map(({ entry, indent, mark, beside }) => [
      `${indent}${mark} ${innerAddress(root, entry.address)}`,
      ...beside,
    ]),
    { columns },
  )
  const lines = heads.flatMap(({ indent, paint, below }, index) => [
    ...(placed[index] ?? []).map((line, at) => paint(at === 0 ? line : indent + line)),
    ...below(`${indent}    `),
  ])
  return [...title, ...lines].join('\n')
}

const marks = { create: '+', update: '~', replace: '±', delete: '-', blocked: '!' } as const

function paintOf(change: ChangeDocument, colours: Colours): (text: string) => string {
  switch (change.action) {
    case 'create':
      return colours.green
    case 'update':
      return colours.yellow
    case 'replace':
    case 'blocked':
      return colours.magenta
    case 'delete':
      return colours.red
  }
}

/** The position of an object in a manifest; empty if no manifest declares it. */
export const placeText = (source: ChangeDocument['source'] | undefined): string =>
  source ? `${source.file}:${source.line}` : ''

function details(change: ChangeDocument, indent: string, { colours, columns }: PlanTextForm): readonly string[] {
  const blocked = change.action === 'blocked' ? [`blocked: cannot ${change.wants ?? 'change'}`] : []
  const remarks = [...blocked, ...remarksOf(change)].flatMap((text) =>
    wrappedText(text, { columns, margin: indent.length }).map(colours.dim),
  )
  return [...remarks, ...fieldLines(displayedFields(change), { indent }, colours)]
}

interface FieldLayout {
  readonly indent: string
  /** The text for a side without the field. By default, it is nothing before the change, and `(removed)` after it. */
  readonly absent?: string
}

/** The fields with their values: before and after the change if both are known. */
export function fieldLines(
  fields: readonly FieldToShow[],
  { indent, absent }: FieldLayout,
  colours: Colours,
): readonly string[] {
  const [longest = 0] = fields.map(({ path }) => memberText(path).length).sort((left, right) => right - left)
  const width = Math.min(longest, 44)
  return fields.flatMap((field) => fieldText(field, { width, absent }, colours).map((line) => indent + line))
}

function fieldText(
  field: FieldToShow,
  { width, absent }: { readonly width: number; readonly absent: string | undefined },
  colours: Colours,
): readonly string[] {
  const view = fieldView(field)
  const verdict = verdictText(field)
  const name = padded(memberText(field.path), width)
  if (view.is === 'diff') return [`${memberText(field.path)}:${verdict}`, ...diffLines(view.lines, colours)]
  const before = view.before ?? absent
  if (before === undefined) return [`${name}  ${view.after ?? ''}${verdict}`]
  return [`${name}  ${before} ${colours.dim('→')} ${view.after ?? absent ?? '(removed)'}${verdict}`]
}

/** The changed lines of a text. */
export function diffLines(lines: readonly Line[], colours: Colours): readonly string[] {
  const paints = { '+': colours.green, '-': colours.red, ' ': colours.dim }
  return lines.map(({ mark, text }) => paints[mark](`  ${mark} ${text}`.trimEnd()))
}

function unmanagedText(plan: PlanDocument, form: PlanTextForm): readonly string[] {
  const accepted = new Set(plan.accepted.map(({ address }) => address))
  const others = plan.unmanaged.filter(({ address }) => !accepted.has(address))
  const listed = form.detail === 'all' ? others : others.filter((each) => each.inList)
  if (listed.length === 0) return []
  const lines = listed.map(({ address, id, inList, lapsed }) => [
    `  ${printable(address)}`,
    id,
    [inList ? 'not in the written list of its parent' : '', ...(lapsed ?? []).map(lapsedText)]
      .filter(Boolean)
      .join('; '),
  ])
  return [['Unmanaged, left alone:', ...alignedLines(lines, form)].join('\n')]
}

/** The accepted drift, with its reasons and end dates. */
export function acceptedText(plan: PlanDocument, form: TextForm): readonly string[] {
  // The acceptance that ends first comes first.
  const rows = [...acceptedRows(plan)].sort(by(({ decision }) => decision))
  return decisionsText('Accepted drift, left alone:', rows, form)
}

/** The waived findings of policies, with their reasons and end dates. */
const waivedText = (plan: PlanDocument, form: TextForm): readonly string[] =>
  decisionsText('Waived:', waivedRows(plan), form)

function decisionsText(title: string, rows: readonly DecidedRow[], form: TextForm): readonly string[] {
  if (rows.length === 0) return []
  const lines = [...groupBy(rows, ({ decision }) => decision)].flatMap(([decision, own]) => [
    ...wrappedText(printable(decision), { ...form, margin: 2 }).map(form.colours.dim),
    ...own.flatMap(({ address, what }) => wrappedText(printable(`${address}  ${what}`), { ...form, margin: 4 })),
  ])
  return [[title, ...lines].join('\n')]
}

function headline(plan: PlanDocument, colours: Colours): string {
  return `${colours.bold('Plan:')} ${planSummary(plan)}.`
}

function footnotes(plan: PlanDocument, form: PlanTextForm): readonly string[] {
  const { colours } = form
  const estimate = estimateText(plan)
  return [
    ...(isCalm(plan, form)
      ? [colours.dim('The fields of new objects are not shown, because there are too many: --verbose shows them.')]
      : []),
    ...(plan.proof ? [(plan.proof.holds ? colours.green : colours.red)(proofText(plan.proof))] : []),
    ...supportNotes(plan)
      .flatMap((note) => wrappedText(note, form))
      .map(colours.dim),
    ...(plan.policies ? [`Policies: ${policiesText(plan.policies)}`] : []),
    ...(estimate === '' ? [] : [`Apply takes ${estimate}.`]),
  ]
}
