import { type Event, parseEvents, YAMLException } from 'js-yaml'
import type { YamlMistake } from '../../problems/yaml.js'

/** What keeps a text from being read, and where; `depth` is no mistake of YAML, but more than anyone needs. */
export interface FirstMistake {
  readonly at: number
  readonly mistake: YamlMistake | 'depth'
}

/** What a text consists of, or the first mistake in it. Collections may stand in each other as often as is said. */
export function eventsIn(text: string, mostDeep: number): { readonly events: readonly Event[] } | FirstMistake {
  try {
    return { events: parseEvents(text, { maxDepth: mostDeep + 1 }) }
  } catch (cause) {
    if (cause instanceof YAMLException) return failureOf(text, cause.reason, cause.mark?.position ?? 0)
    throw cause
  }
}

/** The package's words name no place that helps, and may show a secret: what they mean is told in words of our own. */
const meanings: readonly (readonly [RegExp, YamlMistake | 'depth'])[] = [
  [/^nesting exceeded/, 'depth'],
  [/null byte|non-printable|valid JSON character/, 'character'],
  [/within a (?:single|double) quoted scalar/, 'quote'],
  [/escape sequence|hexadecimal/, 'escape'],
  [/\btag\b/, 'tag'],
  [/anchor|alias/, 'anchor'],
  [/^deficient indentation/, 'not-indented'],
  [/^tab characters/, 'tab'],
  [/chomping|indentation width|^a line break is expected/, 'block-header'],
  [/^missed comma/, 'no-comma'],
  [/found ','/, 'comma'],
  [/within a flow collection/, 'bracket'],
  [/whitespace character is expected/, 'colon'],
  [/after a mapping key|multiline key/, 'no-colon'],
  [/directive/i, 'directive'],
  [/YAML version/, 'directive'],
]

function failureOf(text: string, reason: string, at: number): FirstMistake {
  const [, mistake] = meanings.find(([words]) => words.test(reason)) ?? []
  switch (mistake) {
    case undefined:
      return misplaced(text, at)
    case 'quote':
      return { at: openQuote(text, at, reason.includes('single') ? "'" : '"'), mistake }
    case 'no-colon':
      return { at: topWithoutColon(text, startOfLine(text, text.slice(0, at).trimEnd().length)), mistake }
    case 'directive':
      // The package has read the whole line by then, but for a line in the place of `---`.
      return { at: reason.includes('end mark') ? at : text.lastIndexOf('\n%', at - 1) + 1, mistake }
    case 'bracket':
      return { at: text.trimEnd().length, mistake }
    case 'not-indented':
      // At the end of the text no line is to blame.
      if (text.slice(at).trim() === '') return { at: text.trimEnd().length, mistake: 'open' }
      return tabOf(text, at) ?? { at, mistake }
    default:
      return { at, mistake }
  }
}

/** Something stands where nothing of its kind may: at the beginning of its line, or after a value. */
function misplaced(text: string, at: number): FirstMistake {
  if (/[@`%*&!|>,\]}]/.test(text.charAt(at))) return { at, mistake: 'first-character' }
  const tab = tabOf(text, at)
  if (tab) return tab
  const start = startOfLine(text, at)
  // A line `key: value` that is indented wrongly goes on with the text of the line before: its colon is one too many.
  const isPair = text[at] === ':' && !/:\s|^---\s/.test(text.slice(start, at))
  const top = topWithoutColon(text, start)
  // A line that lacks its colon takes the next one, as deep as itself, for more of its text.
  if (isPair && top !== start && columnOf(text, top) === columnOf(text, start)) return { at: top, mistake: 'no-colon' }
  return start === at || isPair ? { at: start, mistake: 'indentation' } : { at, mistake: 'behind-value' }
}

/** A tab in the indentation of the line of a place. */
function tabOf(text: string, at: number): FirstMistake | undefined {
  const line = text.lastIndexOf('\n', at - 1) + 1
  const tab = /^[-?: ]*\t/.exec(text.slice(line, at))
  return tab ? { at: line + tab[0].length - 1, mistake: 'tab' } : undefined
}

/**
 * Lines without a colon go on with the next one: the first character of the topmost of those above a place. What is indented
 * deeper belongs to a value above.
 */
function topWithoutColon(text: string, start: number): number {
  const line = text.lastIndexOf('\n', start - 1)
  const above = line <= 0 ? start : startOfLine(text, line)
  const written = text.slice(above, line).trim()
  const isDeeper = columnOf(text, above) > columnOf(text, start)
  const goesOn = above < start && !isDeeper && written !== '' && !/^[-?#]|:(?:\s|$)/.test(written)
  return goesOn ? topWithoutColon(text, above) : start
}

const columnOf = (text: string, at: number): number => at - (text.lastIndexOf('\n', at - 1) + 1)

/** The first character of a line that is no blank. */
function startOfLine(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1
  return start + text.slice(start).search(/[^ \t]|$/)
}

/** The quote that is still open at a place: in single quotes two of them stand for one, in double quotes `\"` is none. */
function openQuote(text: string, at: number, quote: "'" | '"'): number {
  const before = [...text.slice(0, at).matchAll(quote === "'" ? /'+/g : /(?<!\\)(?:\\\\)*"/g)]
  const open = quote === "'" ? before.findLast(([run]) => run.length % 2 === 1) : before.at(-1)
  return open === undefined ? at : open.index + (quote === "'" ? 0 : open[0].length - 1)
}
