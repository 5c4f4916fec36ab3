import { EVENT_ID, type Event } from 'js-yaml'
import { tooDeep } from '../../problems/manifests.js'
import { hasErrors, type Problem } from '../../problems/problem.js'
import { brokenYaml, type YamlMistake } from '../../problems/yaml.js'
import type { Node } from '../node.js'
import { placeOf, type Source } from '../source.js'
import { eventsIn, type FirstMistake } from './events.js'
import { mostDeep, readDocuments } from './nodes.js'

/** The documents of one text in their order, without empty ones and those that cannot be read. */
export interface Documents {
  readonly documents: readonly Node[]
  readonly problems: readonly Problem[]
}

/** Reads a text of one or more YAML documents, as YAML 1.2 with its core schema and merge keys (A111). */
export function readYaml(source: Source): Documents {
  const all = marked(source.text).flatMap((stream) => readStream(source, stream))
  return { documents: all.flatMap(({ documents }) => documents), problems: all.flatMap(({ problems }) => problems) }
}

function readStream(source: Source, { text, offset }: Piece): readonly YamlPart[] {
  const whole = readPart(source, { text, offset }, text)
  if (!('mistake' in whole)) return [whole]
  const pieces = partsOf(text)
  const allowed = pieces.map(tolerated)
  const again = readPart(source, { text, offset }, allowed.join(''))
  if (!('mistake' in again)) return [again]
  // A mistake makes only its own document unreadable.
  const parts = pieces.map((piece, index) =>
    readPart(source, { text: piece.text, offset: offset + piece.offset }, allowed[index] ?? ''),
  )
  return hasErrors(parts.flatMap(({ problems }) => problems)) ? parts : [again]
}

/**
 * A text of any number of documents, with the same length. Blanks replace what other packages refuse although it is accepted
 * here.
 */
export const withAllTolerated = (text: string): string => partsOf(text).map(tolerated).join('')

const tolerated = ({ text }: Piece): string => withTolerated(text, mostDeep)

/** A part of a text, and its offset. */
interface Piece {
  readonly text: string
  readonly offset: number
}

/** Every document may begin with a byte order mark, because its file may have been appended to another one (YAML 1.2.2, 5.2). */
function marked(text: string): readonly Piece[] {
  if (!text.includes(byteOrderMark, 1)) return [{ text, offset: 0 }]
  const marks = text.matchAll(/(?<=^(?:---|\.\.\.)[ \t]*(?:\r?\n)?)\uFEFF|^\uFEFF(?=---\s)/gm)
  const starts = [...new Set([0, ...[...marks].map(({ index }) => index)])]
  return starts.map((offset, index) => ({ text: text.slice(offset, starts[index + 1]), offset }))
}

const byteOrderMark = '\uFEFF'

/** A part of a text, and whether its YAML could not be read. */
interface YamlPart extends Documents {
  readonly mistake?: true
}

/** `allowed`: the text in the form that the package accepts. */
function readPart(source: Source, { text, offset }: Piece, allowed: string): YamlPart {
  const found = eventsIn(allowed, mostDeep)
  if ('events' in found) return readDocuments({ source, text, offset, events: found.events })
  const { at, mistake } = whereItBegan(found, text)
  const start = offset + at
  const place = placeOf({ source, start, end: start })
  const problem = mistake === 'depth' ? tooDeep(place, mostDeep) : brokenYaml(place, exactly(mistake, text, at))
  return { documents: [], problems: [problem], mistake: true }
}

/** git writes lines of its own around a conflict: any mistake there begins with the first of them. */
function whereItBegan(found: FirstMistake, text: string): FirstMistake {
  const conflict = text.search(/^(?:<{7} |={7}\r?$|>{7} )/m)
  return conflict === -1 ? found : { at: conflict, mistake: 'conflict' }
}

/**
 * A line that does not fit is most often indented deeper than the line above. If a comma is missing behind a "$", the text is a
 * placeholder.
 */
function exactly(mistake: YamlMistake, text: string, at: number): YamlMistake {
  if (mistake === 'no-comma' && text.startsWith('${', at - 1)) return 'placeholder'
  if (mistake !== 'indentation') return mistake
  const lines = text.slice(0, at).split('\n')
  const above = lines.slice(0, -1).findLast((line) => /^\s*[^\s#]/.test(line))
  const indented = (line: string): number => line.length - line.trimStart().length
  const own = lines.at(-1) ?? ''
  // The lines below | or > are a text, which may have any indentation.
  if (above === undefined || /[|>][-+\d]*\s*$/.test(above)) return mistake
  return own.trim() === '' && own.length > indented(above) ? 'deeper' : mistake
}

/** The documents of a text, which begin with `---`. Directives belong to the document after them. */
function partsOf(text: string): readonly Piece[] {
  const starts = [0]
  let directives: number | undefined
  for (const { 0: marker, index } of text.matchAll(/^(?:---(?=\s|$)|%)/gm)) {
    if (marker === '%') directives ??= index
    else {
      starts.push(directives ?? index)
      directives = undefined
    }
  }
  return starts.map((offset, index) => ({ text: text.slice(offset, starts[index + 1]), offset }))
}

/**
 * A text of one document, with the same length. Blanks replace what the package refuses although other readers of YAML accept it:
 * the line break before a closing bracket that is indented like its key, and a tab between values.
 */
function withTolerated(text: string, mostDeep: number): string {
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
