import type { Diagnostic } from '../documents/diagnostics.js'
import type { AreaState, CommonChange, FleetAreaDocument, FleetDocument, SameChanges } from '../documents/fleet.js'
import { groupBy } from '../json/groups.js'
import { printable } from '../json/printable.js'
import { anyWordOf } from '../json/word-pattern.js'
import { isAboutMessages } from '../problems/notify.js'
import { counted } from '../problems/suggest.js'
import {
  type Block,
  clipped,
  commentBudget,
  type MarkdownLimit,
  type Part,
  type Section,
  withinBudget,
} from './budget.js'
import type { Colours } from './colours.js'
import { happenedWords } from './happened-words.js'
import { outcomeWords } from './history.js'
import { code, escaped, withDiff } from './markdown.js'
import { fieldDiff } from './plan-markdown.js'
import { diagnosticText, type Report } from './problems.js'
import { alignedLines, type TextForm, wrappedText } from './table.js'

/** The form of the result of a command in all areas of a fleet. */
interface FleetRunForm extends TextForm {
  /** `all`: all areas, and all fields of common changes. */
  readonly detail: 'all' | 'some'
}

/** If there are more areas, those in sync are not listed. */
const mostAreas = 40

/** If there are more changes, only their addresses are shown. */
const mostChanges = 20

/** One line for each area, the common changes, the errors of areas, and the counts. */
export function fleetText(fleet: FleetDocument, form: FleetRunForm): Report {
  const { colours } = form
  const { areas, same } = fleet
  const isLong = areas.length > mostAreas && form.detail === 'some'
  const listed = isLong ? areas.filter(({ state }) => state !== 'in-sync') : areas
  const blocks = [
    colours.bold(printable(headOf(fleet))),
    ...(listed.length === 0 ? [] : [areasText(fleet, listed, form)]),
    ...same.map((each) => sameText(each, form)),
    ...sameWords(areas).map((each) => wordsText(each, form)),
    `${colours.bold(`${verbs[fleet.command]}:`)} ${countsLine(fleet)}.`,
  ]
  return { output: `${blocks.join('\n\n')}\n` }
}

const verbs = { drift: 'Drift', plan: 'Plan', apply: 'Apply' } as const

/** Such as `Drift of fleet brands`. */
const headOf = ({ command, fleet }: FleetDocument): string =>
  `${verbs[command]} ${command === 'apply' ? 'to' : 'of'} fleet ${fleet}`

/** Such as `3 areas: 2 in sync, 1 drift; 27 calls, 4.2 s`. */
function countsLine({ summary, seconds }: FleetDocument): string {
  const { areas, requests } = summary
  return `${counted(areas, 'area')}: ${statesOf(summary)}; ${counted(requests, 'call')}, ${seconds.toFixed(1)} s`
}

/** Such as `2 in sync, 1 drift`. */
export function statesOf({ states }: { readonly states: Readonly<Record<string, number>> }): string {
  const found = Object.entries(states).filter(([, count]) => count > 0)
  return found.map(([state, count]) => `${count} ${stateWords(state)}`).join(', ') || 'none'
}

/** `in sync` for `in-sync`. */
export const stateWords = (state: string): string => state.replaceAll('-', ' ')

/** Such as `1 create, 2 update`: the counts of actions or outcomes, without those that mean no change. */
export function changesOf({ summary }: Pick<FleetAreaDocument, 'summary'>): string {
  const quiet = new Set(['unchanged', 'unmanaged', 'accepted'])
  const found = Object.entries(summary).filter(([name, count]) => count > 0 && !quiet.has(name))
  return found.map(([name, count]) => `${count} ${outcomeWords(name)}`).join(', ')
}

/** The title of the counts of an area. For a drift they say what an apply would do, not what has happened. */
export const changesTitle = ({ command }: Pick<FleetDocument, 'command'>): string =>
  command === 'drift' ? 'apply would' : 'changes'

function areasText(
  fleet: FleetDocument,
  areas: readonly FleetAreaDocument[],
  { colours, columns }: FleetRunForm,
): string {
  const rows = areas.map((area) => [
    ...[area.area, stateWords(area.state), changesOf(area)],
    ...[area.requests === null ? '' : String(area.requests), area.seconds.toFixed(1)],
  ])
  const titles = ['area', 'state', changesTitle(fleet), 'calls', 'seconds']
  const [title = '', ...lines] = alignedLines([titles, ...rows], { columns })
  const painted = lines.map((line, index) => paint(areas[index]?.state, colours)(line))
  // If the rows do not fit the terminal, there are more lines than areas.
  return [colours.bold(title), ...(lines.length === areas.length ? painted : lines)].join('\n')
}

function paint(state: AreaState | undefined, colours: Colours): (text: string) => string {
  switch (state) {
    case 'error':
    case 'incomplete':
    case 'conflict':
      return colours.red
    case 'drift':
    case 'pending':
    case 'refused':
    case 'stale':
    case 'interrupted':
    case 'not-started':
      return colours.yellow
    default:
      return (text) => text
  }
}

