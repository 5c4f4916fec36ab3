import {
  type ExtensionLevel,
  extensionLevels,
  extensionPrefix,
  fieldsExtension,
  generated,
} from '../../catalog/openapi.js'
import { ownValue } from '../../catalog/record.js'
import type { FieldType } from '../../catalog/types.js'
import { wrongType } from '../../problems/manifests.js'
import { misplacedExtension, namedByField, unknownExtension } from '../../problems/openapi.js'
import type { ReportProblem } from '../../problems/problem.js'
import { nearest } from '../../problems/suggest.js'
import { labelled } from '../compose/defaults.js'
import { overlay } from '../compose/overlay.js'
import { itemsOf, readFlag, readString } from '../field-value.js'
import { hideDoubtful } from '../hide-secrets.js'
import { type Entry, formWords, type MapNode, type Node, valueAt } from '../node.js'
import { reportSecretNames } from '../secret-paths.js'
import { type LocatedText, placeOf, type SourceRange } from '../source.js'

/** The content of the keys `x-gatewright-…` of the file, of a path or of an operation. */
export interface Extensions {
  /** Fields of the endpoint. */
  readonly fields: readonly Entry[]
  readonly name: LocatedText | undefined
  /** Former names or former paths. */
  readonly formerly: readonly LocatedText[]
  readonly skip: boolean
}

const ofName = ['a name', 'an empty text'] as const

/** Most paths and operations have no extensions. */
const noExtensions: Extensions = { fields: [], name: undefined, formerly: [], skip: false }

/** Reads the extensions of a mapping. `checkExtensions` reports those that mean nothing at this level. */
export function readExtensions(
  map: MapNode,
  level: ExtensionLevel,
  resolve: (node: Node) => Node,
  report: ReportProblem,
): Extensions {
  if (!map.entries.some(({ key }) => key.startsWith(extensionPrefix))) return noExtensions
  const read = (name: keyof typeof extensionLevels): Node | undefined => {
    const found = valueAt(map, `${extensionPrefix}${name}`)
    return found && extensionLevels[name]?.includes(level) ? resolve(found) : undefined
  }
  const fields = map.entries.flatMap(({ key, value }) =>
    key === fieldsExtension ? [extensionFields(resolve(value), report)] : [],
  )
  const skip = read('skip')
  return {
    fields: fields.reduceRight<readonly Entry[]>((lower, upper) => overlay(lower, upper, typeOf), []),
    name: locatedTextOf(read('name'), `${extensionPrefix}name`, ofName, report),
    formerly: itemsIn(read('formerly'), `${extensionPrefix}formerly`, report),
    skip: (skip && readFlag(skip, `${extensionPrefix}skip`, report)) ?? false,
  }
}

/** The type of a field of the endpoint. */
export const typeOf = (field: string): FieldType | undefined => generated.kind.fields[field]?.type

function extensionFields(node: Node, report: ReportProblem): readonly Entry[] {
  hideDoubtful(node)
  if (node.is !== 'map') {
    report(wrongType(placeOf(node.range), fieldsExtension, `fields of ${generated.kind.name}`, formWords(node)))
    return []
  }
  const fields = node.entries.filter(({ key, range }) => {
    if (key === generated.kind.naming) report(namedByField(placeOf(range), key))
    return key !== generated.kind.naming
  })
  return labelled(fields, fieldsExtension)
}

/** A text that is not empty. `expected` and `empty` are its words in messages. */
export function locatedTextOf(
  node: Node | undefined,
  at: string,
  [expected, empty]: readonly [string, string],
  report: ReportProblem,
): LocatedText | undefined {
  const text = node && readString(node, at, { report })
  if (!node || text === undefined) return undefined
  reportSecretNames(node, report)
  if (text.trim() !== '') return { text, range: node.range }
  report(wrongType(placeOf(node.range), at, expected, empty))
  return undefined
}

const itemsIn = (node: Node | undefined, at: string, report: ReportProblem): readonly LocatedText[] =>
  node ? itemsOf(node, at, { report }).flatMap((item) => locatedTextOf(item, at, ofName, report) ?? []) : []

const levelWords: Readonly<Record<ExtensionLevel, string>> = {
  file: 'the file itself',
  path: 'a path',
  operation: 'an operation',
}

/** Reports every extension that is unknown, or that means nothing at its level. */
export function checkExtensions(root: Node, levels: ReadonlyMap<Node, ExtensionLevel>, report: ReportProblem): void {
  const seen = new Set<Node>()
  const visit = (node: Node): void => {
    if (node.is === 'scalar' || seen.has(node)) return
    seen.add(node)
    if (node.is === 'list') {
      for (const item of node.items) visit(item)
      return
    }
    for (const { key, range, value } of node.entries) {
      if (!key.startsWith(extensionPrefix)) visit(value)
      else checkExtension(key, range, levels.get(node), report)
    }
  }
  visit(root)
}

function checkExtension(
  key: string,
  range: SourceRange,
  level: ExtensionLevel | undefined,
  report: ReportProblem,
): void {
  const allowed = ownValue(extensionLevels, key.slice(extensionPrefix.length))
  const known = Object.keys(extensionLevels).map((name) => `${extensionPrefix}${name}`)
  if (!allowed) report(unknownExtension(placeOf(range), key, nearest(key, known), known))
  else if (!level || !allowed.includes(level)) {
    report(
      misplacedExtension(
        placeOf(range),
        key,
        allowed.map((each) => levelWords[each]),
      ),
    )
  }
}
