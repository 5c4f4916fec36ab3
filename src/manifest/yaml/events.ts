import { type Event, parseEvents, YAMLException } from 'js-yaml'
import type { YamlMistake } from '../../problems/yaml.js'

/**
 * The first mistake that prevents reading, and its offset. `depth` is not a mistake of YAML, but no manifest needs such a depth.
 */
export interface FirstMistake {
  readonly at: number
  readonly mistake: YamlMistake | 'depth'
}

/** The events of a text, or its first mistake. `mostDeep`: how many collections may be inside each other. */
export function eventsIn(text: string, mostDeep: number): { readonly events: readonly Event[] } | FirstMistake {
  try {
    return { events: parseEvents(text, { maxDepth: mostDeep + 1 }) }
  } catch (cause) {
    if (cause instanceof YAMLException) return failureOf(text, cause.reason, cause.mark?.position ?? 0)
    throw cause
  }
}

/** The messages of the package have no helpful place, and may show a secret, so they are replaced by our own. */
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
      // At this point the package has read the whole line, except for a line in the place of `---`.
      return {
        at: reason.includes('end mark') && !isOver(text, at) ? at : text.lastIndexOf('\n%', at - 1) + 1,
        mistake,
      }
    case 'bracket':
      return { at: text.trimEnd().length, mistake }
    case 'not-indented':
      // At the end of the text, no single line is wrong.
      if (isOver(text, at)) return { at: text.trimEnd().length, mistake: 'open' }
      return tabOf(text, at) ?? { at, mistake }
    default:
      return { at, mistake }
  }
}

const isOver = (text: string, at: number): boolean => text.slice(at).trim() === ''

/** A character is not allowed where it is: at the beginning of its line, or after a value. */
function misplaced(text: string, at: number): FirstMistake {
  if (/[@`%*&!|>,\]}]/.test(text.charAt(at))) return { at, mistake: 'first-character' }
  const tab = tabOf(text, at)
  if (tab) return tab
  const start = startOfLine(text, at)
  // A wrongly indented line `key: value` continues the text of the line before, so its colon is one too many.
  const isPair = text[at] === ':' && !/:\s|^---\s/.test(text.slice(start, at))
  const top = topWithoutColon(text, start)
  // If a line lacks its colon, the next line with the same indentation counts as more of its text.
  if (isPair && top !== start && columnOf(text, top) === columnOf(text, start)) return { at: top, mistake: 'no-colon' }
  return start === at || isPair ? { at: start, mistake: 'indentation' } : { at, mistake: 'behind-value' }
}

/** A tab in the indentation of the line that contains a place. */
function tabOf(text: string, at: number): FirstMistake | undefined {
  const line = text.lastIndexOf('\n', at - 1) + 1
  const tab = /^[-?: ]*\t/.exec(text.slice(line, at))
  return tab ? { at: line + tab[0].length - 1, mistake: 'tab' } : undefined
}

/**
 * The first character of the topmost line without a colon above a place: such a line continues on the next one. Deeper lines
 * belong to a value above.
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

/** The first non-blank character of the line that contains a place. */
function startOfLine(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1
  return start + text.slice(start).search(/[^ \t]|$/)
}

/** The quote that is still open at a place. In single quotes, two of them mean one; in double quotes, `\"` does not close. */
function openQuote(text: string, at: number, quote: "'" | '"'): number {
  const before = [...text.slice(0, at).matchAll(quote === "'" ? /'+/g : /(?<!\\)(?:\\\\)*"/g)]
  const open = quote === "'" ? before.findLast(([run]) => run.length % 2 === 1) : before.at(-1)
  return open === undefined ? at : open.index + (quote === "'" ? 0 : open[0].length - 1)
}
