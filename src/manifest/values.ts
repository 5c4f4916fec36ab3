import { placeholderInKey } from '../problems/manifests.js'
import type { Problem, ReportProblem } from '../problems/problem.js'
import { type MapNode, type Node, nodeAt, type ScalarNode, scalarText } from './node.js'
import { holdsOther, lookUp, unclosed, type ValueSources } from './placeholder-sources.js'
import { placeOf, type SourceRange, textOfRange } from './source.js'

/** Whether `metadata.environments` includes an environment. An empty list means all, and "!name" all but that one. */
export function isAmong(names: readonly string[], environment: string | undefined): boolean {
  const listed = names.filter((name) => !name.startsWith('!'))
  return (listed.length === 0 || listed.some((name) => name === environment)) && !names.includes(`!${environment}`)
}

/** Whether a text has any placeholder. Most texts have none, and stay as they are. */
export const hasPlaceholders = (text: string): boolean => text.includes('${')

/** A text that does not come from a manifest, in the form for manifests: `${` in it starts no placeholder. */
export const literal = (text: string): string => text.replaceAll('${', () => '$${')

/** The names of the declared values that a range of text uses, each once. */
export const valueNames = ({ source, start, end }: SourceRange): readonly string[] => [
  ...new Set([...source.text.slice(start, end).matchAll(/(?<!\$)\$\{value:([^}]*)\}/g)].map(([, name = '']) => name)),
]

/** Replaces placeholders in every string; `$${` is a literal `${`. Placeholders inside a replacement are not replaced. */
export function resolveValues(node: Node, sources: ValueSources, report: ReportProblem): Node {
  switch (node.is) {
    case 'scalar':
      return resolvedScalar(node, sources, report)
    case 'list': {
      const parts = node.items.map((item) => resolvedItems(item, sources, report))
      const items = parts.flat()
      const isSpliced = parts.some(({ length }) => length !== 1) || items.some(({ spliced }) => spliced)
      return { ...node, items, ...secretIf(items.some(({ secret }) => secret)), ...splicedIf(isSpliced) }
    }
    case 'map':
      return resolveMap(node, sources, report)
  }
}

/** A list entry that is the placeholder of a list is replaced by the entries of that list. */
function resolvedItems(item: Node, sources: ValueSources, report: ReportProblem): readonly Node[] {
  const resolved = resolveValues(item, sources, report)
  if (item.is !== 'scalar' || resolved.is !== 'list') return [resolved]
  const [first, ...others] = resolved.items
  if (!resolved.lacks || !first) {
    resolved.lacks?.forEach(report)
    return resolved.items
  }
  return [{ ...first, lacks: [...resolved.lacks, ...(first.lacks ?? [])] }, ...others]
}

