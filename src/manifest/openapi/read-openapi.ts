import { generated, openApiKind } from '../../catalog/openapi.js'
import { kindsInside } from '../../catalog/queries.js'
import { noOperations } from '../../problems/openapi.js'
import type { Problem } from '../../problems/problem.js'
import { addressOfAncestors } from '../ancestors.js'
import { Composer, candidateOf } from '../compose/composer.js'
import { readDefaults } from '../compose/defaults.js'
import type { Layers } from '../compose/layers.js'
import { metadataOf } from '../document.js'
import { type Metadata, noMetadata, readMetadata } from '../metadata.js'
import type { MapNode, Node } from '../node.js'
import { readObject } from '../object.js'
import type { ObjectCollector } from '../object-collector.js'
import type { ObjectText } from '../object-text.js'
import { rangeOfParentKey } from '../reference-use.js'
import { placeOf } from '../source.js'
import { readApi } from './api.js'
import type { ApiFiles } from './api-files.js'
import { endpointsOf } from './endpoints.js'
import { chosen } from './selection.js'
import { readSpec } from './spec.js'

/** What the generation of objects depends on. */
interface OpenApiContext {
  readonly files: ApiFiles
  /** Fills in the placeholders of a value. */
  resolve(node: Node): Node
  /**
   * Converts a text of an OpenAPI file, which cannot have placeholders, to the value of a field. The text is escaped if
   * placeholders stay as written.
   */
  literal(text: string): string
  readonly layers: Pick<Layers, 'environment' | 'environments'>
  /** Collects the objects. */
  readonly collector: ObjectCollector
  /** Receives the problems of the document and of the file. */
  report(problem: Problem): void
}

/** Reads a document of kind OpenAPI, and the objects that its file stands for. They are added to other objects (A293). */
export function readOpenApi(
  root: MapNode,
  { files, resolve, literal, layers, collector, report }: OpenApiContext,
): void {
  const resolved = resolve(root)
  const { kind } = generated
  if (resolved.is !== 'map') return
  let isBroken = false
  const reportOfFile = (problem: Problem): void => {
    isBroken ||= problem.severity === 'error'
    report(problem)
  }
  const metadata = readMetadata(kind, metadataOf(resolved), 'generator', root.range, report)
  const spec = readSpec(resolved, report)
  const opened = spec && files.open(spec.file.text, spec.file, 'file')
  const api = opened && readApi(opened, { files, resolve, report: reportOfFile })
  if (!spec || !api) {
    collector.misses()
    return
  }
  const endpoints = endpointsOf(chosen(api.operations, spec, reportOfFile), api, spec, {
    literal,
    report: reportOfFile,
  })
  isBroken ||= !api.isWhole
  if (isBroken) collector.misses()
  // The reason why they were not read is already reported.
  if (endpoints.length === 0 && !isBroken) report(noOperations(placeOf(spec.file.range), spec.file.text))
  const ancestors = collector.pinned(metadata.ancestors, (parent) => rangeOfParentKey(root.range, parent.kind))
  const { defaults, ...others } = metadata
  const owner = `this ${openApiKind} document`
  const own = new Composer(
    {
      ...layers,
      defaults: defaults
        ? [readDefaults(defaults, `metadata.defaults of ${owner}`, report, [kind.name, ...kindsInside(kind)])]
        : [],
      patches: spec.patches,
    },
    report,
    owner,
  )
  let isWhole = !isBroken
  const composing: ObjectCollector = {
    ...collector,
    compose: (text, key, id) => {
      // Patches of the document apply to its objects in every environment.
      const { environments } = text.metadata
      const composed = own.compose(withEnvironments(text, []), key, id)
      if (composed?.isLeftOut && own.leavesOut(candidateOf(text, key, id).address)) return composed
      const desired = composed && collector.compose(withEnvironments(composed, environments), key, id)
      // The content of an object that is left out here is not read.
      if (composed && !desired) isWhole = false
      return desired
    },
  }
  const parent = addressOfAncestors(ancestors)
  // Every property is named, here and below: there are thousands of objects, and copying them with "..." would take most of the
  // time.
  for (const { name, formerly, metadata: written, entries, range } of endpoints) {
    const one = readMetadata(kind, written, 'inline', range, report)
    const metadata = both(others, one, name, formerly)
    readObject(
      {
        kind,
        form: 'document',
        metadata,
        ancestors,
        parent,
        isInside: false,
        owner: undefined,
        entries,
        range,
        generatedBy: root.range,
      },
      composing,
    )
  }
  own.finish({ ...collector, report }, isWhole)
}

const withEnvironments = (text: ObjectText, environments: Metadata['environments']): ObjectText =>
  text.metadata.environments.length === environments.length
    ? text
    : { ...text, metadata: { ...text.metadata, environments } }

/** The metadata of the document, which is for all its objects, merged with that of one object. */
const both = (
  all: Omit<Metadata, 'defaults'>,
  one: Metadata,
  name: Metadata['name'],
  formerly: readonly string[],
): Metadata => ({
  name,
  id: one.id,
  formerly: concatenated(formerly, one.formerly),
  labels: one === noMetadata ? all.labels : { ...all.labels, ...one.labels },
  protect: all.protect || one.protect,
  ignore: concatenated(all.ignore, one.ignore),
  sensitive: concatenated(all.sensitive, one.sensitive),
  extraFields: one.extraFields === 'pass' ? 'pass' : all.extraFields,
  environments: one.environments.length > 0 ? one.environments : all.environments,
  defaults: one.defaults,
  without: concatenated(all.without, one.without),
  ancestors: all.ancestors,
  owner: all.owner,
})

const concatenated = <Item>(left: readonly Item[], right: readonly Item[]): readonly Item[] =>
  right.length === 0 ? left : [...left, ...right]
