import { countsOf } from '../json/groups.js'
import { compareText } from '../json/order.js'
import { counted } from '../problems/suggest.js'

/** GitHub takes 65,536 characters for a comment; what is left is for what a workflow writes around a report (A115). */
export const commentBudget = 65_000

export interface MarkdownLimit {
  /** How many characters it may have; at least 2,000. */
  readonly budget?: number
}

/** Something that may have to be left out of a report. */
export interface Part {
  /** What has a lower one is left out later. */
  readonly rank: number
  readonly text: string
  /** What stands for it where the whole does not fit; never longer. */
  readonly short?: string
  /** What it is counted as where it is left out: `12 updates`. */
  readonly one: string
  readonly many: string
  /** By what those that are left out are counted as well: `40 creates (38 Endpoint, 2 Service)`. */
  readonly by?: string
}

/** Parts that stand together: with a text before and behind them, where there are any. */
export interface Section {
  readonly open: string
  readonly between: string
  readonly close: string
  readonly parts: readonly Part[]
}

/** A text that is never cut, parts that may be, or the place where it is said what was left out. */
export type Block = string | Section | { readonly is: 'left out' }

/** A report of blocks within a number of characters: what matters most is kept, in the order of the blocks, only as a whole. */
export function withinBudget(blocks: readonly Block[], budget: number): string {
  const fixed = blocks.reduce((sum, block) => sum + (typeof block === 'string' ? gap.length + block.length : 0), 0)
  const sections = blocks.filter((block) => typeof block === 'object' && 'parts' in block)
  const kept = new Map<Section, Map<Part, string>>(sections.map((section) => [section, new Map()]))
  const all = sections.flatMap((section) => section.parts.map((part) => ({ section, part })))
  const left: Part[] = []
  const shortened: Part[] = []
  // Room for the longest line that may have to say what was left out.
  const every = all.map(({ part }) => part)
  let used = fixed + gap.length + restText(every, every).join(gap).length + roomForKinds
  for (const { section, part } of [...all].sort((one, other) => one.part.rank - other.part.rank)) {
    const known = kept.get(section)
    const around = known?.size ? section.between.length : gap.length + section.open.length + section.close.length
    const fits = (text: string): boolean => used + around + text.length <= budget
    const least = part.short ?? part.text
    if (!fits(least)) {
      left.push(part)
      continue
    }
    // Made only now: it may be much longer, and most parts of a large report have no room at all.
    const whole = part.text
    const text = fits(whole) ? whole : least
    if (text !== whole) shortened.push(part)
    used += around + text.length
    known?.set(part, text)
  }
  const texts = blocks.flatMap((block) => {
    if (typeof block === 'string') return [block]
    return 'parts' in block ? sectionText(block, kept.get(block)) : restText(left, shortened)
  })
  return `${texts.join(gap)}\n`
}

const gap = '\n\n'

/** Of what is left out the most frequent kinds are named: their names may be longer than those of all parts. */
const roomForKinds = 150

function sectionText({ open, between, close, parts }: Section, kept?: ReadonlyMap<Part, string>): readonly string[] {
  const texts = parts.flatMap((part) => kept?.get(part) ?? [])
  return texts.length === 0 ? [] : [open + texts.join(between) + close]
}

function restText(left: readonly Part[], shortened: readonly Part[]): readonly string[] {
  if (left.length + shortened.length === 0) return []
  const counts = new Map<string, { readonly part: Part; count: number }>()
  for (const part of left) {
    const known = counts.get(part.many) ?? { part, count: 0 }
    counts.set(part.many, known)
    known.count += 1
  }
  const words = [...counts].map(([many, { part, count }]) => {
    const kinds = left.flatMap((each) => (each.many === many && each.by !== undefined ? [each.by] : []))
    return `${counted(count, part.one, many)}${kinds.length === 0 ? '' : ` (${countedText(kinds)})`}`
  })
  const fields = shortened.length === 0 ? [] : [`details of ${shortened.length} more`]
  return [`**Left out, to fit into a comment:** ${[...words, ...fields].join(', ')}. \`-o json\` has everything.`]
}

/** More of them than that are counted together. */
const mostCounted = 6

/** `38 Endpoint, 2 Service`: how often each word is among them, what is there most first. */
function countedText(words: readonly string[]): string {
  const counts = [...countsOf(words)]
    .map(([word, count]) => ({ word, count }))
    .sort((one, other) => other.count - one.count || compareText(one.word, other.word))
  const others = counts.slice(mostCounted).reduce((sum, { count }) => sum + count, 0)
  const shown = counts.slice(0, mostCounted).map(({ word, count }) => `${count} ${word}`)
  return [...shown, ...(others === 0 ? [] : [`${others} of other kinds`])].join(', ')
}

/** A text in the form that it has in a report, cut if that is longer than the limit; `form` makes no text of it shorter. */
export function clipped(text: string, limit: number, form: (text: string) => string): string {
  const whole = form(text)
  if (whole.length <= limit) return whole
  const characters = [...text]
  let [fits, tooLong] = [0, Math.min(characters.length, limit)]
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2)
    if (form(`${characters.slice(0, middle).join('')}…`).length <= limit) fits = middle
    else tooLong = middle
  }
  return form(`${characters.slice(0, fits).join('')}…`)
}
