import type { JsonObject } from '../json/json.js'
import { fieldSchema } from './json-schema-fields.js'
import {
  endpointSources,
  generated,
  methodSources,
  namePlaceholders,
  pathPlaceholders,
  selectionKeys,
} from './openapi.js'
import { patchSchema } from './project-schema.js'
import { nonEmptyText, texts } from './schema-parts.js'

/** The JSON Schema of `spec` in documents of kind OpenAPI (design §2.3). */
export function openApiSpecSchema(): JsonObject {
  const { kind, route, row } = generated
  const backends = kind.fields[row.backends]
  const parts = namePlaceholders.map((name) => `{${name}}`).join(' ')
  const pathParts = pathPlaceholders.map((name) => `{${name}}`).join(' and ')
  return {
    type: 'object',
    required: ['file'],
    additionalProperties: false,
    properties: {
      file: {
        ...nonEmptyText,
        description: 'The OpenAPI file, 2.0 to 3.2, YAML or JSON: a path in the repository, relative to this file.',
      },
      endpoints: {
        enum: [...endpointSources],
        description: `What becomes one ${kind.name}: a path (default), an operation, a tag, or the whole file.`,
      },
      name: {
        ...nonEmptyText,
        description: `The name of each ${kind.name}; ${parts} stand for parts of the OpenAPI file. Default: {path}, {verbs} {path}, {tag} or {title}.`,
      },
      [route.path]: {
        ...nonEmptyText,
        description: `${kind.name}.${route.path}, with ${pathParts}. Default: {server.path}{path}.`,
      },
      [row.target]: {
        ...nonEmptyText,
        description: `${kind.name}.${row.target}, with ${pathParts}. Default: {server.path}{path}.`,
      },
      [row.backends]: {
        ...(backends ? fieldSchema(kind, backends) : {}),
        description: `${kind.name}.${row.backends}. Default: the hosts of servers.`,
      },
      methods: {
        enum: [...methodSources],
        description: `Where the names of methods come from: the static segments of the path (default; their positions are ${row.detection}), operationId, or none.`,
      },
      only: { ...selectionSchema, description: 'Use only operations that match all of these conditions.' },
      except: { ...selectionSchema, description: 'Leave out operations that match any of these conditions.' },
      patches: {
        type: ['array', 'null'],
        items: patchSchema,
        description: `Patches of the generated objects; a target that is not an address is a pattern of names of each ${kind.name}.`,
      },
    },
  }
}

const about: Readonly<Record<(typeof selectionKeys)[number], string>> = {
  tags: 'Patterns of tags.',
  operationIds: 'Patterns of operationIds.',
  paths: 'Patterns of paths; * matches any text, including slashes.',
  extensions: 'Extensions of operations or paths: x-internal (written, and not false) or x-audience=partner.',
}

const selectionSchema: JsonObject = {
  type: ['object', 'null'],
  properties: Object.fromEntries(selectionKeys.map((key) => [key, { ...texts, description: about[key] }])),
  additionalProperties: false,
}