/** Such as `312 areas: the same 4 changes (acme, globex and 310 more)`. */
export function sameHead({ areas, changes }: SameChanges): string {
  const names = areaNames(areas)
  const what = counted(changes.length, 'change')
  return areas.length === 1 ? `${names}: ${what}` : `${areas.length} areas: the same ${what} (${names})`
}

/** The first five names, and the number of the others: `acme, globex, initech, umbrella, wayne and 307 more`. */
export const areaNames = (areas: readonly string[]): string =>
  areas.length <= 5 ? areas.join(', ') : `${areas.slice(0, 5).join(', ')} and ${areas.length - 5} more`

function sameText(same: SameChanges, { colours, columns, detail }: FleetRunForm): string {
  const isCalm = detail === 'some' && same.changes.length > mostChanges
  const lines = same.changes.flatMap((change) => [
    `  ${actionOf(change)} ${printable(change.address)}`,
    ...(isCalm
      ? []
      : fieldsAsHappened(change)
          .flatMap(fieldDiff)
          .map((line) => `      ${line}`.trimEnd())),
  ])
  return [...wrappedText(printable(sameHead(same)), { columns }).map(colours.bold), ...lines].join('\n')
}

/** What is done to an object. For a drift, what happened to it, not what an apply would do. */
export function actionOf({ action, wants, side }: CommonChange): string {
  const done = action === 'blocked' ? `cannot ${wants ?? 'change'}` : action
  if (side === undefined) return done
  if (side === 'manifest' && action === 'unmanaged') return happenedWords.remaining
  if (side === 'manifest') return `not applied yet: ${done}`
  const what = action === 'blocked' ? wants : action
  if (what === 'create') return happenedWords[side === 'unknown' ? 'missing' : 'deleted']
  if (what === 'delete' || what === 'unmanaged') return happenedWords[side === 'unknown' ? 'extra' : 'created']
  if (side === 'both') return happenedWords.conflict
  return happenedWords[side === 'unknown' ? 'differs' : 'changed']
}

/** Whether a change happened on the platform: its fields then change from the value in git to the live value. */
export const hasHappened = ({ side }: CommonChange): boolean => side !== undefined && side !== 'manifest'

/** The fields in the direction of the change. A field that is only not applied yet changes to the value in git. */
export function fieldsAsHappened(change: CommonChange): CommonChange['fields'] {
  if (!hasHappened(change)) return change.fields
  return change.fields.map((field) => {
    if (field.verdict === 'pending') return field
    const { before: live, after: git, ...rest } = field
    return { ...rest, ...(git !== undefined && { before: git }), ...(live !== undefined && { after: live }) }
  })
}

/** The area with the messages to show. If its job has ended well, these are only the warnings about webhooks. */
function withShown(area: FleetAreaDocument): FleetAreaDocument {
  if (!['in-sync', 'pending', 'drift', 'applied'].includes(area.state)) return area
  return { ...area, diagnostics: area.diagnostics.filter(isAboutMessages) }
}

/** The same messages for some areas. If they differ only in what is the area's own, they have placeholders for that. */
interface SameWords {
  readonly areas: readonly string[]
  readonly diagnostics: FleetAreaDocument['diagnostics']
}

/** The messages of areas that need attention, in the order of the fleet. The same messages of several areas are shown once. */
function sameWords(areas: readonly FleetAreaDocument[]): readonly SameWords[] {
  const reported = areas.map(withShown).filter(({ diagnostics }) => diagnostics.length > 0)
  // A message may name every area. It is the same for all of them as it is, and would differ if each left out its own name.
  const unnamed = (each: FleetAreaDocument) => each.diagnostics.map(withoutArea(each))
  const alike = groupBy(reported, (each) => JSON.stringify(unnamed(each)))
  const groups = [...alike.values()].map((same) => {
    const [only] = same.length === 1 ? same : []
    return { same, common: only ? only.diagnostics.map(withoutOwn(only)) : same.slice(0, 1).flatMap(unnamed) }
  })
  const merged = [...groupBy(groups, ({ common }) => JSON.stringify(common)).values()].flatMap((each) =>
    each.slice(0, 1).map(({ common }) => ({ same: each.flatMap(({ same }) => same), common })),
  )
  const order = new Map(reported.map((each, index) => [each, index]))
  const inOrder = (one: FleetAreaDocument, other: FleetAreaDocument) => (order.get(one) ?? 0) - (order.get(other) ?? 0)
  return withSingles(merged).map(({ same, common }) => ({
    areas: [...same].sort(inOrder).map(({ area }) => area),
    diagnostics: same.length === 1 ? same.flatMap(({ diagnostics }) => diagnostics) : common,
  }))
}

/** Areas with the same messages. `common`: the messages of each of them, with placeholders for what is its own. */
interface WordsGroup {
  readonly same: readonly FleetAreaDocument[]
  readonly common: FleetAreaDocument['diagnostics']
}

/**
 * The same groups, but an area that is alone joins another group if the messages of that group are its own as well. Its name may
 * be an ordinary word of these messages, such as "package", which its placeholder has replaced.
 */
