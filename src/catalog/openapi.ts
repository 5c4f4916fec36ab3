import { elementOf, kinds } from './queries.js'
import type { Kind, OpenApiRow, RouteRow } from './types.js'

/** The contents of documents of kind OpenAPI (design §2.3). Field names are those of the generated kind. */

/** The kind of these documents. */
export const openApiKind = 'OpenAPI'

/** The parts of an API of which each becomes one endpoint; the first is the default. */
export const endpointSources = ['path', 'operation', 'tag', 'api'] as const

export type EndpointSource = (typeof endpointSources)[number]

/** The sources for the names of methods; the first is the default. */
export const methodSources = ['segments', 'operationId', 'none'] as const

export type MethodSource = (typeof methodSources)[number]

/** The keys that select operations. */
export const selectionKeys = ['tags', 'operationIds', 'paths', 'extensions'] as const

/** The placeholders in a name, for parts of the OpenAPI file. */
export const namePlaceholders = ['title', 'version', 'path', 'operationId', 'tag', 'verbs', 'summary', 'name'] as const

/** The placeholders in a path, for parts of the OpenAPI file. */
export const pathPlaceholders = ['path', 'server.path'] as const

/** Our keys in an OpenAPI file without the prefix `x-gatewright-`, with the levels at which they are permitted. */
export const extensionLevels: Readonly<Record<string, readonly ExtensionLevel[]>> = {
  endpoint: ['file', 'path', 'operation'],
  name: ['path', 'operation'],
  formerly: ['path', 'operation'],
  skip: ['path', 'operation'],
}

export type ExtensionLevel = 'file' | 'path' | 'operation'

export const extensionPrefix = 'x-gatewright-'

/**
 * The extension for fields. Its members are merged, with precedence for the innermost level; for all other extensions, the
 * innermost value replaces the others.
 */
export const fieldsExtension = `${extensionPrefix}endpoint`

/** The kind that is generated, and the fields that get values from operations. */
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

/** The verbs of the platform, in its order. */
export const platformVerbs: readonly string[] = verbsOf(generated)

function verbsOf({ kind, route }: Generated): readonly string[] {
  const field = kind.fields[route.verbs]
  const type = field && elementOf(field.type)
  return type?.is === 'enum' ? type.values.map(String) : []
}

/** The keys of `spec` in the document. */
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
