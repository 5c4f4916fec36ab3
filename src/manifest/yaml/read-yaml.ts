import { tooDeep } from '../../problems/manifests.js'
import { hasErrors, type Problem } from '../../problems/problem.js'
import { brokenYaml, type YamlMistake } from '../../problems/yaml.js'
import type { Node } from '../node.js'
import { placeOf, type Source } from '../source.js'
import { eventsIn, type FirstMistake } from './events.js'
import { mostDeep, readDocuments } from './nodes.js'
import { withTolerated } from './tolerated.js'

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
