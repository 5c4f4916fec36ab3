import type { JsonObject } from '../json/json.js'
import { durationText } from './durations.js'
import { hazardNames } from './hazards.js'
import { apiVersion } from './metadata-keys.js'
import { kindNames } from './queries.js'
import { closed, documentOf, nameText, nonEmptyText, texts } from './schema-parts.js'
import { vocabularies } from './vocabulary.js'

/** The permitted deletions of a plan, from the fewest to the most. */
export const pruneModes = ['none', 'applied', 'all'] as const

/**
 * The JSON Schema of the project file (design §2). Editors validate values with their placeholders (`allowed`); the program
 * validates them after they are resolved (`resolved`).
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
      apiVersion: { const: apiVersion, description: 'The version of the document format.' },
      kind: { const: 'Project', description: 'The kind of the document.' },
      metadata: {
        ...closed({
          name: {
            ...nameText,
            description: 'The name of the project. Records are kept for each url, area, project and environment.',
          },
        }),
        description: 'The name of the project.',
      },
      spec: {
        ...closed({
          platform: {
            ...closed(platformFields(value)),
            description: 'Where the area is, and how requests are sent to it.',
          },
          ...settingFields(value),
          // The reader of layers reports their errors itself, with the same messages as for separate files.
          ...(placeholders === 'resolved' ? { values: true, defaults: true, environments: true } : layerFields),
          policies: {
            ...texts,
            description:
              'Folders, files and patterns of documents of kind Policy (default: the folder policies, if it is there).',
          },
          secrets: {
            ...closed({
              public: { ...texts, description: 'Environment variables that are not secret: their values are shown.' },
              env: {
                ...texts,
                description:
                  'Patterns of the environment variables that manifests may use, such as ORDERS_* (default: all).',
              },
              recipients: {
                ...texts,
                description: 'The public age keys (age1…) that inline values (${age:…}) are encrypted for.',
              },
            }),
            description:
              'Which environment variables manifests may use, which of them are not secret, and for which keys values are encrypted.',
          },
        }),
        type: ['object', 'null'],
        description: 'The settings of the project. All of them are optional.',
      },
    },
  }
}

function orPlaceholder(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'string', pattern: '\\$\\{(env|file|value):' }] }
}

type SchemaWrapper = (schema: JsonObject) => JsonObject

/** The settings that an environment can also have. */
function settingFields(value: SchemaWrapper): JsonObject {
  return {
    manifests: {
      ...texts,
      description:
        'Folders, files and patterns (default: all manifests below the project file; in an environment, as in the project).',
    },
    scope: {
      ...closed({
        kinds: {
          type: 'array',
          items: value({ enum: kindNames }),
          description: 'These kinds, and everything in them (default: all).',
        },
        names: { ...texts, description: 'Names or patterns of objects, and everything in them (default: all).' },
      }),
      description: 'Limits what prune: all may delete (default: everything that no manifest has).',
    },
    prune: {
      ...value({ enum: pruneModes }),
      description: 'What may be deleted (default: applied; in an environment, as in the project).',
    },
    limits: {
      ...closed({
        deletes: {
          ...value({ type: 'integer', minimum: 0 }),
          description: 'How many objects a plan may delete (default: 20).',
        },
        changedPercent: {
          ...value({ type: 'number', minimum: 0, maximum: 100 }),
          description:
            'How many percent of the live objects a plan may change or delete (default: 50). Plans with fewer than 20 changes are not checked.',
        },
      }),
      description: 'A plan beyond these limits is refused.',
    },
    records: {
      ...value({
        type: 'string',
        pattern: '^(file:|git$|git:|postgres(ql)?://)',
        title: 'file:FOLDER, git, git:REMOTE or postgres://…',
      }),
      description: 'file:FOLDER, git (refs of the remote origin), git:REMOTE or postgres://…',
    },
    notify: {
      type: ['array', 'null'],
      items: webhookSchema,
      description: 'Webhooks that get messages about drift and failed runs: once, on change, and when it is over.',
    },
  }
}

/** The events for which a webhook can get messages. */
export const noticeEvents = ['drift', 'error', 'recovery'] as const

