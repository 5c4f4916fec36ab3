import type { ChangeDocument, FieldDocument, PlanDocument } from '../../documents/plan.js'
import { outerPaths } from '../../json/pointer.js'
import { acceptedRows, type DecidedRow } from '../accepted-words.js'
import {
  displayedFields,
  estimateText,
  groupsOf,
  planSummary,
  proofText,
  remarksOf,
  supportNotes,
  verdictText,
} from '../plan-words.js'
import { policiesText, waivedRows } from '../policy-words.js'
import { planFacts } from '../target.js'
import { fieldView } from '../value-text.js'
import { type Content, html } from './markup.js'
import {
  anchorOf,
  type Count,
  collapsedList,
  counts,
  diagnosticsBox,
  diagnosticsSections,
  entryList,
  fieldName,
  type PageItem,
  page,
  type TableRow,
  table,
  targetFacts,
  targetName,
  textDiff,
} from './page.js'
import { picture } from './picture.js'

/** If there are more changes, only the serious ones are expanded at first. */
const mostOpen = 60

/** The maximum length of the list of serious changes; the others can be found with the filters. */
const mostListed = 50

/** A plan as an HTML page: the refusal first, then the serious changes, then every change with its fields. */
export function planHtml(plan: PlanDocument): string {
  const estimate = estimateText(plan)
  const groups = groupsOf(plan).map(({ root, entries }) => ({
    root,
    entries: entries.map((change) => changeItem(change, plan.changes.length <= mostOpen)),
  }))
  return page({
    title: `Plan for ${targetName(plan.target)}: ${planSummary(plan)}`,
    facts: [
      ...targetFacts(plan.target),
      ['Snapshot', plan.snapshot],
      ...planFacts(plan),
      ['Apply takes', estimate === '' ? undefined : estimate],
      ['Rehearsal', plan.proof && proofText(plan.proof)],
      ['Policies', plan.policies && policiesText(plan.policies)],
    ],
    body: [
      diagnosticsBox('Apply would refuse this plan', plan.refused, 'delete'),
      counts(planCounts(plan)),
      diagnosticsSections(plan.diagnostics.filter(({ severity }) => severity !== 'note')),
      needsALook(plan.changes),
      picture(plan.changes),
      entryList('Changes', groups, 'Nothing to do.'),
      ...quietLists(plan),
      collapsedList('How the platform offers it', supportNotes(plan)),
    ],
  })
}

const planCounts = ({ summary }: PlanDocument): readonly Count[] => [
  { count: summary.create, words: 'to create', tone: 'create' },
  { count: summary.update, words: 'to update', tone: 'update' },
  { count: summary.replace, words: 'to replace', tone: 'replace' },
  { count: summary.delete, words: 'to delete', tone: 'delete' },
  { count: summary.blocked, words: 'blocked', tone: 'blocked' },
  { count: summary.unchanged, words: 'unchanged' },
  { count: summary.accepted, words: 'accepted, kept' },
  { count: summary.unmanaged, words: 'unmanaged' },
]

/** Collapsed lists with additional information. */
export const quietLists = (
  plan: Pick<PlanDocument, 'accepted' | 'base' | 'unmanaged' | 'diagnostics' | 'policies'>,
): readonly Content[] => [
  decisionList('waived', waivedRows(plan)),
  decisionList('accepted, left alone', acceptedRows(plan)),
  collapsedList(
    `${plan.unmanaged.length} unmanaged, left alone`,
    plan.unmanaged.map(({ address, id }) => html`<code>${address}</code> <span class="soft">${id}</span>`),
  ),
  collapsedList(
    'Notes',
    plan.diagnostics.filter(({ severity }) => severity === 'note').map(({ message }) => message),
  ),
]

const decisionList = (words: string, rows: readonly DecidedRow[]): Content =>
  collapsedList(
    `${rows.length} ${words}`,
    rows.map(({ address, what, decision }) => html`<code>${address}</code> ${what} (${decision})`),
  )

/** Links to the serious changes: deletions, blocked changes, and changes on both sides. */
function needsALook(changes: readonly ChangeDocument[]): Content {
  const found = changes.filter(isSerious)
  const gone = new Set(found.filter(({ action }) => action === 'delete').map(({ address }) => address))
  // A child that is deleted with its parent is not listed in addition to the parent.
  const serious = found.filter(
    (change) => badgesOf(change).length > 0 || !outerPaths(change.address).some((each) => gone.has(each)),
  )
  if (serious.length === 0 || serious.length === changes.length) return undefined
  const links = serious
    .slice(0, mostListed)
    .map(
      (change) =>
        html`<li><a href="#${anchorOf(change.address)}"><code>${change.address}</code></a> ${[
          doesText(change),
          ...badgesOf(change),
        ].join(', ')}</li>`,
    )
  const more = serious.length - links.length
  return html`<section class="box replace"><h2>Look at these first</h2><ul>${links}${
    more > 0 && html`<li>and ${more} more</li>`
  }</ul></section>`
}

const isSerious = (change: ChangeDocument): boolean =>
  ['delete', 'replace', 'blocked'].includes(change.action) || badgesOf(change).length > 0

const doesText = ({ action, wants }: ChangeDocument): string =>
  action === 'blocked' ? `blocked: cannot ${wants ?? 'change'}` : action

/** The important facts about a change, as words. */
function badgesOf({ hazards, fields }: ChangeDocument): readonly string[] {
  const conflicts = fields.some(({ verdict }) => verdict === 'conflict')
  return [...(conflicts ? ['conflict'] : []), ...hazards]
}

function changeItem(change: ChangeDocument, isOpen: boolean): PageItem {
  const { address, action, kind, source, hazards } = change
  const remarks = remarksOf({ ...change, hazards: [] })
  const rows = table(
    headOf(change),
    displayedFields(change).map((field) => rowOf(change, field)),
  )
  const isEmpty = remarks.length === 0 && rows === false
  return {
    address,
    tone: action,
    does: doesText(change),
    badges: badgesOf(change),
    place: source && `${source.file}:${source.line}`,
    body: isEmpty ? undefined : [remarkList(remarks), rows],
    isOpen: isOpen || isSerious(change),
    facets: { action: [action], kind: [kind], hazard: hazards },
  }
}

export const remarkList = (remarks: readonly string[]): Content =>
  remarks.length > 0 && html`<ul class="remarks">${remarks.map((text) => html`<li>${text}</li>`)}</ul>`

/** Whether the object is not live yet. */
const isNew = ({ action, wants }: ChangeDocument): boolean => action === 'create' || wants === 'create'

const headOf = (change: ChangeDocument): readonly string[] =>
  isNew(change) ? ['Field', 'Value'] : ['Field', 'Live', 'After apply']

function rowOf(change: ChangeDocument, field: FieldDocument): TableRow {
  const name = fieldName(field.path)
  const verdict = verdictText(field).trim()
  const note = verdict !== '' && html` <span class="soft">${verdict}</span>`
  const view = fieldView(field)
  if (view.is === 'diff') {
    return [name, [textDiff(view.lines), note]]
  }
  const after = [html`<code class="is">${view.after ?? '(removed)'}</code>`, note]
  return isNew(change) ? [name, after] : [name, html`<code class="was">${view.before ?? '(empty)'}</code>`, after]
}
