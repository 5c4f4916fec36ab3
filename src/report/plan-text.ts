import type { ChangeDocument, PlanDocument } from '../documents/plan.js'
import { groupBy } from '../json/groups.js'
import { printable } from '../json/printable.js'
import { acceptedGroups, lapsedText } from './accepted-words.js'
import type { Colours } from './colours.js'
import {
  type ChangeGroup,
  estimateText,
  groupsOf,
  innerAddress,
  proofText,
  remarksOf,
  shownFields,
  summaryText,
  supportNotes,
  verdictText,
} from './plan-words.js'
import { policiesText, waivedRows } from './policy-words.js'
import { diagnosticText, type Report } from './problems.js'
import { alignedLines, alignedRows, padded, type TextForm, wrappedText } from './table.js'
import { headingText, planFacts } from './target.js'
import { type FieldToShow, fieldView, memberText } from './value-text.js'

interface Options extends TextForm {
  /** `all`: every field of what is created, however much that is, and every unmanaged object by its address. */
  readonly detail?: 'all' | 'some'
}

/** Of more creates than that only the addresses are shown: what goes or changes must be seen among them. */
const mostCreates = 200

/**
 * A plan for people: what it is about, why apply would refuse it, what changes, grouped by root object, and what
 * it comes to. Its diagnostics are not in it.
 */