/** The formats of messages to a webhook: `gatewright.notice/1`, or a text in the form of Slack. */
export const noticeFormats = ['json', 'slack'] as const

/** Only the placeholder of the URL is resolved here: all other values must be known without variables. */
const webhookSchema: JsonObject = {
  ...closed({
    url: {
      ...nonEmptyText,
      description:
        'The address, as ${env:NAME}, because anyone who knows it can post there. https, or a host on the same machine.',
    },
    format: {
      enum: noticeFormats,
      description: 'json (default): gatewright.notice/1; slack: {"text": …}, which many chats accept.',
    },
    on: {
      type: 'array',
      items: { enum: noticeEvents },
      minItems: 1,
      description: 'Which messages it gets (default: all).',
    },
    remind: {
      type: 'string',
      pattern: '^([1-9][0-9]{0,3}[mhd]|never)$',
      title: 'a duration such as 24h or 7d, or never',
      description:
        'When a message about an unchanged situation is repeated: a duration such as 24h or 7d (default), or never.',
    },
  }),
  required: ['url'],
}

function platformFields(value: SchemaWrapper): JsonObject {
  return {
    url: {
      ...nonEmptyText,
      description: 'The base address of the platform ({base_url} of the interface), without /v3.',
    },
    area: { ...nonEmptyText, description: 'The identifier of the customer area.' },
    concurrency: {
      ...value({ type: 'integer', minimum: 1 }),
      description: 'How many requests are sent at the same time (default: 8).',
    },
    conventionalOperations: {
      ...value({ enum: ['use', 'refuse'] }),
      description: 'Whether operations that the interface document names without a shape may be used (default: use).',
    },
    createPatience: {
      ...value(durationText),
      description:
        'How long to look for a create whose answer was lost, and to wait for one that an interrupted run announced: a duration (default: 60s).',
    },
    vocabulary: {
      ...value({ enum: [...vocabularies] }),
      description:
        "Which words the platform uses: those of the document (default), or those of the vendor's own platforms, such as mashery-host for svc-host.",
    },
    requestsPerSecond: {
      ...value({ type: 'number', exclusiveMinimum: 0 }),
      description: 'The maximum number of requests per second.',
    },
    credentials: {
      ...closed(credentialFields),
      description: 'The variables of the login, each as ${env:NAME} (default: the GATEWRIGHT_* variables).',
    },
  }
}

const credentialFields = {
  apiKey: { ...nonEmptyText, writeOnly: true, description: 'In place of GATEWRIGHT_API_KEY.' },
  apiSecret: { ...nonEmptyText, writeOnly: true, description: 'In place of GATEWRIGHT_API_SECRET.' },
  username: { ...nonEmptyText, description: 'In place of GATEWRIGHT_USERNAME.' },
  password: { ...nonEmptyText, writeOnly: true, description: 'In place of GATEWRIGHT_PASSWORD.' },
  token: {
    ...nonEmptyText,
    writeOnly: true,
    description: 'In place of GATEWRIGHT_TOKEN: an access token instead of a login.',
  },
} satisfies JsonObject

/** The names of the credentials that are secrets. */
export const secretCredentials: readonly string[] = Object.entries(credentialFields).flatMap(([name, field]) =>
  'writeOnly' in field ? [name] : [],
)

const anyObject: JsonObject = { type: ['object', 'null'] }

const defaultsSchema: JsonObject = {
  type: ['object', 'null'],
  // The reader reports unknown kinds, with the same messages for all layers.
  properties: Object.fromEntries(kindNames.map((name) => [name, anyObject])),
}

const typeNames = ['string', 'integer', 'number', 'boolean', 'array', 'object']

const valuesSchema: JsonObject = {
  type: ['object', 'null'],
  additionalProperties: {
    anyOf: [
      { type: ['string', 'number', 'boolean', 'array', 'null'] },
      closed({
        type: { enum: typeNames, description: 'The type of the value (default: the type of the default).' },
        default: {
          description: 'The value if an environment sets none. Without a default every environment must set one.',
        },
        enum: { type: 'array', minItems: 1, description: 'The allowed values.' },
        items: {
          ...closed({ type: { enum: typeNames, description: 'The type of each entry.' } }),
          description: 'The entries of a list.',
        },
        description: { type: 'string', description: 'For people.' },
      }),
    ],
    description: 'One value: its default, or its declaration.',
  },
  description: 'The values for ${value:NAME}: each a default, or {type, default, enum, items, description}.',
}

