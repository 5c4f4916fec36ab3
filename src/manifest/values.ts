import { ownValue } from '../catalog/record.js'
import type { Files } from '../files/files.js'
import type { Limits } from '../files/ordinary-file.js'
import { missingValueFile, unknownPlaceholder, unsetVariable } from '../problems/manifests.js'
import type { Problem } from '../problems/problem.js'
import type { MapNode, Node, ScalarNode } from './node.js'
import { type Mark, placeOf } from './source.js'

/** Where placeholders take their values from. */
export interface ValueSources {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly files: Files
}

/** Whether a text has any placeholder: most have none, and are kept as they are. */
export const hasPlaceholders = (text: string): boolean => text.includes('${')

/** Replaces `${env:NAME}` and `${file:path}` in every string; `$${` is a literal `${`. Values replaced are not read again. */
export function resolveValues(node: Node, sources: ValueSources, report: (problem: Problem) => void): Node {
  switch (node.is) {
    case 'scalar':
      return resolvedScalar(node, sources, report)
    case 'list':
      return { ...node, items: node.items.map((item) => resolveValues(item, sources, report)) }
    case 'map':
      return resolveMap(node, sources, report)
  }
}

/** As `resolveValues`, for one mapping. */
export function resolveMap(map: MapNode, sources: ValueSources, report: (problem: Problem) => void): MapNode {
  return {
    ...map,
    entries: map.entries.map((entry) => ({ ...entry, value: resolveValues(entry.value, sources, report) })),
  }
}

const placeholder = /\$\$\{|\$\{([^}]*)(\}?)/g

function resolvedScalar(node: ScalarNode, sources: ValueSources, report: (problem: Problem) => void): ScalarNode {
  if (typeof node.value !== 'string' || !node.value.includes('${')) return node
  let from: ScalarNode['from'] = 'text'
  const value = node.value.replaceAll(placeholder, (written: string, inner: string | undefined, end: string) => {
    if (inner === undefined) return '${'
    const found = end === '' ? { problem: unclosed(node.mark, written) } : lookUp(inner, written, node.mark, sources)
    if ('text' in found) {
      if (from === 'text') from = 'placeholder'
      return found.text
    }
    from = 'unresolved'
    report(found.problem)
    return written
  })
  return { ...node, value, from }
}

type Found = { readonly text: string } | { readonly problem: Problem }

const forms = ['${env:NAME}', '${file:path}']

function lookUp(inner: string, written: string, mark: Mark, sources: ValueSources): Found {
  const colon = inner.indexOf(':')
  const argument = inner.slice(colon + 1)
  switch (inner.slice(0, Math.max(colon, 0))) {
    case 'env': {
      const text = ownValue(sources.env, argument)
      return text === undefined ? { problem: unsetVariable(placeWithin(mark, written), argument) } : { text }
    }
    case 'file':
      return readValueFile(argument, written, mark, sources.files)
  }
  return { problem: unknownPlaceholder(placeWithin(mark, written), 'unknown', forms) }
}

const valueLimits: Limits = { largest: 2 ** 20, pipes: 'refuse' }

function readValueFile(path: string, written: string, mark: Mark, files: Files): Found {
  const read = files.readText(beside(mark.source.file, path), valueLimits)
  return 'text' in read ? read : { problem: missingValueFile(placeWithin(mark, written), path, read.failure) }
}

const unclosed = (mark: Mark, written: string): Problem =>
  unknownPlaceholder(placeWithin(mark, written), 'unclosed', forms)

/** A path as written in a file, seen from where the program runs. */
const beside = (file: string, path: string): string =>
  path.startsWith('/') || !file.includes('/') ? path : `${file.slice(0, file.lastIndexOf('/'))}/${path}`

/** The place of the placeholder itself, where the scalar's text has it literally. */
function placeWithin(mark: Mark, written: string) {
  const at = mark.source.text.slice(mark.start, mark.end).indexOf(written)
  return placeOf(at === -1 ? mark : { ...mark, start: mark.start + at })
}
