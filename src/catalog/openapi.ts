import { elementOf, kinds } from './queries.js'
import type { Kind, OpenApiRow, RouteRow } from './types.js'

/** What a document of kind OpenAPI may say (design §2.3). Names of fields are those of the kind that it generates. */

/** The kind of these documents. */
export const openApiKind = 'OpenAPI'

/** What becomes one endpoint; the first is the default. */
export const endpointSources = ['path', 'operation', 'tag', 'api'] as const

export type EndpointSource = (typeof endpointSources)[number]

/** Where the names of methods come from; the first is the default. */
export const methodSources = ['segments', 'operationId', 'none'] as const

export type MethodSource = (typeof methodSources)[number]

/** By what operations are chosen. */
export const selectionKeys = ['tags', 'operationIds', 'paths', 'extensions'] as const

/** What stands for a part of the OpenAPI file in a name. */
export const namePlaceholders = ['title', 'version', 'path', 'operationId', 'tag', 'verbs', 'summary', 'name'] as const

/** What stands for a part of the OpenAPI file in a path. */
export const pathPlaceholders = ['path', 'server.path'] as const

/** Keys of ours in an OpenAPI file, by what follows `x-gatewright-`, with the levels at which they mean something. */
export const extensionLevels: Readonly<Record<string, readonly ExtensionLevel[]>> = {
  endpoint: ['file', 'path', 'operation'],
  name: ['path', 'operation'],
  formerly: ['path', 'operation'],
  skip: ['path', 'operation'],
}

export type ExtensionLevel = 'file' | 'path' | 'operation'

export const extensionPrefix = 'x-gatewright-'

/** The extension that gives fields: what is nearer wins in it member by member, in the others whole. */
export const fieldsExtension = `${extensionPrefix}endpoint`

/** The kind that operations become, and its fields that they say something of. */
interface Generated {
  readonly kind: Kind
  readonly route: RouteRow
  readonly row: OpenApiRow
}

export const generated: Generated = findGenerated()

function findGenerated(): Generated {
  for (const kind of kinds) {
    if (kind.openApi && kind.route) return { kind, route: kind.route, row: kind.openApi }
  }
  throw new Error('no kind of the catalogue is made of OpenAPI operations')
}

/** The verbs that the platform has, in its order. */
export const platformVerbs: readonly string[] = verbsOf(generated)

function verbsOf({ kind, route }: Generated): readonly string[] {
  const field = kind.fields[route.verbs]
  const type = field && elementOf(field.type)
  return type?.is === 'enum' ? type.values.map(String) : []
}

/** The keys of the document's `spec`. */
export const openApiKeys: readonly string[] = [
  'file',
  'endpoints',
  'name',
  generated.route.path,
  generated.row.target,
  generated.row.backends,
  'methods',
  'only',
  'except',
  'patches',
]