/** One patch, of an environment or of generated objects. */
export const patchSchema: JsonObject = {
  ...closed({
    target: {
      anyOf: [
        nonEmptyText,
        closed({
          kind: { ...nonEmptyText, description: 'The kind of the objects.' },
          name: { ...nonEmptyText, description: 'Their name, or a glob of names.' },
          labels: {
            type: 'object',
            additionalProperties: { type: 'string', description: 'The value of that label.' },
            description: 'Labels that the objects have.',
          },
        }),
      ],
      description:
        'The objects to change: a glob of addresses, such as Service/*/Endpoint/upload*, or their kind, name and labels.',
    },
    expect: {
      anyOf: [
        { type: 'integer', minimum: 0 },
        { type: 'string', pattern: '^[0-9]+\\+?$' },
      ],
      description: 'How many objects must match: 1, "1+" (the default), "0+".',
    },
    merge: { ...anyObject, description: 'Fields that replace those of lower layers; null clears.' },
    unset: { ...texts, description: 'JSON Pointers of fields that are not managed in this environment.' },
    json: { type: 'array', items: { type: 'object' }, description: 'A JSON Patch (RFC 6902) of the fields.' },
    omit: { type: 'boolean', description: 'Whether the objects are left out of this environment.' },
  }),
  required: ['target'],
}

const guardSchema: JsonObject = {
  ...closed({
    planned: { type: 'boolean', description: 'Only saved plans are applied.' },
    after: {
      ...nonEmptyText,
      description: 'The same manifests must have been applied completely in that environment before.',
    },
    branch: { ...nonEmptyText, description: 'The git branch that must be checked out.' },
    hazards: { type: 'array', items: { enum: hazardNames }, description: 'The hazards that --allow may allow.' },
    deletes: { type: 'integer', minimum: 0, description: 'How many objects a plan may delete or replace at most.' },
    prune: { enum: pruneModes, description: 'The widest prune that is allowed.' },
    confirm: { enum: ['name'], description: 'Somebody must type the name of the environment before anything is done.' },
  }),
  description: 'Conditions for every change of the area of this environment.',
}

/** An environment is resolved only if it is selected: the variables of other environments need not be set. */
const environmentSchema = closed({
  platform: {
    ...closed(platformFields(orPlaceholder)),
    description: 'Where the area is, and how requests are sent to it.',
  },
  values: { ...anyObject, description: 'Values by name, instead of the defaults of the project.' },
  defaults: { ...defaultsSchema, description: 'Fields by kind, for objects that do not write them.' },
  patches: {
    type: ['array', 'null'],
    items: patchSchema,
    description: 'Changes for this environment, made in this order.',
  },
  guard: guardSchema,
  ...settingFields(orPlaceholder),
})

/** `!NAME` in `metadata.environments` means all environments but NAME. */
const environmentName: JsonObject = { ...nameText, not: { pattern: '^!' } }

/** The keys of an environment. */
export const environmentKeys: readonly string[] = Object.keys({ ...environmentSchema.properties })

/** The layers in a project file, for editors. */
const layerFields: JsonObject = {
  values: valuesSchema,
  defaults: { ...defaultsSchema, description: 'Fields by kind, for objects that do not write them.' },
  environments: {
    anyOf: [
      {
        type: 'object',
        propertyNames: environmentName,
        additionalProperties: {
          anyOf: [environmentSchema, { type: 'null' }],
          description: 'The settings of one environment.',
        },
      },
      ...texts.anyOf,
    ],
    description: 'The environments by name; or files and patterns of documents of kind Environment.',
  },
}

/** The schema of a file of `spec.environments`. */
export const environmentDocumentSchema = (): JsonObject =>
  documentOf(
    'Environment',
    'An environment: a target with its own values, defaults and patches.',
    { metadata: closed({ name: environmentName }, ['name']), spec: { anyOf: [environmentSchema, { type: 'null' }] } },
    ['metadata'],
  )
