import type { JsonObject } from '../json/json.js'
import { kindNames } from './queries.js'

/**
 * The JSON Schema of the project file (design §2). Editors see values with their placeholders (`allowed`); the program
 * checks them after they are resolved (`resolved`).
 */
export function projectSchema(placeholders: 'allowed' | 'resolved'): JsonObject {
  const value = placeholders === 'resolved' ? (schema: JsonObject) => schema : orPlaceholder
  return {
    title: 'Project',
    description: 'The project file, gatewright.yaml.',
    type: 'object',
    required: ['apiVersion', 'kind'],
    additionalProperties: false,
    properties: {
      apiVersion: { const: 'gatewright/v1' },
      kind: { const: 'Project' },
      metadata: closed({ name: { ...text, description: 'Keys receipts and runs, with url and area.' } }),
      spec: {
        ...closed({
          manifests: {
            ...listOfTexts,
            description: 'Folders, files and patterns; all manifests below the project file if left out.',
          },
          platform: platformSchema(value),
          scope: closed({
            kinds: { type: 'array', items: value({ enum: kindNames }) },
            names: listOfTexts,
          }),
          prune: {
            ...value({ enum: ['none', 'applied', 'all'] }),
            description: 'What may be deleted (default: applied).',
          },
          limits: closed({
            deletes: value({ type: 'integer', minimum: 0 }),
            changedPercent: value({ type: 'number', minimum: 0, maximum: 100 }),
          }),
          records: {
            ...value({ type: 'string', pattern: '^(file:|git$|git:|postgres(ql)?://)' }),
            description: 'file:FOLDER, git (refs of the remote origin), git:REMOTE or postgres://…',
          },
          secrets: closed({
            public: { ...listOfTexts, description: 'Environment variables that are no secret: shown as they are.' },
            env: {
              ...listOfTexts,
              description:
                'Patterns of the environment variables that manifests may use, such as ORDERS_* (default: all).',
            },
          }),
          environments: { type: 'object', additionalProperties: environmentSchema },
        }),
        type: ['object', 'null'],
      },
    },
  }
}

const text: JsonObject = { type: 'string', minLength: 1 }
const listOfTexts: JsonObject = { anyOf: [text, { type: 'array', items: text }] }

function orPlaceholder(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'string', pattern: '\\$\\{(env|file|value):' }] }
}

function closed(properties: JsonObject): JsonObject {
  return { type: 'object', properties, additionalProperties: false }
}

function platformSchema(value: (schema: JsonObject) => JsonObject): JsonObject {
  return closed({
    url: { ...text, description: 'The {base_url} of the interface.' },
    area: { ...text, description: 'The identifier of the customer area.' },
    concurrency: { ...value({ type: 'integer', minimum: 1 }), description: 'Requests at a time (default: 8).' },
    conventionalOperations: {
      ...value({ enum: ['use', 'refuse'] }),
      description: 'Whether operations that the interface document names without a shape may be used (default: use).',
    },
    createPatience: {
      ...value({ type: 'string', pattern: '^[0-9]+(ms|s|m)$' }),
      description:
        'A duration such as 60s, the default: how long a create without an answer is looked for, and one that a cut-off run announced is waited for.',
    },
    requestsPerSecond: { ...value({ type: 'number', exclusiveMinimum: 0 }), description: 'Caps the rate.' },
  })
}

// Resolved only when its environment is chosen: variables of another one need not be set.
const environmentSchema = closed({
  platform: platformSchema(orPlaceholder),
  values: { type: 'object' },
  patches: { type: 'array', items: { type: 'object' } },
})
