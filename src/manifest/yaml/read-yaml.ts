import { tooDeep } from '../../problems/manifests.js'
import { hasErrors, type Problem } from '../../problems/problem.js'
import { brokenYaml, type YamlMistake } from '../../problems/yaml.js'
import type { Node } from '../node.js'
import { placeOf, type Source } from '../source.js'
import { eventsIn } from './events.js'
import { mostDeep, readDocuments } from './nodes.js'

/** The documents of one text, in their order; empty ones and those that cannot be read are left out. */
export interface Documents {
  readonly documents: readonly Node[]
  readonly problems: readonly Problem[]
}

/** Reads a text of one or more YAML documents, as YAML 1.2 with its core schema and merge keys (A111). */
export function readYaml(source: Source): Documents {
  const whole = readPart(source, source.text, 0)
  if (!('mistake' in whole)) return whole
  // A mistake ends the document that it stands in, and not the others.
  const parts = partsOf(source.text).map(({ text, offset }) => readPart(source, text, offset))
  const all = hasErrors(parts.flatMap(({ problems }) => problems)) ? parts : [whole]
  return { documents: all.flatMap(({ documents }) => documents), problems: all.flatMap(({ problems }) => problems) }
}

/** A part of a text, and whether its YAML could not be read. */
interface Part extends Documents {
  readonly mistake?: true
}

function readPart(source: Source, text: string, offset: number): Part {
  const found = eventsIn(text, mostDeep)
  if ('events' in found) return readDocuments({ source, text, offset, events: found.events })
  const start = offset + found.at
  const place = placeOf({ source, start, end: start })
  const problem =
    found.mistake === 'depth' ? tooDeep(place, mostDeep) : brokenYaml(place, exactly(found.mistake, text, found.at))
  return { documents: [], problems: [problem], mistake: true }
}

/** A line that does not fit is most often indented deeper than the one above it. */
function exactly(mistake: YamlMistake, text: string, at: number): YamlMistake {
  if (mistake !== 'indentation') return mistake
  const lines = text.slice(0, at).split('\n')
  const above = lines.slice(0, -1).findLast((line) => /^\s*[^\s#]/.test(line))
  const indented = (line: string): number => line.length - line.trimStart().length
  const own = lines.at(-1) ?? ''
  // What stands below | or > is a text, which begins as deep as it likes.
  if (above === undefined || /[|>][-+\d]*\s*$/.test(above)) return mistake
  return own.trim() === '' && own.length > indented(above) ? 'deeper' : mistake
}

/** The documents of a text as they begin with `---`; directives belong to the document that they stand before. */
function partsOf(text: string): readonly { readonly text: string; readonly offset: number }[] {
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