const knownForm = /\$\{(?:env|file|value|sops|age):/

/** Like `resolveValues`, for one mapping; its keys stay as written. */
export function resolveMap(map: MapNode, all: ValueSources, report: ReportProblem): MapNode {
  const isLeftOut = isOfOthers(map, all, report)
  const sources = isLeftOut ? { ...all, values: all.values?.ofOthers, lacking: undefined } : all
  const reported = isLeftOut ? butWhatOthersHave(report) : report
  for (const { key, range } of map.entries) if (knownForm.test(key)) report(placeholderInKey(placeOf(range)))
  const entries = map.entries.map((entry) => ({ ...entry, value: resolveValues(entry.value, sources, reported) }))
  const isSpliced = entries.some(({ value }) => value.spliced)
  return { ...map, entries, ...secretIf(entries.some(({ value }) => value.secret)), ...splicedIf(isSpliced) }
}

/**
 * Whether a problem is about what the chosen environment has and gives. Such a problem does not matter for objects that only
 * other environments have: their secrets are not needed here, and the values here need not fit them.
 */
export const isOfEnvironment = ({ code }: Problem): boolean =>
  code === 'secret-unavailable' || code === 'value-missing' || code === 'value-in-text'

const butWhatOthersHave =
  (report: ReportProblem): ReportProblem =>
  (problem) => {
    if (!isOfEnvironment(problem)) report(problem)
  }

/**
 * Whether `metadata.environments` limits an object to other environments than the chosen one. The limit may be a declared value.
 */
function isOfOthers(root: MapNode, sources: ValueSources, report: ReportProblem): boolean {
  const chosen = sources.values?.environment
  if (chosen === undefined) return false
  const limits = nodeAt(root, '/metadata/environments')
  return limits !== undefined && !isAmong(scalarTexts(resolveValues(limits, sources, report)), chosen)
}

const scalarTexts = (node: Node): readonly string[] =>
  (node.is === 'list' ? node.items : [node]).flatMap((each) => scalarText(each) ?? [])

const secretIf = (isSecret: boolean | undefined): { readonly secret?: true } => (isSecret ? { secret: true } : {})

const splicedIf = (isSpliced: boolean | undefined): { readonly spliced?: true } => (isSpliced ? { spliced: true } : {})

/** A placeholder without an end ends where the next one begins. */
const placeholder = /\$\$\{|\$\{((?:(?!\$\$?\{)[^}])*)(\}?)/g

/** A text that is only the placeholder of a value gets the value with its type. */
const wholeValue = /^\$\{value:([^}]+)\}$/

function resolvedScalar(node: ScalarNode, sources: ValueSources, report: ReportProblem): Node {
  if (typeof node.value !== 'string' || !node.value.includes('${')) return node
  if (sources.lacking !== 'kept') return known(node, node.value, sources, report)
  const lacks: Problem[] = []
  const found = known(node, node.value, sources, (problem) => {
    if (isOfEnvironment(problem)) lacks.push(problem)
    else report(problem)
  })
  return lacks.length === 0 ? found : { ...found, lacks }
}

function known(node: ScalarNode, text: string, sources: ValueSources, report: ReportProblem): Node {
  const [, name] = wholeValue.exec(text) ?? []
  if (name !== undefined && sources.values) {
    const found = sources.values.valueOf(name, node.range, report)
    return found ? { ...found, range: node.range, given: found.given ?? found.range } : { ...node, from: 'unresolved' }
  }
  return filledIn(node, text, sources, report)
}

function filledIn(node: ScalarNode, text: string, sources: ValueSources, report: ReportProblem): ScalarNode {
  let from: ScalarNode['from'] = 'text'
  let isSecret = false
  // The texts of the placeholders, except secrets.
  const open: string[] = []
  const find = placeholderFinder(node.range)
  const value = text.replaceAll(placeholder, (written: string, inner: string | undefined, end: string) => {
    const at = find(written)
    const isKept = sources.secrets === 'kept' && !inner?.startsWith('value:')
    if (isKept) return written
    open.push('${')
    if (inner === undefined) return '${'
    const requested = { inner, at, place: () => placeOf(at), range: node.range, report }
    const found = end === '' || holdsOther.test(inner) ? unclosed(requested) : lookUp(requested, sources)
    isSecret ||= found.secret ?? false
    open[open.length - 1] = found.secret || !('text' in found) ? '${}' : found.text
    if ('text' in found) {
      if (from === 'text') from = found.from ?? 'placeholder'
      return found.text
    }
    from = 'unresolved'
    if (found.problem) report(found.problem)
    return written
  })
  if (!isSecret) return { ...node, value, from }
  return { ...node, value, from, secret: true, template: text.replaceAll(placeholder, () => open.shift() ?? '') }
}

/**
 * Finds the places of a scalar's placeholders one after the other, if the source has them literally; otherwise the place is the
 * whole scalar.
 */
function placeholderFinder(range: SourceRange): (written: string) => SourceRange {
  const text = textOfRange(range)
  let behind = 0
  return (written) => {
    // Line breaks and blanks may differ in the source.
    const [head = ''] = /^\$\$?\{[\w:.-]*/.exec(written) ?? []
    const at = text.indexOf(head, behind)
    if (at === -1) return range
    behind = at + head.length
    return { ...range, start: range.start + at }
  }
}
