import { documentKeys } from '../../catalog/metadata-keys.js'
import {
  type EndpointSource,
  endpointSources,
  generated,
  type MethodSource,
  methodSources,
  namePlaceholders,
  openApiKeys,
  openApiKind,
  pathPlaceholders,
} from '../../catalog/openapi.js'
import { unknownValue, wrongType } from '../../problems/manifests.js'
import { noFile, unknownPart } from '../../problems/openapi.js'
import type { ReportProblem } from '../../problems/problem.js'
import { isMistyped, nearest } from '../../problems/suggest.js'
import type { Patch } from '../compose/layers.js'
import { readPatches } from '../compose/patches.js'
import { readString } from '../field-value.js'
import { displayedText, type Entry, entryAt, formWords, isNull, type MapNode, type Node, valueAt } from '../node.js'
import { type LocatedText, placeOf } from '../source.js'
import { reportUnknownKeys } from '../unknown-keys.js'
import { locatedTextOf } from './extensions.js'
import { type OperationSelection, readSelection } from './selection.js'
import { partsIn } from './template.js'

/** The `spec` of a document of kind OpenAPI. */
export interface OpenApiSpec {
  readonly file: LocatedText
  readonly grouping: EndpointSource
  /** Texts with `{…}` in them. */
  readonly name: LocatedText | undefined
  readonly path: LocatedText | undefined
  readonly target: LocatedText | undefined
  /** The hosts of the back end, as a field of the endpoint. */
  readonly backends: Entry | undefined
  readonly methods: MethodSource
  readonly only: OperationSelection
  readonly except: OperationSelection
  readonly patches: readonly Patch[]
}

/** Reads the spec, with its placeholders filled in; undefined if nothing can be generated, and the reason is reported. */
export function readSpec(root: MapNode, report: ReportProblem): OpenApiSpec | undefined {
  const spec = valueAt(root, 'spec')
  if (spec?.is !== 'map') {
    const keys = root.entries.map(({ key }) => key)
    if (spec && !isNull(spec))
      report(wrongType(placeOf(spec.range), 'spec', `the keys of ${openApiKind}`, formWords(spec)))
    else if (!isMistyped('spec', keys, documentKeys)) report(noFile(placeOf((spec ?? root).range)))
    return undefined
  }
  reportUnknownKeys(spec, `spec of ${openApiKind}`, openApiKeys, report)
  const written = (key: string) => valueAt(spec, key)
  const text = (key: string) => locatedTextOf(written(key), `spec.${key}`, ['a text', 'an empty one'], report)
  const file = text('file')
  const keys = spec.entries.map(({ key }) => key)
  if (!written('file') && !isMistyped('file', keys, openApiKeys)) report(noFile(placeOf(spec.range)))
  const name = text('name')
  const path = text(generated.route.path)
  const target = text(generated.row.target)
  checkParts(name, namePlaceholders, report)
  checkParts(path, pathPlaceholders, report)
  checkParts(target, pathPlaceholders, report)
  const read: Omit<OpenApiSpec, 'file'> = {
    grouping: wordOf(written('endpoints'), 'spec.endpoints', endpointSources, report) ?? endpointSources[0],
    name,
    path,
    target,
    backends: entryAt(spec, generated.row.backends),
    methods: wordOf(written('methods'), 'spec.methods', methodSources, report) ?? methodSources[0],
    only: readSelection(written('only'), 'spec.only', report),
    except: readSelection(written('except'), 'spec.except', report),
    patches: readPatches(written('patches'), `this ${openApiKind} document`, report, generated.kind),
  }
  // Without its template, the name or the path would be another one.
  const isLost = ['name', generated.route.path].some((key) => written(key) && !text(key))
  return file && !isLost ? { file, ...read } : undefined
}

/** A word without a meaning would stay in the result as written. */
function checkParts(template: LocatedText | undefined, known: readonly string[], report: ReportProblem): void {
  for (const part of partsIn(template?.text ?? '')) {
    if (template && !known.includes(part))
      report(
        unknownPart(
          placeOf(template.range),
          part,
          nearest(part, known),
          known.map((each) => `{${each}}`),
        ),
      )
  }
}

function wordOf<Word extends string>(
  node: Node | undefined,
  at: string,
  words: readonly Word[],
  report: ReportProblem,
): Word | undefined {
  if (!node) return undefined
  const text = readString(node, at, { report })
  const found = words.find((each) => each === text)
  if (found === undefined && text !== undefined)
    report(unknownValue(placeOf(node.range), at, displayedText(node), nearest(text, words), words))
  return found
}
