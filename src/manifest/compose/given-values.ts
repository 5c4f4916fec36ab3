import { type Json, textsIn } from '../../json/json.js'
import { undeclaredValue, valueWithoutText } from '../../problems/compose.js'
import type { Place, Problem, ReportProblem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import { keyWords, type Node, nodeFrom } from '../node.js'
import type { SourceRange } from '../source.js'
import { readYaml } from '../yaml/read-yaml.js'
import { type Declaration, fits, mappingEntries, type TypeName } from './value-declarations.js'

/** A value that an environment or the command line gives. */
export interface GivenValue {
  readonly node: Node
  /** The layer that gives it: `values of environment prod`. */
  readonly layer: string
  /** The place of its name, if a file gives it. */
  readonly range?: SourceRange
}

/** Texts that the command line gives to values, by name; no file of the project has them. */
type TypedValues = Readonly<Record<string, string>>

const byHand = '--value'

/** The typed values of a project, masked; undefined if there are none. */
export function typedValues(
  layers: { readonly given: ReadonlyMap<string, GivenValue> } | undefined,
  mask: (text: string) => string,
): TypedValues | undefined {
  const typed = [...(layers?.given ?? [])].flatMap(([name, { node, layer }]) =>
    layer === byHand ? [[name, mask(node.range.source.text)] as const] : [],
  )
  return typed.length === 0 ? undefined : Object.fromEntries(typed)
}

/**
 * The problems of a value that is given from outside the project; `place`: where it is given. A value with a placeholder is
 * checked after the placeholder is resolved.
 */
export function givenProblems(
  name: string,
  value: Json,
  place: Place,
  declared: readonly Declaration[],
): readonly Problem[] {
  const known = declared.map((each) => each.name)
  const found = declared.find((each) => each.name === name)
  if (!found) return [undeclaredValue(place, keyWords(name), nearest(name, known), known)]
  if (textsIn(value).some((text) => text.includes('${'))) return []
  const problems: Problem[] = []
  const text = JSON.stringify(value)
  const range = { source: { file: place.file, text }, start: 0, end: text.length }
  fits(found, nodeFrom(value, range), (problem) => problems.push({ ...problem, place }))
  return problems
}

/** The given value that wins, with its layer; undefined if nothing gives it. */
export function valueOrigin(
  { declared, given }: { readonly declared: readonly Declaration[]; readonly given: ReadonlyMap<string, GivenValue> },
  name: string,
): GivenValue | undefined {
  const fallback = declared.find((each) => each.name === name)?.fallback
  return given.get(name) ?? (fallback && { node: fallback, layer: 'default of spec.values' })
}

/** The values that an environment gives, declared or not. */
export function readGiven(
  node: Node | undefined,
  layer: string,
  report: ReportProblem,
): ReadonlyMap<string, GivenValue> {
  return new Map(
    mappingEntries(node, layer, report).map(({ key, range, value }) => [key, { node: value, layer, range }]),
  )
}

/** The values of the command line, each `NAME=TEXT`, converted to their declared types. */
export function readTyped(
  texts: readonly string[],
  declared: readonly Declaration[],
  report: ReportProblem,
): ReadonlyMap<string, GivenValue> {
  return new Map(
    texts.map((written): [string, GivenValue] => {
      const at = written.indexOf('=')
      const name = written.slice(0, at === -1 ? undefined : at)
      const text = at === -1 ? '' : written.slice(at + 1)
      const found = declared.find((each) => each.name === name)
      if (at === -1) report(valueWithoutText(name))
      else if (!found) {
        const known = declared.map((each) => each.name)
        report(undeclaredValue(undefined, name, nearest(name, known), known))
      }
      return [name, { node: at === -1 ? withoutText : typedNode(text, found?.type), layer: byHand }]
    }),
  )
}

/** It is reported already. */
const withoutText: Node = {
  is: 'scalar',
  value: null,
  from: 'unresolved',
  range: { source: { file: byHand, text: '', lines: 'none' }, start: 0, end: 0 },
}

function typedNode(text: string, type: TypeName | undefined): Node {
  const source = { file: byHand, text, lines: 'none' as const }
  const range = { source, start: 0, end: text.length }
  if (type === 'string') return nodeFrom(text, range)
  const [node] = readYaml(source).documents
  return node ?? nodeFrom(text, range)
}
