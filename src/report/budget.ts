import { countsOf } from '../json/groups.js'
import { compareText } from '../json/order.js'
import { counted } from '../problems/suggest.js'

/** GitHub permits 65,536 characters in a comment. The rest is for text that a workflow adds around a report (A115). */
export const commentBudget = 65_000

export interface MarkdownLimit {
  /** The maximum number of characters; at least 2,000. */
  readonly budget?: number
}

/** A part of a report that can be left out. */
export interface Part {
  /** Parts with a lower rank are more important: they are left out last. */
  readonly rank: number
  readonly text: string
  /** The text that is used if the whole text does not fit; never longer than that. */
  readonly short?: string
  /** The noun with which left out parts are counted: `12 updates`. */
  readonly one: string
  readonly many: string
  /** A second word by which left out parts are counted: `40 creates (38 Endpoint, 2 Service)`. */
  readonly by?: string
}

/** Parts that belong together. The texts before and after them are only written if there are parts. */
export interface Section {
  readonly open: string
  readonly between: string
  readonly close: string
  readonly parts: readonly Part[]
}

/** A text that is never left out, parts that can be left out, or the position of the text that says what was left out. */
export type Block = string | Section | { readonly is: 'left out' }

/**
 * A report that consists of blocks and has at most `budget` characters. The most important parts are kept, each only as a whole,
 * in the order of the blocks.
 */
export function withinBudget(blocks: readonly Block[], budget: number): string {
  const fixed = blocks.reduce((sum, block) => sum + (typeof block === 'string' ? gap.length + block.length : 0), 0)
  const sections = blocks.filter((block) => typeof block === 'object' && 'parts' in block)
  const kept = new Map<Section, Map<Part, string>>(sections.map((section) => [section, new Map()]))
  const all = sections.flatMap((section) => section.parts.map((part) => ({ section, part })))
  const left: Part[] = []
  const shortened: Part[] = []
  // Reserve space for the longest possible text that says what was left out.
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
    // The whole text is computed only here: it may be much longer, and in a large report there is no space for most parts.
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

/**
 * Space for the names of the most frequent kinds among the left out parts. These may be longer than the names of all parts
 * together.
 */
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

/** The maximum number of words with their own count. */
const mostCounted = 6

/** `38 Endpoint, 2 Service`: how often each word occurs, the most frequent first. */
function countedText(words: readonly string[]): string {
  const counts = [...countsOf(words)]
    .map(([word, count]) => ({ word, count }))
    .sort((one, other) => other.count - one.count || compareText(one.word, other.word))
  const others = counts.slice(mostCounted).reduce((sum, { count }) => sum + count, 0)
  const displayed = counts.slice(0, mostCounted).map(({ word, count }) => `${count} ${word}`)
  return [...displayed, ...(others === 0 ? [] : [`${others} of other kinds`])].join(', ')
}

/** A text in the form that it has in a report, cut if it is longer than `limit` characters. `form` never makes a text shorter. */
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
