import type { JsonObject } from '../json/json.js'
import { hazardNames } from './hazards.js'
import { apiVersion } from './metadata-keys.js'
import { kindNames } from './queries.js'
import { closed, nonEmptyText, texts } from './schema-parts.js'
import { vocabularies } from './vocabulary.js'

/** What a plan may delete, from the least to the most. */
export const pruneModes = ['none', 'applied', 'all'] as const

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
      apiVersion: { const: apiVersion, description: 'The form of the document.' },
      kind: { const: 'Project', description: 'What it is: of the documents beside it each has another kind.' },
      metadata: {
        ...closed({
          name: {
            ...nonEmptyText,
            description: 'The name of the project. Records are kept by url, area, project and environment.',
          },
        }),
        description: 'How the project is called.',
      },
      spec: {
        ...closed({
          platform: { ...closed(platformFields(value)), description: 'Where the area is, and how it is called.' },
          ...settingFields(value),
          // Who reads layers tells what is wrong with them, in the same words for files of their own.
          ...(placeholders === 'resolved' ? { values: true, defaults: true, environments: true } : layerFields),
          policies: {
            ...texts,
            description:
              'Folders, files and patterns of documents of kind Policy (default: the folder policies, if it is there).',
          },
          secrets: {
            ...closed({
              public: { ...texts, description: 'Environment variables that are no secret: shown as they are.' },
              env: {
                ...texts,
                description:
                  'Patterns of the environment variables that manifests may use, such as ORDERS_* (default: all).',
              },
              recipients: {
                ...texts,
                description: 'The age keys that inline values (${age:…}) are encrypted for: the public ones, age1….',
              },
            }),
            description:
              'Which environment variables manifests may use, which of them are no secret, and for whom values are encrypted.',
          },
        }),
        type: ['object', 'null'],
        description: 'What the project says of its area and manifests. All of it may be left out.',
      },
    },
  }
}

function orPlaceholder(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'string', pattern: '\\$\\{(env|file|value):' }] }
}

type Value = (schema: JsonObject) => JsonObject

/** What an environment may say as well. */
function settingFields(value: Value): JsonObject {
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
          description: 'These kinds, and what lies in them (default: all).',
        },
        names: { ...texts, description: 'Names or patterns of objects, with what lies in them (default: all).' },
      }),
      description: 'What prune: all may delete; without it, everything that no manifest has.',
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
            'How many of the live objects a plan may change or delete, in percent (default: 50); asked from 20 changes on.',
        },
      }),
      description: 'A plan beyond them is refused.',
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
      description: 'Webhooks that are told of drift and of failed runs: once, when it changes, and when it is over.',
    },
  }
}

/** What a webhook can be told of. */
export const noticeEvents = ['drift', 'error', 'recovery'] as const

/** How a webhook is told: `gatewright.notice/1`, or one text as Slack takes it. */
export const noticeFormats = ['json', 'slack'] as const

/** No placeholder is resolved here but that of the address: what it is must be known without any variable. */
const webhookSchema: JsonObject = {
  ...closed({
    url: {
      ...nonEmptyText,
      description:
        'The address, as ${env:NAME}: whoever knows it can write there. https, or a host on the same machine.',
    },
    format: {
      enum: noticeFormats,
      description: 'json, the default: gatewright.notice/1; slack: {"text": …}, which many chats take.',
    },
    on: {
      type: 'array',
      items: { enum: noticeEvents },
      minItems: 1,
      description: 'Of what it is told (default: all).',
    },
    remind: {
      type: 'string',
      pattern: '^([1-9][0-9]{0,3}[mhd]|never)$',
      title: 'a duration such as 24h or 7d, or never',
      description:
        'When it is told again of what has not changed: a duration such as 24h or 7d, the default; or never.',
    },
  }),
  required: ['url'],
}

function platformFields(value: Value): JsonObject {
  return {
    url: { ...nonEmptyText, description: 'The {base_url} of the interface.' },
    area: { ...nonEmptyText, description: 'The identifier of the customer area.' },
    concurrency: { ...value({ type: 'integer', minimum: 1 }), description: 'Requests at a time (default: 8).' },
    conventionalOperations: {
      ...value({ enum: ['use', 'refuse'] }),
      description: 'Whether operations that the interface document names without a shape may be used (default: use).',
    },
    createPatience: {
      ...value({ type: 'string', pattern: '^[0-9]+(ms|s|m)$', title: 'a duration such as 60s' }),
      description:
        'A duration such as 60s, the default: how long a create without an answer is looked for, and one that a cut-off run announced is waited for.',
    },
    vocabulary: {
      ...value({ enum: [...vocabularies] }),
      description:
        "Whose words the platform speaks: those of the document (default), or those of the vendor's own platforms, such as mashery-host for svc-host.",
    },
    requestsPerSecond: { ...value({ type: 'number', exclusiveMinimum: 0 }), description: 'Caps the rate.' },
    credentials: {
      ...closed({
        apiKey: { ...nonEmptyText, writeOnly: true, description: 'In place of GATEWRIGHT_API_KEY.' },
        apiSecret: { ...nonEmptyText, writeOnly: true, description: 'In place of GATEWRIGHT_API_SECRET.' },
        username: { ...nonEmptyText, description: 'In place of GATEWRIGHT_USERNAME.' },
        password: { ...nonEmptyText, writeOnly: true, description: 'In place of GATEWRIGHT_PASSWORD.' },
        token: {
          ...nonEmptyText,
          writeOnly: true,
          description: 'In place of GATEWRIGHT_TOKEN: a ready token, and no login.',
        },
      }),
      description: 'Where they are not those of the GATEWRIGHT_* variables: ${env:NAME} each.',
    },
  }
}

