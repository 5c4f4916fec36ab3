import { type Diagnostic, type DiagnosticsDocument, diagnosticsDocument } from '../documents/diagnostics.js'
import { groupBy } from '../json/groups.js'
import { jsonText } from '../json/json.js'
import { printable } from '../json/printable.js'
import type { Severity } from '../problems/codes.js'
import { type Place, type Problem, severities } from '../problems/problem.js'
import { counted } from '../problems/suggest.js'
import { type Block, clipped, commentBudget, type MarkdownLimit, type Part, withinBudget } from './budget.js'
import type { Colours } from './colours.js'
import { code, escaped } from './markdown.js'
import { beginningOf, type TableForm, type TextForm, widthOf, wrappedText } from './table.js'

/** The text of a report. No report prints by itself. */
export interface Report {
  readonly output: string
}

/**
 * Problems as terminal text: position, severity, message and code on one line, code frame and hint below it, and the counts at
 * the end. Problems without a position that have the same code and hint are grouped under one hint. Of each severity and code, only
 * the first ones are shown (A494).
 */
export function problemsText(problems: readonly ReportedProblem[], options: TextForm): Report {
  if (problems.length === 0) return { output: '' }
  const alike = [...groupBy(problems, ({ severity, code: name }) => `${severity} ${name}`).values()]
  const leftOut = alike.map((group) => group.slice(mostAlike)).filter((left) => left.length > 0)
  const hidden = new Set(leftOut.flat())
  const displayed = problems.filter((problem) => !hidden.has(problem))
  const blocks = displayed.map((problem, index) => {
    const { hint, ...bare } = problem
    const next = displayed[index + 1]
    const isTogether = next && !problem.place && !next.place && next.code === problem.code && next.hint === hint
    return isTogether ? `${problemText(bare, options)}\n` : `${problemText(problem, options)}\n\n`
  })
  const more = leftOut.map((left) => `${leftOutText(left)}\n\n`)
  return { output: `${blocks.join('')}${more.join('')}${problemCounts(problems)}\n` }
}

/** Such as `and 5 more warnings [unknown-field], which -o json has`. */
function leftOutText(left: readonly ReportedProblem[]): string {
  const [first] = left
  return first ? `and ${counted(left.length, `more ${first.severity}`)} [${first.code}], which -o json has` : ''
}

/** Problems as the answer of a command with `-o json`. */
export const problemsJson = (problems: readonly Problem[]): Report => ({
  output: jsonText(diagnosticsDocument(problems)),
})

/** Problems as a Markdown list, for comments on pull requests. `of`: their subject, such as `plan shop/prod`. */
export function problemsMarkdown(
  { diagnostics }: Pick<DiagnosticsDocument, 'diagnostics'>,
  { budget = commentBudget, of }: MarkdownLimit & { readonly of?: string } = {},
): Report {
  if (diagnostics.length === 0) return { output: 'No problems found.\n' }
  const parts = diagnostics.map((each): Part => {
    const rank = severities.indexOf(each.severity)
    return { ...diagnosticPart(each), rank }
  })
  const blocks: readonly Block[] = [
    `### gatewright${of === undefined ? '' : ` ${escaped(of)}`}: ${problemCounts(diagnostics)}`,
    { is: 'left out' },
    { open: '', between: '\n', close: '', parts },
  ]
  return { output: withinBudget(blocks, budget) }
}

/** One problem of a document as an entry of a Markdown list, which can be left out. */
export function diagnosticPart(diagnostic: Diagnostic): Omit<Part, 'rank'> {
  const { severity, message } = diagnostic
  const short = diagnosticMarkdown({ severity, code: diagnostic.code, message: clipped(message, 300, (text) => text) })
  return { text: diagnosticMarkdown(diagnostic), short, one: severity, many: `${severity}s` }
}

function diagnosticMarkdown({ severity, message, file, line, hint, code: name }: Diagnostic): string {
  const place = file === undefined ? '' : ` ${code(`${file}:${line ?? 1}`)}`
  const remedy = hint === undefined ? '' : `<br>${escaped(hint)}`
  return `- **${severity}**${place} ${escaped(message)} (${code(name)})${remedy}`
}

/** The problems of a document as `problemsText` shows them, without code frames. */
export const diagnosticsText = (diagnostics: readonly Diagnostic[], form: TextForm): Report =>
  problemsText(diagnostics.map(reported), form)

/** One problem of a document, without its code frame. */
export const diagnosticText = (diagnostic: Diagnostic, form: TextForm): string =>
  problemText(reported(diagnostic), form)

function reported({ severity, message, code, hint, file, line, column }: Diagnostic): ReportedProblem {
  const place = file === undefined ? {} : { place: { file, line: line ?? 1, column: column ?? 1 } }
  return { severity, message, code, ...(hint !== undefined && { hint }), ...place }
}

