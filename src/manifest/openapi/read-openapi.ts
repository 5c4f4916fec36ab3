import { generated, openApiKind } from '../../catalog/openapi.js'
import { noOperations } from '../../problems/openapi.js'
import { Composer } from '../compose/composer.js'
import { readDefaults } from '../compose/defaults.js'
import type { Layers } from '../compose/layers.js'
import { addressOfAncestors, type Gathering } from '../gathering.js'
import { readMetadata } from '../metadata.js'
import { type MapNode, valueAt } from '../node.js'
import { readObject } from '../object.js'
import { placeOf } from '../source.js'
import { hasPlaceholders, resolveMap, resolveValues, type ValueSources } from '../values.js'
import { readApi } from './api.js'
import type { ApiFiles } from './api-files.js'
import { endpointsOf } from './endpoints.js'
import { chosen } from './selection.js'
import { readSpec } from './spec.js'

/** What objects are generated with. */
export interface OpenApiContext {
  readonly files: ApiFiles
  readonly sources: ValueSources
  readonly layers: Pick<Layers, 'environment' | 'environments' | 'values'>
  readonly gathering: Gathering
}

/** Reads a document of kind OpenAPI, and the objects that the file that it names stands for. */
export function readOpenApi(root: MapNode, { files, sources, layers, gathering }: OpenApiContext): void {
  const { report } = gathering
  const resolved = resolveMap(root, sources, report)
  const { kind } = generated
  const metadata = readMetadata(kind, valueAt(resolved, 'metadata'), 'generator', root.mark, report)
  const spec = readSpec(resolved, report)
  const opened = spec && files.open(spec.file.text, spec.file.node, 'file')
  if (!spec || !opened) return
  const api = readApi(opened, {
    files,
    resolve: (node) => (hasPlaceholders(textOf(node)) ? resolveValues(node, sources, report) : node),
    report,
  })
  if (!api) return
  const endpoints = endpointsOf(chosen(api.operations, spec, report), api, spec, report)
  if (endpoints.length === 0) report(noOperations(placeOf(spec.file.node.mark), spec.file.text))
  const ancestors = gathering.pinned(metadata.ancestors, root.mark)
  const { defaults, ...others } = metadata
  const own = new Composer(
    {
      ...{ environment: layers.environment, environments: layers.environments, values: layers.values },
      defaults: defaults ? [readDefaults(defaults, `metadata.defaults of this ${openApiKind} document`, report)] : [],
      patches: spec.patches,
    },
    report,
    `this ${openApiKind} document`,
  )
  const composing: Gathering = {
    ...gathering,
    compose: (text, key, id) => {
      const composed = own.compose(text, key, id)
      return composed && gathering.compose(composed, key, id)
    },
  }
  for (const { name, formerly, entries, mark } of endpoints) {
    readObject(
      {
        ...{ kind, form: 'document', entries, mark, ancestors, generatedBy: root.mark },
        metadata: { ...others, defaults: undefined, name, formerly },
        ...{ parent: addressOfAncestors(ancestors), isInside: false, owner: undefined },
      },
      composing,
    )
  }
  own.finish()
}

const textOf = ({ mark: { source, start, end } }: MapNode | ReturnType<typeof resolveValues>): string =>
  source.text.slice(start, end)
