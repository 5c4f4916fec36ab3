import { EVENT_ID, type Event } from 'js-yaml'
import { eventsIn } from './events.js'

/**
 * A text of one document, with the same length. Blanks replace what the package refuses although other readers of YAML accept it:
 * the line break before a closing bracket that is indented like its key, and a tab between values.
 */
export function withTolerated(text: string, mostDeep: number): string {
  const found = eventsIn(text, mostDeep)
  if (!('mistake' in found) || found.mistake !== 'not-indented' || !easedAt(text, found.at)) return text
  const atOnce = eased(withBracketsJoined(text, found.at), text, mostDeep)
  // A bracket inside a text, which only looks like such a bracket, may be the reason.
  return atOnce.isRead ? atOnce.text : eased(text, text, mostDeep).text
}

/** The text is parsed again for each place: this is the limit. */
const mostPlaces = 50

interface Eased {
  readonly text: string
  readonly isRead: boolean
}

function eased(from: string, text: string, mostDeep: number): Eased {
  let now = from
  for (let places = 0; ; places += 1) {
    const found = eventsIn(now, mostDeep)
    // A bracket in quotes closes nothing.
    if ('events' in found) {
      return found.events.some((event) => isJoined(event, text)) ? { text, isRead: false } : { text: now, isRead: true }
    }
    const next = found.mistake === 'not-indented' && places < mostPlaces ? easedAt(now, found.at) : undefined
    if (next === undefined) return { text: now, isRead: false }
    now = next
  }
}

const isJoined = (event: Event, text: string): boolean =>
  event.type === EVENT_ID.SCALAR && event.fast && text.slice(event.valueStart, event.valueEnd).includes('\n')

/** undefined if something else is wrong. */
function easedAt(text: string, at: number): string | undefined {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  if (/[\]}]/.test(text.charAt(at)) && line.trim() === '') return withBlanks(text, gapBefore(text, at), at)
  const tab = at - line.length + line.lastIndexOf('\t')
  return /\S.*\t/.test(line) ? withBlanks(text, tab, tab + 1) : undefined
}

function withBracketsJoined(text: string, from: number): string {
  const parts: string[] = []
  let end = 0
  for (const { index, 0: found } of text.matchAll(/^[ \t]*[\]}]/gm)) {
    const at = index + found.length - 1
    if (at < from) continue
    const gap = Math.max(gapBefore(text, at), end)
    parts.push(text.slice(end, gap), ' '.repeat(at - gap))
    end = at
  }
  return [...parts, text.slice(end)].join('')
}

const withBlanks = (text: string, start: number, end: number): string =>
  text.slice(0, start) + ' '.repeat(end - start) + text.slice(end)

/** Where the blanks, line breaks and comments before a place begin. */
function gapBefore(text: string, at: number): number {
  for (let end = at; ; ) {
    const start = text.lastIndexOf('\n', end - 1) + 1
    const written = withoutComment(text.slice(start, end)).trimEnd()
    if (written !== '' || start === 0) return start + written.length
    end = start - 1
  }
}

/** A `#` in quotes does not begin a comment. */
function withoutComment(line: string): string {
  const found = [...line.matchAll(/"(?:\\.|[^"\\])*"|'[^']*'|(?:^|\s)#.*/g)].find(([part]) => /^\s?#/.test(part))
  return found ? line.slice(0, found.index) : line
}
