import type {
  DiffDocument,
  DifferenceDocument,
  LayerDifferenceDocument,
  LayerValueDocument,
} from '../documents/diff.js'
import type { PlaceDocument } from '../documents/place.js'
import { outerPaths } from '../json/pointer.js'
import { printable } from '../json/printable.js'
import type { FieldDifference } from '../planner/compare-areas.js'
import { counted } from '../problems/suggest.js'
import { type Block, clipped, commentBudget, type MarkdownLimit, type Part, withinBudget } from './budget.js'
import type { Colours } from './colours.js'
import { code, escaped, withDiff } from './markdown.js'
import { fieldDiff } from './plan-markdown.js'
import { fieldLines } from './plan-text.js'
import type { Report } from './problems.js'
import { type TableForm, type TextForm, wrappedText } from './table.js'
import { targetText } from './target.js'
import { type FieldToShow, memberText, valueText } from './value-text.js'

/** The differences as terminal text. If one side lacks an object, its contents are only counted. */
export function diffText(diff: DiffDocument, { colours, columns }: TextForm): Report {
  const layers = (diff.layers ?? []).map((layer) => layerText(layer, { colours, columns }))
  const objects = topmost(diff.differences).flatMap(({ difference, inside }) => [
    ...objectLines(difference, inside, { columns }).map(paintOf(difference.in, colours)),
    ...fieldLines(difference.fields.map(asChange), { indent: '    ', absent: '(not written)' }, colours),
  ])
  const lines = layers.length > 0 && objects.length > 0 ? [...layers, '', ...objects] : [...layers, ...objects]
  const sides = [`- a: ${printable(sideText('a', diff))}`, `+ b: ${printable(sideText('b', diff))}`]
  const head = [...sides.flatMap((side) => wrappedText(side, { columns })).map(colours.dim), '']
  const body = lines.length === 0 ? [] : [...lines, '']
  return { output: `${[...head, ...body, `${colours.bold('Diff:')} ${diffSummary(diff)}.`].join('\n')}\n` }
}

/** The name of a side as the user gave it; for a live side also its area. */
export function sideText(side: 'a' | 'b', diff: DiffDocument): string {
  const [name, target] = [diff[side], diff.targets?.[side]]
  if (!target) return name
  return name.startsWith(target.url) ? targetText(target) : `${name}: ${targetText(target)}`
}

/** The differences for a comment on a pull request. */
export function diffMarkdown(diff: DiffDocument, { budget = commentBudget }: MarkdownLimit = {}): Report {
  const parts = topmost(diff.differences).map(({ difference, inside }): Part => {
    const other = difference.addressInB === undefined ? '' : ` → ${code(difference.addressInB)}`
    const limited = difference.limited ? ` · ${code(limitedText(difference.limited))}` : ''
    const head = `**${sideWords[difference.in]}** ${code(difference.address)}${other}${insideText(inside)}${limited}`
    const lines = difference.fields.map(asChange).flatMap(fieldDiff)
    const text = withDiff(head, lines)
    return { rank: 2, text, short: head, one: 'object that differs', many: 'objects that differ' }
  })
  const layers = (diff.layers ?? []).map((layer): Part => {
    const { words, effect } = layerWords(layer)
    return {
      rank: 1,
      text: `- ${code(`${marks[sideOf(layer)]} ${words}`)} (${escaped(effect)})`,
      one: 'layer',
      many: 'layers',
    }
  })
  const blocks: readonly Block[] = [
    `### Diff: ${clipped(sideText('a', diff), 200, code)} (a) and ${clipped(sideText('b', diff), 200, code)} (b)`,
    `**${diffSummary(diff)}**`,
    { is: 'left out' },
    { open: '', between: '\n', close: '', parts: layers },
    { open: '', between: '\n\n', close: '', parts },
  ]
  return { output: withinBudget(blocks, budget) }
}

/**
 * The lines of an object: its address and, if it is different, its address in b. If only one environment has the object, also the
 * reason.
 */
function objectLines(
  { in: where, address, addressInB, limited }: DifferenceDocument,
  inside: number,
  form: TableForm,
): readonly string[] {
  const other = addressInB === undefined ? '' : ` → ${printable(addressInB)}`
  const head = `${marks[where]} ${printable(address)}${other}`
  if (!limited) return [`${head}${insideText(inside)}`]
  return besideOrBelow(`${head},`, `${limitedText(limited)}${insideText(inside)}`, form)
}

/** A line with a text after it. If the terminal is too narrow, the text is on the next lines. */
function besideOrBelow(head: string, tail: string, { columns }: TableForm): readonly string[] {
  const line = `${head} ${tail}`
  return wrappedText(line, { columns }).length === 1 ? [line] : [head, ...wrappedText(tail, { columns, margin: 4 })]
}