const anyObject: JsonObject = { type: ['object', 'null'] }

const defaultsSchema: JsonObject = {
  type: ['object', 'null'],
  // What is no kind is told by whoever reads them, in the same words for every layer.
  properties: Object.fromEntries(kindNames.map((name) => [name, anyObject])),
}

const typeNames = ['string', 'integer', 'number', 'boolean', 'array', 'object']

const valuesSchema: JsonObject = {
  type: ['object', 'null'],
  additionalProperties: {
    anyOf: [
      { type: ['string', 'number', 'boolean', 'array', 'null'] },
      closed({
        type: { enum: typeNames, description: 'What its values are (default: that of the default).' },
        default: { description: 'Where no environment gives one. Without it every environment must.' },
        enum: { type: 'array', minItems: 1, description: 'No other values than these.' },
        items: {
          ...closed({ type: { enum: typeNames, description: 'What each of them is.' } }),
          description: 'What the values of a list are.',
        },
        description: { type: 'string', description: 'For people.' },
      }),
    ],
    description: 'One value: its default, or what is declared of it.',
  },
  description: 'What ${value:NAME} stands for: a default, or {type, default, enum, items, description}.',
}

/** One patch, of an environment or of what is generated. */
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
            description: 'Labels that they have.',
          },
        }),
      ],
      description: 'A glob of addresses, such as Service/*/Endpoint/upload*, or what the objects are.',
    },
    expect: {
      anyOf: [
        { type: 'integer', minimum: 0 },
        { type: 'string', pattern: '^[0-9]+\\+?$' },
      ],
      description: 'How many objects must match: 1, "1+" (the default), "0+".',
    },
    merge: { ...anyObject, description: 'Fields that take the place of those below; null clears.' },
    unset: { ...texts, description: 'JSON Pointers of fields that are not managed here.' },
    json: { type: 'array', items: { type: 'object' }, description: 'A JSON Patch (RFC 6902) of the fields.' },
    omit: { type: 'boolean', description: 'Not desired in this environment.' },
  }),
  required: ['target'],
}

const guardSchema: JsonObject = {
  ...closed({
    planned: { type: 'boolean', description: 'Only saved plans are applied.' },
    after: { ...nonEmptyText, description: 'The same manifests ended clean in that environment before.' },
    branch: { ...nonEmptyText, description: 'The git branch that is applied.' },
    hazards: { type: 'array', items: { enum: hazardNames }, description: 'What --allow may say.' },
    deletes: { type: 'integer', minimum: 0, description: 'How many objects a plan may delete or replace.' },
    prune: { enum: pruneModes, description: 'No wider than that.' },
    confirm: { enum: ['name'], description: 'The name of the environment is typed before anything is done.' },
  }),
  description: 'What is demanded of whoever changes the area of the environment.',
}

/** Resolved only when its environment is chosen: variables of another one need not be set. */
const environmentSchema = closed({
  platform: { ...closed(platformFields(orPlaceholder)), description: 'Where the area is, and how it is called.' },
  values: { ...anyObject, description: 'Values by name, in place of the defaults that the project declares.' },
  defaults: { ...defaultsSchema, description: 'Fields by kind that objects have unless they write them.' },
  patches: {
    type: ['array', 'null'],
    items: patchSchema,
    description: 'What is different in this environment, in the order in which it is done.',
  },
  guard: guardSchema,
  ...settingFields(orPlaceholder),
})

/** The keys that an environment may have. */
export const environmentKeys: readonly string[] = Object.keys({ ...environmentSchema.properties })

/** What a project file says of layers, for editors. */
const layerFields: JsonObject = {
  values: valuesSchema,
  defaults: { ...defaultsSchema, description: 'Fields by kind that objects have unless they write them.' },
  environments: {
    anyOf: [
      {
        type: 'object',
        additionalProperties: {
          anyOf: [environmentSchema, { type: 'null' }],
          description: 'What is its own in that environment.',
        },
      },
      ...texts.anyOf,
    ],
    description: 'By name; or files and patterns of documents of kind Environment.',
  },
}

/** A file of `spec.environments`. */
export const environmentDocumentSchema = (): JsonObject => ({
  title: 'Environment',
  description: 'A target with values, defaults and patches of its own.',
  type: 'object',
  required: ['apiVersion', 'kind', 'metadata'],
  additionalProperties: false,
  properties: {
    apiVersion: { const: apiVersion },
    kind: { const: 'Environment' },
    metadata: closed({ name: nonEmptyText }, ['name']),
    spec: { anyOf: [environmentSchema, { type: 'null' }] },
  },
})
