import type { JsonObject } from '../json/json.js'
import { durationText } from './durations.js'
import { closed, documentOf, labels, nameText, nameWords, nonEmptyText, texts } from './schema-parts.js'

/** The JSON Schemas of documents of kind Fleet and Area (design §11). Only logins may contain placeholders. */

/** The name is also in the URLs of pages, from which browsers remove `.` and `..` in every spelling. */
const areaName: JsonObject = {
  ...nameText,
  pattern: `^(?!\\.{1,2}$)${String(nameText.pattern).slice(1)}`,
  title: `${nameWords}, other than . and ..`,
}

const variable: JsonObject = {
  // An invalid value may be the secret itself.
  writeOnly: true,
  type: 'string',
  pattern: '^\\$\\{env:[A-Za-z_][A-Za-z0-9_]*\\}$',
  title: 'an environment variable, such as ${env:SHARED_KEY}',
}

const credentials = {
  ...closed({ apiKey: variable, apiSecret: variable, username: variable, password: variable, token: variable }),
  description: 'The variables of the login, each as ${env:NAME} (default: the GATEWRIGHT_* variables).',
}

const areaFields = {
  project: {
    ...nonEmptyText,
    description: 'The folder of its project, relative to this file (default: the folder of this file).',
  },
  environment: {
    ...nonEmptyText,
    description: 'The environment of the project; required if the project has environments.',
  },
  area: {
    ...nonEmptyText,
    description: 'The identifier of the customer area, if neither project nor environment sets it.',
  },
  values: { type: 'object', description: 'Values that take precedence over those of project and environment.' },
  labels: { ...labels, description: 'Labels by which -l and waves choose areas.' },
  key: { ...nonEmptyText, description: 'One of spec.keys of the fleet (default: a key of its own).' },
  credentials,
  variables: {
    ...texts,
    description:
      'Names and patterns of more variables for its process, in addition to those that the project file uses and allows.',
  },
}

const key = closed({
  requestsPerSecond: {
    type: 'number',
    exclusiveMinimum: 0,
    description: 'Calls per second of all its areas together (default: the setting of each project).',
  },
  requestsPerDay: { type: 'integer', minimum: 1, description: 'Calls per day of all its areas together.' },
  concurrency: { type: 'integer', minimum: 1, description: 'How many of its areas run at the same time (default: 1).' },
  credentials,
})

const wave = closed({
  labels: { ...labels, description: 'Areas with all of these labels (default: any).' },
  percent: {
    type: 'number',
    exclusiveMinimum: 0,
    maximum: 100,
    description: 'At most this many percent of all areas of the fleet, rounded up (default: no limit).',
  },
  bake: {
    ...durationText,
    description: 'How long to wait after the wave: a duration, such as 30m (default: no wait).',
  },
  approve: { type: 'boolean', description: 'Whether somebody must approve before the wave begins (default: false).' },
})

const areas: JsonObject = {
  anyOf: [nonEmptyText, { type: 'array', items: { anyOf: [nonEmptyText, inlineAreaSchema()] } }],
  description: 'Files and patterns of documents of kind Area; or the areas themselves, each with a name.',
}

const fleetFields = {
  keys: {
    type: 'object',
    propertyNames: nameText,
    additionalProperties: key,
    description: 'API keys that areas share, by name, with their limits.',
  },
  variables: {
    ...texts,
    description: 'Names and patterns of more variables, for the processes of all areas.',
  },
  drift: {
    ...closed({
      schedule: { ...nonEmptyText, description: 'When to check for drift: a cron line of five fields.' },
      timezone: { ...nonEmptyText, description: 'An IANA time zone, such as Europe/Berlin (default: UTC).' },
      jitter: {
        ...durationText,
        description: 'Each area starts up to this much later: a duration, such as 20m (default: 0s).',
      },
    }),
    required: ['schedule'],
  },
  rollout: closed({
    waves: {
      type: 'array',
      minItems: 1,
      items: wave,
      description: 'The waves, one after the other; {} means all remaining areas.',
    },
    stop: {
      ...closed({
        failures: { type: 'integer', minimum: 1, description: 'Stop when this many areas of a wave have failed.' },
        failedPercent: {
          type: 'number',
          exclusiveMinimum: 0,
          maximum: 100,
          description: 'Stop when this many percent of the areas of a wave have failed.',
        },
      }),
      description: 'When a rollout stops: running areas finish, and no new ones start.',
    },
  }),
  serve: {
    ...closed({
      userHeader: {
        type: 'string',
        pattern: "^[\\w!#$%&'*+.^`|~-]+$",
        title: 'the name of a header, such as X-Forwarded-User',
        description:
          'The header in which the proxy in front of the pages passes the signed-in user. Without it the pages are read-only.',
      },
      trustedProxies: {
        ...texts,
        description: 'The addresses of these proxies; the header is ignored from all others (default: none).',
      },
      origin: {
        type: 'string',
        pattern: '^https?://[^/?#]+$',
        title: 'an address without a path, such as https://fleet.example.com',
        description: 'The address of the pages in browsers (default: the address at which the server listens).',
      },
      retentionDays: {
        type: 'integer',
        minimum: 1,
        description: 'How many days results, workflows and ended rollouts are kept (default: 90).',
      },
    }),
    description: 'Settings of gatewright fleet serve.',
  },
  timeout: { ...durationText, description: 'How long one area may take: a duration, such as 30m (default: 1h).' },
  records: {
    ...nonEmptyText,
    description: 'The folder of state, counts and reports, relative to this file (default: .gatewright/fleets).',
  },
}

const document = (kind: string, description: string, spec: JsonObject, named = nameText): JsonObject =>
  documentOf(kind, description, { metadata: closed({ name: named }, ['name']), spec }, ['metadata', 'spec'])

/**
 * A fleet: gatewright.fleet.yaml. `areas checked apart`: areas are validated one by one later, because each is an area or a file.
 */
export const fleetSchema = (written: 'whole' | 'areas checked apart'): JsonObject =>
  document('Fleet', 'A fleet: many areas, each with its project.', {
    ...closed({ areas: written === 'whole' ? areas : true, ...fleetFields }),
    required: ['areas'],
  })

/** One area of a fleet, in a file of its own. */
export const areaSchema = (): JsonObject => document('Area', 'One area of a fleet.', closed(areaFields), areaName)

/** One area in the fleet file. */
export function inlineAreaSchema(): JsonObject {
  return closed({ name: areaName, ...areaFields }, ['name'])
}