/** One line for all differences that a layer causes. If the terminal is too narrow, their number is on the next line. */
function layerText(layer: LayerDifferenceDocument, { colours, columns }: TextForm): string {
  const { words, effect } = layerWords(layer)
  const head = `${marks[sideOf(layer)]} ${words}`
  const text = besideOrBelow(head, `(${effect})`, { columns }).join('\n')
  return `${paintOf(sideOf(layer), colours)(head)}${colours.dim(text.slice(head.length))}`
}

export const sideOf = ({ a, b }: LayerDifferenceDocument): DifferenceDocument['in'] => {
  if (a && b) return 'both'
  return a ? 'a' : 'b'
}

/** What the layer sets, and what differs because of it, with the source positions. */
export function layerWords(layer: LayerDifferenceDocument): { readonly words: string; readonly effect: string } {
  const { is, a, b, name, sensitive } = layer
  const isOneFile = a !== undefined && b !== undefined && a.file === b.file
  const places = [a && placeText(a), b && (isOneFile ? `${b.line}:${b.column}` : placeText(b))].flatMap(
    (each) => each ?? [],
  )
  const effect = `${effectText(layer)}; ${places.join(' and ')}`
  if (is === 'patch') return { words: `${printable((a ?? b)?.layer ?? is)}: ${printable(name)}`, effect }
  const value = (given: LayerValueDocument | undefined) => shortValue(given, sensitive)
  const head = is === 'default' && !(a && b) ? `${printable((a ?? b)?.layer ?? is)}: ` : `${is} `
  const values = a && b ? `${value(a)} → ${value(b)}` : value(a ?? b)
  return { words: `${head}${printable(name)}: ${values}`, effect }
}

const widest = 60

function shortValue(given: LayerValueDocument | undefined, sensitive: boolean): string {
  if (given?.value === undefined) return '(not given)'
  const text = sensitive ? String(given.value) : valueText(given.value)
  return text.length > widest ? `${[...text].slice(0, widest).join('')}…` : text
}

/** The number of differences that a layer causes; for a patch, the fields. */
function effectText({ is, fields, count, objects, omitted }: LayerDifferenceDocument): string {
  const leaves = omitted.length === 0 ? [] : [`leaves out ${counted(omitted.length, 'object')}`]
  const named = is === 'patch' ? fields.map(memberText).join(', ') : counted(count, 'field')
  const changes = count === 0 ? [] : [`${named} of ${counted(objects.length, 'object')}`]
  return [...leaves, ...changes].join(', ')
}

/** The reason why only one environment has an object. */
export const limitedText = (limited: PlaceDocument): string => `metadata.environments at ${placeText(limited)}`

const placeText = ({ file, line, column }: PlaceDocument) => `${printable(file)}:${line}:${column}`

/** Whether only one side has an object, or both sides have it and it differs. */
export const sideWords = { a: 'only in a', b: 'only in b', both: 'differs' } as const

/** The first character of a line, by the side that has the object. */
export const marks = { a: '-', b: '+', both: '~' } as const

function paintOf(where: DifferenceDocument['in'], colours: Colours): (text: string) => string {
  switch (where) {
    case 'a':
      return colours.red
    case 'b':
      return colours.green
    case 'both':
      return colours.yellow
  }
}

export interface Topmost {
  readonly difference: DifferenceDocument
  /** The number of objects inside it that are only on the same side. */
  readonly inside: number
}

/** The differences without the objects inside an object that is only on one side. */
export function topmost(differences: readonly DifferenceDocument[]): readonly Topmost[] {
  const found: { difference: DifferenceDocument; inside: number }[] = []
  const whole = new Map<string, { difference: DifferenceDocument; inside: number }>()
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
  { address, in: where }: DifferenceDocument,
  whole: ReadonlyMap<string, Top>,
): Top | undefined {
  return outerPaths(address)
    .map((outer) => whole.get(outer))
    .findLast((holder) => holder?.difference.in === where)
}

export const insideText = (inside: number): string => (inside === 0 ? '' : ` (with ${counted(inside, 'object')} in it)`)

/** A difference as a change from side a to side b. */
export const asChange = ({ path, a, b, sensitive }: FieldDifference): FieldToShow => ({
  ...{ path, sensitive },
  ...(a !== undefined && { before: a }),
  ...(b !== undefined && { after: b }),
})

export function diffSummary({ summary }: DiffDocument): string {
  const layers = summary.layers ?? 0
  const words = [
    ...(layers > 0 ? [counted(layers, 'layer differs', 'layers differ')] : []),
    ...(summary.onlyInA > 0 ? [`${summary.onlyInA} only in a`] : []),
    ...(summary.onlyInB > 0 ? [`${summary.onlyInB} only in b`] : []),
    ...(summary.different > 0 ? [differText(summary)] : []),
  ]
  return words.length === 0 ? 'no differences' : words.join(', ')
}

/** If layers are compared, the text counts only the objects that no layer explains. */
const differText = ({ different, layers }: DiffDocument['summary']): string => {
  if (layers === undefined) return counted(different, 'differs', 'differ')
  return counted(different, 'object differs otherwise', 'objects differ otherwise')
}