/** Such as `2 errors, 1 warning`. */
export function problemCounts(problems: readonly Pick<Problem, 'severity'>[]): string {
  return severities
    .map((severity) => ({ severity, count: problems.filter((problem) => problem.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => counted(count, severity))
    .join(', ')
}

type ReportedProblem = Omit<Problem, 'code' | 'answeredBy'> & { readonly code: string }

/** The maximum number of shown problems with the same severity and code: an area may have 100,000. */
const mostAlike = 100

/** The maximum number of shown positions: one problem may have thousands. */
const mostRelated = 10

function problemText(problem: ReportedProblem, form: TextForm): string {
  const lines = [...headLines(problem, form)]
  if (problem.place?.frame !== undefined) lines.push(...frameLines(problem.place.frame, form))
  const { related = [] } = problem
  for (const { message, place: other } of related.slice(0, mostRelated)) {
    lines.push(...wrappedText(`${placeText(other)}: ${printable(message)}`, { ...form, margin: 2 }))
    if (other.frame !== undefined) lines.push(...frameLines(other.frame, form))
  }
  if (related.length > mostRelated) lines.push(`  and ${related.length - mostRelated} more, which -o json has`)
  if (problem.hint !== undefined) lines.push(...hintLines(problem.hint, form))
  return lines.join('\n')
}

/**
 * The lines around a position, cut to the width of the terminal. The last line marks the position; the mark stays below it even
 * if characters before it are wide.
 */
function frameLines(frame: string, { columns }: TableForm): readonly string[] {
  const lines = frame.split('\n')
  const mark = lines.pop() ?? ''
  const gutter = mark.indexOf('|') + 2
  const room = columns === undefined ? undefined : columns - gutter
  const bodies = lines.map((line) => displayedText(line.slice(gutter)))
  const before = displayedText(lines.at(-1)?.slice(gutter, mark.indexOf('^')) ?? '')
  const left = room !== undefined && widthOf(before) >= room ? cutBefore(before, Math.floor(room / 2)) : before
  const whole = bodies.pop() ?? ''
  const marked = `${left}${whole.slice(before.length)}`
  return [
    ...[...bodies, marked].map((body, index) => `${lines[index]?.slice(0, gutter) ?? ''}${cutBehind(body, room)}`),
    `${mark.slice(0, gutter)}${' '.repeat(widthOf(left))}^`,
  ]
}

/** A text in which every character is visible and has the width that the terminal uses. */
const displayedText = (text: string): string => printable(text.replaceAll('\t', ' '))

const cutBehind = (text: string, room: number | undefined): string =>
  room === undefined || widthOf(text) <= room ? text : `${beginningOf(text, room - 1)}…`

function cutBefore(text: string, room: number): string {
  const characters = [...text]
  while (characters.length > 0 && widthOf(characters.join('')) >= room) characters.shift()
  return `…${characters.join('')}`
}

/** Colours are added after wrapping, because they have no width. */
function headLines(
  { severity, message, short = message, code: name, place }: ReportedProblem,
  { colours, columns }: TextForm,
): readonly string[] {
  const where = place ? `${placeText(place)}: ` : ''
  const lines = [...wrappedText(`${where}${severity}: ${printable(short)} [${name}]`, { columns })]
  const head = `${where}${severity}:`
  const [first = ''] = lines
  if (first.startsWith(head)) {
    const painted = where === '' ? '' : `${colours.bold(where.slice(0, -2))}: `
    lines[0] = `${painted}${paintOf(severity, colours)(severity)}:${first.slice(head.length)}`
  }
  const last = lines.length - 1
  lines[last] = (lines[last] ?? '').replace(/\[[a-z-]+\]$/, (found) => colours.dim(found))
  return lines
}

function hintLines(hint: string, { colours, columns }: TextForm): readonly string[] {
  const [first = '', ...rest] = hint.split('\n').map(printable)
  return [
    ...wrappedText(`hint: ${first}`, { columns, margin: 2 }).map((line) =>
      line.replace(/(?<=^ {2})hint:/, colours.cyan),
    ),
    ...rest.flatMap((text) => wrappedText(text, { columns, margin: 8 })),
  ]
}

function paintOf(severity: Severity, colours: Colours): (text: string) => string {
  switch (severity) {
    case 'error':
      return colours.red
    case 'warning':
      return colours.yellow
    case 'note':
      return colours.cyan
  }
}

const placeText = (place: Place | undefined): string => {
  if (place === undefined) return ''
  const file = printable(place.file)
  return place.lines === 'none' ? file : `${file}:${place.line}:${place.column}`
}