function withSingles(groups: readonly WordsGroup[]): readonly WordsGroup[] {
  const left = groups.map((group) => ({ ...group, same: [...group.same], text: JSON.stringify(group.common) }))
  for (const group of [...left]) {
    const [only, second] = group.same
    if (!only || second || !group.text.includes('${name}')) continue
    const word = JSON.stringify(only.area).slice(1, -1)
    const own = JSON.stringify(only.diagnostics.map(withoutArea(only)))
    const other = left.find(
      (each) => each !== group && each.text.includes(word) && textWithOwn(only, each.common) === own,
    )
    if (!other) continue
    other.same.push(only)
    left.splice(left.indexOf(group), 1)
  }
  return left
}

/** The messages with the area's name and host in place of the placeholders, as JSON. */
function textWithOwn({ area, host = '${host}' }: FleetAreaDocument, common: WordsGroup['common']): string {
  const owned = (text: string) => text.replaceAll('${name}', () => area).replaceAll('${host}', () => host)
  return JSON.stringify(common.map(inTexts(owned)))
}

type InDiagnostic = (each: Diagnostic) => Diagnostic

const withoutArea = ({ area }: FleetAreaDocument): InDiagnostic => {
  const named = `area "${area}"`
  return (each) => ({ ...each, message: each.message.replaceAll(named, 'the area') })
}

/** The message with placeholders for the area's name and host, so that areas with the same mistake have the same message. */
function withoutOwn({ area, host }: FleetAreaDocument): InDiagnostic {
  const named = `area "${area}"`
  const placeholders = new Map([
    [area, '${name}'],
    ...(host === undefined ? [] : [[host, '${host}'] as const]),
    [named, 'the area'],
  ])
  // The host before the name: it may contain it.
  const own = anyWordOf([named, ...(host === undefined ? [] : [host]), area])
  return inTexts((text) => text.replaceAll(own, (found) => placeholders.get(found) ?? found))
}

const inTexts =
  (change: (text: string) => string): InDiagnostic =>
  (each) => ({
    ...{ ...each, message: change(each.message) },
    ...(each.file !== undefined && { file: change(each.file) }),
    ...(each.hint !== undefined && { hint: change(each.hint) }),
  })

function wordsText({ areas, diagnostics }: SameWords, form: FleetRunForm): string {
  const head = areas.length === 1 ? areaNames(areas) : `${counted(areas.length, 'area')} (${areaNames(areas)})`
  return [
    ...wrappedText(`${printable(head)}:`, form).map(form.colours.bold),
    ...diagnostics.map((each) => diagnosticText(each, form).trimEnd()),
  ].join('\n')
}

/** The result for a job summary or a comment: failed areas first. */
export function fleetMarkdown(fleet: FleetDocument, { budget = commentBudget }: MarkdownLimit = {}): Report {
  const table: Section = {
    open: `| area | state | ${changesTitle(fleet)} | calls |\n| --- | --- | --- | --- |\n`,
    between: '\n',
    close: '',
    parts: [...fleet.areas].map((area): Part => {
      const cells = [cell(area.area), stateWords(area.state), changesOf(area), area.requests ?? '']
      const rank = area.state === 'in-sync' ? 4 : 1
      return { rank, text: `| ${cells.join(' | ')} |`, one: 'area', many: 'areas' }
    }),
  }
  const words: Section = {
    open: '',
    between: '\n',
    close: '',
    parts: sameWords(fleet.areas).map(({ areas, diagnostics }) => ({
      ...{ rank: 0, one: 'area with errors', many: 'areas with errors' },
      text: `- ${namesMarkdown(areas)}: ${diagnostics.map(({ message }) => clipped(message, 500, escaped)).join('; ')}`,
    })),
  }
  const blocks: readonly Block[] = [
    `### ${clipped(headOf(fleet), 400, code)}`,
    `**${countsLine(fleet)}**`,
    { is: 'left out' },
    words,
    ...fleet.same.map(sameSection),
    table,
  ]
  return { output: withinBudget(blocks, budget) }
}

/** The same text as `areaNames` returns, with each name as code. */
function namesMarkdown(areas: readonly string[]): string {
  const names = areas.slice(0, 5).map((area) => clipped(area, 200, code))
  return `${names.join(', ')}${areas.length > 5 ? ` and ${areas.length - 5} more` : ''}`
}

/** A name in a table. A vertical bar would end its cell, even inside code. */
const cell = (text: string): string => clipped(text.replaceAll('|', '\u2502'), 200, code)

function sameSection(same: SameChanges): Section {
  const parts = same.changes.map((change): Part => {
    const short = `- ${actionOf(change)} ${code(change.address)}`
    const text = withDiff(short, fieldsAsHappened(change).flatMap(fieldDiff))
    return { rank: 2, text, short, one: 'change', many: 'changes' }
  })
  return { open: `**${clipped(sameHead(same), 400, escaped)}**\n\n`, between: '\n\n', close: '', parts }
}