export function planText(plan: PlanDocument, options: Options): Report {
  const blocks = [
    [
      options.colours.bold(printable(headingText(plan))),
      ...planFacts(plan).map(([name, text]) => printable(`${name}: ${text}`)),
    ].join('\n'),
    ...refusedText(plan, options),
    ...groupTexts(plan, options),
    ...unmanagedText(plan, options),
    ...acceptedText(plan, options),
    ...waivedText(plan, options),
    [headline(plan, options.colours), ...footnotes(plan, options)].join('\n'),
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

function refusedText({ refused }: PlanDocument, options: Options): readonly string[] {
  if (refused.length === 0) return []
  const title = options.colours.bold('Apply would refuse this plan:')
  return [title, ...refused.map((each) => diagnosticText(each, options))]
}

const isCalm = ({ summary }: PlanDocument, { detail }: Options): boolean =>
  detail !== 'all' && summary.create > mostCreates

/** A block for each object at the root; of so many that fields are not shown, those of one line stand below each other. */
function groupTexts(plan: PlanDocument, options: Options): readonly string[] {
  const form = { ...options, isCalm: isCalm(plan, options) }
  const texts = groupsOf(plan).map((group) => groupText(group, form))
  if (!form.isCalm) return texts
  const blocks: string[][] = []
  const isLine = (text: string | undefined) => text !== undefined && !text.includes('\n')
  for (const text of texts) {
    const last = blocks.at(-1)
    if (last && isLine(last[0]) && isLine(text)) last.push(text)
    else blocks.push([text])
  }
  return blocks.map((lines) => lines.join('\n'))
}

interface GroupForm extends Options {
  readonly isCalm: boolean
}

function groupText(group: ChangeGroup, { colours, columns, isCalm }: GroupForm): string {
  const [first] = group.changes
  const title = first?.address === group.root ? [] : [`  ${colours.bold(printable(group.root))}`]
  const heads = group.changes.map((change) => ({ change, indent: change.address === group.root ? '' : '  ' }))
  const placed = alignedRows(
    heads.map(({ change, indent }) => [
      `${indent}${markOf(change)} ${innerAddress(group.root, change.address)}`,
      placeText(change),
    ]),
    { columns },
  )
  const lines = heads.flatMap(({ change, indent }, index) => [
    ...headLines(placed[index] ?? [], indent).map(paintOf(change, colours)),
    ...(isCalm && change.action === 'create' ? [] : details(change, `${indent}    `, { colours, columns })),
  ])
  return [...title, ...lines].join('\n')
}

/** What stands below the address of an entry stands as deep as its fields. */
export const headLines = (lines: readonly string[], indent: string): readonly string[] =>
  lines.map((line, index) => (index === 0 ? line : indent + line))

const marks = { create: '+', update: '~', replace: '±', delete: '-', blocked: '!' } as const

const markOf = (change: ChangeDocument): string => marks[change.action]

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

const placeText = ({ source }: ChangeDocument): string => (source ? `${source.file}:${source.line}` : '')

function details(change: ChangeDocument, indent: string, { colours, columns }: Options): readonly string[] {
  const blocked = change.action === 'blocked' ? [`blocked: cannot ${change.wants ?? 'change'}`] : []
  const remarks = [...blocked, ...remarksOf(change)].flatMap((text) =>
    wrappedText(text, { columns, margin: indent.length }).map(colours.dim),
  )
  return [...remarks, ...fieldLines(shownFields(change), { indent }, colours)]
}

interface FieldLayout {
  readonly indent: string
  /** What stands for a side that does not have the field; a plan says nothing before, and `(removed)` after. */
  readonly absent?: string
}

/** Fields with their values, before and after where both are known. */
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
  if (view.is === 'diff') {
    const paints = { '+': colours.green, '-': colours.red, ' ': colours.dim }
    return [
      `${memberText(field.path)}:${verdict}`,
      ...view.lines.map(({ mark, text }) => paints[mark](`  ${mark} ${text}`.trimEnd())),
    ]
  }
  const before = view.before ?? absent
  if (before === undefined) return [`${name}  ${view.after ?? ''}${verdict}`]
  return [`${name}  ${before} ${colours.dim('→')} ${view.after ?? absent ?? '(removed)'}${verdict}`]
}

function unmanagedText(plan: PlanDocument, options: Options): readonly string[] {
  const accepted = new Set(plan.accepted.map(({ address }) => address))
  const others = plan.unmanaged.filter(({ address }) => !accepted.has(address))
  const listed = options.detail === 'all' ? others : others.filter((each) => each.inList)
  if (listed.length === 0) return []
  const lines = listed.map(({ address, id, inList, lapsed }) => [
    `  ${printable(address)}`,
    id,
    [inList ? 'not in the written list of its parent' : '', ...(lapsed ?? []).map(lapsedText)]
      .filter(Boolean)
      .join('; '),
  ])
  return [['Unmanaged, left alone:', ...alignedLines(lines, options)].join('\n')]
}

/** What somebody accepted, why, and until when. */
export function acceptedText(plan: PlanDocument, form: TextForm): readonly string[] {
  if (plan.accepted.length === 0) return []
  const lines = acceptedGroups(plan.accepted).flatMap(([decision, rows]) => [
    ...decisionLines(decision, form),
    ...rows.flatMap(({ address, what }) => wrappedText(`${address}  ${what}`, { ...form, margin: 4 })),
  ])
  return [['Accepted drift, left alone:', ...lines].join('\n')]
}

/** What policies say of it and somebody lets be, why, and until when. */
function waivedText(plan: PlanDocument, form: TextForm): readonly string[] {
  const rows = waivedRows(plan)
  if (rows.length === 0) return []
  const lines = [...groupBy(rows, ({ decision }) => decision)].flatMap(([decision, waived]) => [
    ...decisionLines(printable(decision), form),
    ...waived.flatMap(({ address, what }) => wrappedText(printable(`${address}  ${what}`), { ...form, margin: 4 })),
  ])
  return [['Waived:', ...lines].join('\n')]
}

const decisionLines = (decision: string, form: TextForm): readonly string[] =>
  wrappedText(decision, { ...form, margin: 2 }).map(form.colours.dim)

function headline(plan: PlanDocument, colours: Colours): string {
  return `${colours.bold('Plan:')} ${summaryText(plan)}.`
}

function footnotes(plan: PlanDocument, options: Options): readonly string[] {
  const { colours } = options
  const estimate = estimateText(plan)
  return [
    ...(isCalm(plan, options)
      ? [colours.dim('The fields of new objects are not shown, because there are too many: --verbose shows them.')]
      : []),
    ...(plan.proof ? [(plan.proof.holds ? colours.green : colours.red)(proofText(plan.proof))] : []),
    ...supportNotes(plan)
      .flatMap((note) => wrappedText(note, options))
      .map(colours.dim),
    ...(plan.policies ? [`Policies: ${policiesText(plan.policies)}`] : []),
    ...(estimate === '' ? [] : [`Apply takes ${estimate}.`]),
  ]
}
