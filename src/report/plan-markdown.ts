import type { Diagnostic } from '../documents/diagnostics.js'
import type { ChangeDocument, FieldDocument, PlanDocument } from '../documents/plan.js'
import { counted } from '../problems/suggest.js'
import { acceptedRows, type DecidedRow } from './accepted-words.js'
import {
  type Block,
  clipped,
  commentBudget,
  type MarkdownLimit,
  type Part,
  type Section,
  withinBudget,
} from './budget.js'
import { code, escaped, escapedHtml, withDiff, withRemarks } from './markdown.js'
import {
  displayedFields,
  estimateText,
  groupsOf,
  type ObjectGroup,
  planSummary,
  proofText,
  remarksOf,
  supportNotes,
  verdictText,
} from './plan-words.js'
import { policiesText, waivedRows } from './policy-words.js'
import { diagnosticPart, type Report } from './problems.js'
import { headingText, planFacts } from './target.js'
import { type FieldToShow, fieldView, memberText } from './value-text.js'

/** The ranks of parts, the most important first. Parts with a higher rank come later and are left out first. */
const ranks = {
  ...{ refusal: 0, rename: 1, hazard: 2, delete: 3, replace: 4, blocked: 5, conflict: 5, warning: 6 },
  ...{ drift: 7, update: 8, accepted: 9, create: 10, note: 11, unmanaged: 12 },
}

/**
 * A plan for a comment on a pull request: refusals and counts are visible, the changes of each root object are collapsed. It has
 * at most `budget` characters; left out parts are counted.
 */
export function planMarkdown(plan: PlanDocument, { budget = commentBudget }: MarkdownLimit = {}): Report {
  const estimate = estimateText(plan)
  const policies = plan.policies ? `<br>Policies: ${policiesText(plan.policies)}` : ''
  const blocks: readonly Block[] = [
    `### ${clipped(headingText(plan), 400, code)}`,
    ...planFacts(plan).map(([name, text]) => clipped(`${name}: ${text}`, 200, escaped)),
    refusedSection(plan),
    `**${planSummary(plan)}**${estimate === '' ? '' : ` (${estimate})`}${policies}`,
    { is: 'left out' },
    proofSection(plan),
    warningsSection(plan),
    ...groupsOf(plan).map(groupSection).sort(bySeverity),
    supportSection(plan),
    waivedSection(plan),
    ...quietSections(plan),
  ]
  return { output: withinBudget(blocks, budget) }
}

function refusedSection({ refused }: PlanDocument): Section {
  const [one, many] = ['reason of the refusal', 'reasons of the refusal']
  const parts = refused.map((each): Part => ({ ...diagnosticPart(each), rank: ranks.refusal, one, many }))
  return { open: '**Apply would refuse this plan:**\n\n', between: '\n', close: '', parts }
}

/** Errors and warnings, which must be visible. */
export function warningsSection({ diagnostics }: { readonly diagnostics: readonly Diagnostic[] }): Section {
  const parts = diagnostics
    .filter(({ severity }) => severity !== 'note')
    .map((each): Part => ({ ...diagnosticPart(each), rank: each.severity === 'error' ? ranks.rename : ranks.warning }))
  return { open: '', between: '\n', close: '', parts }
}

/** Sorts groups by their most important part. Groups without parts come last. */
export const bySeverity = (one: Section, other: Section): number => topRank(one) - topRank(other)

const topRank = ({ parts }: Section): number => Math.min(...parts.map(({ rank }) => rank))

function proofSection({ proof }: PlanDocument): Section {
  const rank = proof?.holds ? ranks.note : ranks.refusal
  const parts = proof
    ? [
        {
          rank,
          text: escaped(proofText(proof)),
          short: clipped(proofText(proof), 600, escaped),
          one: 'proof',
          many: 'proofs',
        },
      ]
    : []
  return { open: '', between: '\n', close: '', parts }
}

function supportSection(plan: PlanDocument): Section {
  const parts = supportNotes(plan).map(
    (text): Part => ({ rank: ranks.note, text: escaped(text), one: 'footnote', many: 'footnotes' }),
  )
  return { open: '', between: '\n\n', close: '', parts }
}

