import type { DiffDocument } from '../documents/diff.js'
import { jsonText } from '../json/json.js'
import { printable } from '../json/printable.js'
import type { Difference, FieldDifference } from '../planner/compare-areas.js'
import type { Colours } from './colours.js'
import { code, fenced } from './markdown.js'
import { fieldDiff } from './plan-markdown.js'
import { fieldLines } from './plan-text.js'
import type { Report } from './problems.js'
import type { FieldToShow } from './value-text.js'

export const diffJson = (diff: DiffDocument): Report => ({ output: jsonText(diff) })

/** The differences for people; of an object that one side lacks what lies in it is only counted. */
export function diffText(diff: DiffDocument, { colours }: { readonly colours: Colours }): Report {
  const lines = topmost(diff.differences).flatMap(({ difference, inside }) => [
    paintOf(difference, colours)(`${marks[difference.in]} ${printable(difference.address)}${insideText(inside)}`),
    ...fieldLines(difference.fields.map(asChange), { indent: '    ', absent: '(not written)' }, colours),
  ])
  const head = [colours.dim(`- a: ${printable(diff.a)}`), colours.dim(`+ b: ${printable(diff.b)}`), '']
  const body = lines.length === 0 ? [] : [...head, ...lines, '']
  return { output: `${[...body, `${colours.bold('Diff:')} ${summaryText(diff)}.`].join('\n')}\n` }
}

/** The differences for a comment on a pull request. */
export function diffMarkdown(diff: DiffDocument): Report {
  const blocks = topmost(diff.differences).map(({ difference, inside }) => {
    const words = { a: 'only in a', b: 'only in b', both: 'differs' }[difference.in]
    const head = `**${words}** ${code(difference.address)}${insideText(inside)}`
    const lines = difference.fields.map(asChange).flatMap(fieldDiff)
    return lines.length === 0 ? head : `${head}\n\n${fenced(lines.join('\n'))}`
  })
  const title = `### Diff: ${code(diff.a)} (a) and ${code(diff.b)} (b)`
  return { output: `${[title, `**${summaryText(diff)}**`, ...blocks].join('\n\n')}\n` }
}

const marks = { a: '-', b: '+', both: '~' } as const

function paintOf(difference: Difference, colours: Colours): (text: string) => string {
  switch (difference.in) {
    case 'a':
      return colours.red
    case 'b':
      return colours.green
    case 'both':
      return colours.yellow
  }
}

interface Topmost {
  readonly difference: Difference
  /** How many objects inside it share its lot. */
  readonly inside: number
}

/** The differences without those that lie in an object which the same side lacks as a whole. */
function topmost(differences: readonly Difference[]): readonly Topmost[] {
  const found: { difference: Difference; inside: number }[] = []
  const whole = new Map<string, { difference: Difference; inside: number }>()
  for (const difference of differences) {
    const holder = difference.in === 'both' ? undefined : holderOf(difference, whole)
    if (holder) holder.inside += 1
    else {
      const top = { difference, inside: 0 }
      found.push(top)
      if (difference.in !== 'both') whole.set(difference.address, top)
    }
  }
  return found
}

function holderOf<Top extends Topmost>(
  { address, in: where }: Difference,
  whole: ReadonlyMap<string, Top>,
): Top | undefined {
  for (let end = address.lastIndexOf('/'); end > 0; end = address.lastIndexOf('/', end - 1)) {
    const holder = whole.get(address.slice(0, end))
    if (holder?.difference.in === where) return holder
  }
  return undefined
}

function insideText(inside: number): string {
  if (inside === 0) return ''
  return inside === 1 ? ' (with 1 object in it)' : ` (with ${inside} objects in it)`
}

/** Side b as if side a became it. */
const asChange = ({ path, a, b, sensitive }: FieldDifference): FieldToShow => ({
  ...{ path, sensitive },
  ...(a !== undefined && { before: a }),
  ...(b !== undefined && { after: b }),
})

function summaryText({ summary }: DiffDocument): string {
  const words = [
    ...(summary.onlyInA > 0 ? [`${summary.onlyInA} only in a`] : []),
    ...(summary.onlyInB > 0 ? [`${summary.onlyInB} only in b`] : []),
    ...(summary.different > 0 ? [`${summary.different} ${summary.different === 1 ? 'differs' : 'differ'}`] : []),
  ]
  return words.length === 0 ? 'no differences' : words.join(', ')
}
