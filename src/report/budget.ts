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
  /** What stands for it where the whole does not fit. */
  readonly short?: string
  /** What it is counted as where it is left out: `12 updates`. */
  readonly one: string
  readonly many: string
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

/** Characters for the line that says what was left out. */
const lineForRest = 400

/** A report of blocks within a number of characters: what matters most is kept, in the order of the blocks, only as a whole. */
export function withinBudget(blocks: readonly Block[], budget: number): string {
  const fixed = blocks.reduce((sum, block) => sum + gap.length + (typeof block === 'string' ? block.length : 0), 0)
  const sections = blocks.filter((block) => typeof block === 'object' && 'parts' in block)
  const kept = new Map<Section, Map<Part, string>>(sections.map((section) => [section, new Map()]))
  const all = sections.flatMap((section) => section.parts.map((part) => ({ section, part })))
  const left: Part[] = []
  const shortened: Part[] = []
  let used = fixed + lineForRest
  for (const { section, part } of [...all].sort((one, other) => one.part.rank - other.part.rank)) {
    const known = kept.get(section)
    const around = known?.size ? section.between.length : section.open.length + section.close.length
    const text = [part.text, part.short].find((each) => each !== undefined && used + around + each.length <= budget)
    if (text === undefined) left.push(part)
    else {
      if (text !== part.text) shortened.push(part)
      used += around + text.length
      known?.set(part, text)
    }
  }
  const texts = blocks.flatMap((block) => {
    if (typeof block === 'string') return [block]
    return 'parts' in block ? sectionText(block, kept.get(block)) : restText(left, shortened)
  })
  return `${texts.join(gap)}\n`
}

const gap = '\n\n'

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
  const words = [...counts.values()].map(({ part, count }) => `${count} ${count === 1 ? part.one : part.many}`)
  const fields = shortened.length === 0 ? [] : [`the fields of ${shortened.length} more`]
  return [`**Left out, to fit into a comment:** ${[...words, ...fields].join(', ')}. \`-o json\` has everything.`]
}