function groupSection({ root, entries }: ObjectGroup<ChangeDocument>): Section {
  const section = collapsedSection(
    `<code>${escapedHtml(root)}</code>: ${counted(entries.length, 'change')}`,
    entries.map(changePart),
  )
  return { ...section, between: '\n\n' }
}

function changePart(change: ChangeDocument): Part {
  const action = change.action === 'blocked' ? `blocked (${change.wants ?? 'change'})` : change.action
  const head = `**${action}** ${code(change.address)}${placeBehind(change.source)}`
  const part = {
    ...{ rank: rankOf(change), one: change.action, many: manyWords[change.action] },
    ...(change.action === 'create' && { by: change.kind }),
  }
  return withDiffBelow(part, withRemarks(head, remarksOf(change)), () => displayedFields(change).flatMap(fieldDiff))
}

/** The position of an object in a manifest, for the text after its address. */
export const placeBehind = (source: ChangeDocument['source'] | undefined): string =>
  source ? ` · ${code(`${source.file}:${source.line}`)}` : ''

/** A text with the lines of a diff below it. The diff is computed only if there is space for it. */
export const withDiffBelow = (
  part: Omit<Part, 'text' | 'short'>,
  short: string,
  lines: () => readonly string[],
): Part => ({
  ...part,
  short,
  get text() {
    return withDiff(short, lines())
  },
})

const manyWords = {
  create: 'creates',
  update: 'updates',
  replace: 'replaces',
  delete: 'deletes',
  blocked: 'blocked changes',
} as const

function rankOf({ action, fields, hazards }: ChangeDocument): number {
  const has = (verdict: FieldDocument['verdict']) => fields.some((field) => field.verdict === verdict)
  if (hazards.length > 0) return ranks.hazard
  switch (action) {
    case 'delete':
    case 'replace':
    case 'blocked':
      return ranks[action]
    case 'update':
      if (has('conflict')) return ranks.conflict
      return has('drift') ? ranks.drift : ranks.update
    case 'create':
      return ranks.create
  }
}

/** A field as lines of a diff. */
export function fieldDiff(field: FieldToShow): readonly string[] {
  const view = fieldView(field)
  const name = memberText(field.path)
  const verdict = verdictText(field)
  if (view.is === 'diff') {
    return [`  ${name}:${verdict}`, ...view.lines.map(({ mark, text }) => `${mark}   ${text}`.trimEnd())]
  }
  const lines = [
    ...(view.before === undefined ? [] : [`- ${name}: ${view.before}`]),
    ...(view.after === undefined ? [] : [`+ ${name}: ${view.after}`]),
  ]
  return lines.map((line, index) => (index === lines.length - 1 ? line + verdict : line))
}

/** Collapsed additional information: accepted drift, unmanaged objects, and notes. */
export function quietSections({
  accepted,
  base,
  unmanaged,
  diagnostics,
}: Pick<PlanDocument, 'accepted' | 'base' | 'unmanaged' | 'diagnostics'>): readonly Section[] {
  const decisions = acceptedRows({ accepted, base }).map(decisionPart('accepted difference'))
  const others = unmanaged.map(
    ({ address }): Part => ({ rank: ranks.unmanaged, text: `- ${code(address)}`, one: 'unmanaged', many: 'unmanaged' }),
  )
  const notes = diagnostics
    .filter(({ severity }) => severity === 'note')
    .map((each): Part => ({ ...diagnosticPart(each), rank: ranks.note }))
  return [
    collapsedSection(`${accepted.length} accepted, left alone`, decisions),
    collapsedSection(`${unmanaged.length} unmanaged, left alone`, others),
    collapsedSection(counted(notes.length, 'note'), notes),
  ]
}

/** The waived findings of policies. */
function waivedSection(plan: PlanDocument): Section {
  const parts = waivedRows(plan).map(decisionPart('waived finding'))
  return collapsedSection(`${parts.length} waived`, parts)
}

const decisionPart =
  (one: string) =>
  ({ address, what, decision }: DecidedRow): Part => ({
    rank: ranks.accepted,
    text: `- ${code(address)} ${escaped(what)} (${escaped(decision)})`,
    one,
    many: `${one}s`,
  })

/** Collapsed parts. */
export const collapsedSection = (title: string, parts: readonly Part[]): Section => ({
  open: `<details><summary>${title}</summary>\n\n`,
  between: '\n',
  close: '\n\n</details>',
  parts,
})
