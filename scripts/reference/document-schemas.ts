import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hazardNames } from '../../src/catalog/hazards.js'
import { areaStates } from '../../src/documents/fleet.js'
import { decisions, rolloutStatuses } from '../../src/documents/fleet-status.js'
import type { JsonObject } from '../../src/json/json.js'
import { code, page, table } from './page.js'

/**
 * The JSON Schemas of the commands' answers with `-o json`, except for plan, drift and diff: these are handwritten files, because
 * the program reads the first of them.
 */

interface Answer {
  readonly format: string
  /** The commands, as users type them. */
  readonly by: string
  readonly about: string
  /** The receiver, if the document is not written to stdout. */
  readonly sentTo?: 'webhooks'
  readonly schema: JsonObject
}

type Properties = Readonly<Record<string, JsonObject>>

/** An object with only these members. Members whose name ends in "?" are optional. */
function closed(properties: Properties, description?: string): JsonObject {
  const names = Object.keys(properties)
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name.replace(/\?$/, ''), schema]),
    ),
  }
}

const text: JsonObject = { type: 'string' }
const count: JsonObject = { type: 'integer', minimum: 0 }
const yesOrNo: JsonObject = { type: 'boolean' }
const orNull = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: 'null' }] })
const list = (items: JsonObject, description?: string): JsonObject => ({
  ...(description !== undefined && { description }),
  type: 'array',
  items,
})
const one = (...words: readonly string[]): JsonObject => ({ enum: [...words] })
const of = (schema: JsonObject, description: string): JsonObject => ({ ...schema, description })
const anything = (description: string): JsonObject => ({ description })
const mapOf = (schema: JsonObject, description: string): JsonObject => ({
  type: 'object',
  additionalProperties: schema,
  description,
})
const open = (description: string): JsonObject => ({ type: 'object', description })

const position = { file: text, line: count, column: count }
const diagnostic = closed({
  code: of(text, 'See problems.md.'),
  severity: one('error', 'warning', 'note'),
  message: text,
  'file?': text,
  'line?': count,
  'column?': count,
  'hint?': of(text, 'What to do about it.'),
  'related?': list(closed({ message: text, ...position })),
})
const diagnostics = list(diagnostic)
const target = closed({
  url: text,
  area: of(text, 'Empty where only the token knows it.'),
  project: text,
  'environment?': text,
})
const files = list(closed({ path: text, action: one('created', 'updated', 'deleted') }))
const actions = ['create', 'update', 'replace', 'delete', 'blocked'] as const
const action = one(...actions)

const outcomes = ['applied', 'failed', 'blocked', 'notStarted', 'waiting', 'notKept'] as const

const historyRun: Properties = {
  run: text,
  started: of(text, 'ISO date.'),
  ended: of(orNull(text), 'null: it never came to its end.'),
  who: text,
  commit: orNull(text),
  'dirty?': of({ const: true }, 'What was read was not as in that commit.'),
  purpose: one('apply', 'rollback'),
  of: of(orNull(text), 'The run that a rollback undoes.'),
  outcome: one('done', 'incomplete', 'interrupted', 'running'),
  summary: mapOf(count, 'How many changes came to each outcome.'),
}

const place = { ...position, 'text?': of(text, 'Absent where it may hold a secret.') }

const moment = of(text, 'ISO date.')
const counts = (of: string): JsonObject => mapOf(count, `How many ${of}.`)

/** An area of a fleet, as in its file. */
const fleetArea: Properties = {
  name: text,
  project: text,
  environment: orNull(text),
  labels: mapOf(text, 'By label.'),
  key: orNull(text),
}

const rollout: Properties = {
  ...{ rollout: text, who: text, started: moment, ended: orNull(moment), status: one(...rolloutStatuses) },
  why: of(orNull(text), 'Why it stopped.'),
  waves: list(
    closed({
      ...{ wave: of(count, 'From 1.'), approve: yesOrNo, bakeSeconds: count, areas: list(text) },
      states: counts('areas of it are in each state'),
    }),
  ),
  same: list(
    closed({ digest: text, areas: list(text), summary: counts('changes there are by action') }),
    'Equal plans, told once: those of most areas first.',
  ),
  dropped: list(
    closed({ area: text, state: text, why: orNull(text) }),
    'Areas that are not part of it any more, or never were.',
  ),
  waiting: list(closed({ area: text, why: text }), 'Areas that nothing can be done in today.'),
  notBegun: list(text, 'Of a rollout that was stopped: areas that nothing was done in.'),
  awaits: of(orNull(closed({ wave: count, digest: text })), 'What must be approved now.'),
  decisions: list(
    closed({
      ...{ at: moment, who: text, decision: one(...decisions), wave: orNull(count) },
      digest: of(orNull(text), 'Of the plans that were approved.'),
    }),
  ),
}

const answers: readonly Answer[] = [
  {
    format: 'gatewright.run/1',
    by: 'apply, rollback',
    about: 'the outcome of every change',
    schema: closed({
      target,
      purpose: one('apply', 'rollback'),
      of: of(orNull(text), 'The run that a rollback undoes.'),
      run: of(orNull(text), 'Its name in the records; null: there was nothing to do.'),
      summary: closed({ ...Object.fromEntries(outcomes.map((outcome) => [outcome, count])), accepted: count }),
      changes: list(
        closed({
          address: text,
          kind: text,
          action,
          id: orNull(text),
          outcome: one(...outcomes),
          error: orNull(text),
          'left?': open('Fields of a change that is not done which it has changed all the same.'),
        }),
      ),
      requests: of(count, 'All but those of the token.'),
      'recorded?': of(
        count,
        'Objects that no run knew, and that are recorded as they are; only if nothing had to be changed.',
      ),
      diagnostics,
    }),
  },
  {
    format: 'gatewright.policy-tests/1',
    by: 'policy test',
    about: 'the results of the policy tests',
    schema: closed({
      summary: closed({
        ...{ policies: count, rules: count, untested: of(count, 'Rules that no test breaks.') },
        ...{ tests: count, failed: count },
      }),
      tests: list(
        closed({
          ...{
            policy: text,
            name: text,
            expect: one('pass', 'warning', 'error'),
            found: one('pass', 'warning', 'error'),
          },
          ...{ holds: yesOrNo, messages: list(text, 'What the rules said.'), source: closed(position) },
        }),
      ),
      diagnostics,
    }),
  },
  {
    format: 'gatewright.history/1',
    by: 'history',
    about: 'the recorded runs, newest first',
    schema: closed({ target, runs: list(closed(historyRun)), 'removed?': list(text, 'Of --prune.') }),
  },
  {
    format: 'gatewright.record/1',
    by: 'show',
    about: 'one run with every field that it changed',
    schema: closed({
      target,
      ...historyRun,
      host: text,
      pid: count,
      plan: text,
      manifests: text,
      'values?': mapOf(text, 'Of --value: texts by the names of values.'),
      changes: list(
        closed({
          address: text,
          kind: orNull(text),
          action: orNull(text),
          id: orNull(text),
          outcome: one(...outcomes, 'unknown'),
          error: orNull(text),
          requests: list(text),
          fields: list(
            closed({
              path: text,
              'before?': anything('Absent if the object was created.'),
              'after?': anything('Absent if the object was deleted.'),
              sensitive: yesOrNo,
            }),
          ),
        }),
      ),
    }),
  },
  {
    format: 'gatewright.diagnostics/1',
    by: 'validate; every command that has no other answer',
    about: 'problems',
    schema: closed({ diagnostics }),
  },
  {
    format: 'gatewright.export/1',
    by: 'export',
    about: 'the files that were written',
    schema: closed({
      files,
      leftOut: list(
        closed({ kind: text, field: text, objects: count }),
        'Fields of live objects that nobody knows, and how many have them.',
      ),
      variables: list(text, 'Environment variables that the manifests need.'),
      diagnostics,
    }),
  },
  {
    format: 'gatewright.init/1',
    by: 'init',
    about: 'the files of a new project, and what to set in CI',
    schema: closed({
      files: list(closed({ path: text, about: text, action: one('written', 'added to', 'kept') })),
      'environments?': list(text),
      ci: one('github', 'gitlab', 'none'),
      program: of(text, 'What CI installs, as npm names it.'),
      'repository?': of(text, 'The way to the root of the repository, if the project is not there.'),
      variables: list(text),
      secrets: list(text),
      'export?': open('As export answers.'),
    }),
  },
  {
    format: 'gatewright.origins/1',
    by: 'explain ADDRESS',
    about: 'the layers of each field; the first one listed counts',
    schema: closed({
      'environment?': text,
      address: text,
      kind: text,
      source: closed(position),
      fields: list(
        closed({
          path: text,
          value: anything('As it is desired.'),
          sensitive: yesOrNo,
          'unavailable?': { const: true, description: 'A secret that is not set here.' },
          'absent?': {
            const: true,
            description: 'A patch takes the field out: it is not managed, and its value is null.',
          },
          layers: list(closed({ layer: text, ...place, values: list(closed({ name: text, layer: text, ...place })) })),
        }),
      ),
    }),
  },
  {
    format: 'gatewright.explain/1',
    by: 'explain',
    about: 'the catalogue, a problem code, a hazard, keys',
    schema: closed({
      'kinds?': mapOf({ type: 'object' }, 'By kind: about, fields, operations.'),
      'problems?': mapOf(
        closed({ severity: list(one('error', 'warning', 'note')), means: text, remedy: text }),
        'By code.',
      ),
      'hazards?': {
        ...mapOf(closed({ means: text, stated: text }), 'By hazard.'),
        propertyNames: one(...hazardNames),
      },
      'documents?': mapOf(
        { type: 'object' },
        'JSON Schemas by kind of document, or by a key of one: Project.spec.limits.',
      ),
      'metadata?': mapOf(text, 'What each key is for.'),
    }),
  },
  {
    format: 'gatewright.objects/1',
    by: 'get',
    about: 'live objects',
    schema: closed({
      objects: list(closed({ address: text, kind: text, 'id?': text, fields: open('As the interface answers them.') })),
    }),
  },
  {
    format: 'gatewright.snapshot-report/1',
    by: 'snapshot',
    about: 'the file that was written, and how many objects of each kind are in it',
    schema: closed({ file: text, target: closed({ url: text, area: text }), objects: mapOf(count, 'By kind.') }),
  },
  {
    format: 'gatewright.manifests/1',
    by: 'render',
    about: 'the manifests after all layers',
    schema: closed({ documents: list({ type: 'object' }) }),
  },
  {
    format: 'gatewright.fleet/1',
    by: 'fleet drift, fleet plan, fleet apply',
    about: 'the results of a command in all areas of a fleet',
    schema: closed({
      fleet: text,
      command: one('drift', 'plan', 'apply'),
      startedAt: of(text, 'ISO date.'),
      seconds: { type: 'number' },
      summary: closed({
        areas: count,
        states: mapOf(count, 'How many areas are in each state.'),
        changes: mapOf(count, 'The sums of the areas’ own.'),
        requests: of(count, 'Calls, as far as they are known; those for tokens included.'),
      }),
      areas: list(
        closed({
          area: text,
          project: of(text, 'The folder of its project.'),
          environment: orNull(text),
          'host?': of(text, 'The host of its platform, with the port; absent if its project names none.'),
          labels: mapOf(text, 'By label.'),
          key: of(orNull(text), 'null: one of its own.'),
          exit: of(orNull({ type: 'integer' }), 'The exit code of its process; null: it had none.'),
          state: one(...areaStates),
          summary: mapOf(count, 'How many changes there are by action or outcome.'),
          requests: of(orNull(count), 'null: nobody knows.'),
          startedAt: of(text, 'ISO date.'),
          seconds: { type: 'number' },
          changes: of(orNull(text), 'Digest of its changes, as in `same`; null: there are none.'),
          diagnostics,
          files: closed({ 'html?': text, 'json?': of(text, 'The document of the area.'), 'plan?': text }),
        }),
      ),
      same: list(
        closed({
          digest: text,
          areas: list(text),
          changes: list(
            closed({
              address: of(text, 'With ${value:NAME}, ${area} and ${name} for what each area calls otherwise.'),
              kind: text,
              action: one(...actions, 'unmanaged'),
              'wants?': text,
              'side?': one('live', 'manifest', 'both', 'unknown'),
              fields: list(
                closed({
                  path: text,
                  'before?': anything('As in a plan.'),
                  'after?': anything('As in a plan.'),
                  sensitive: yesOrNo,
                  verdict: text,
                }),
              ),
            }),
          ),
        }),
        'Equal changes, told once: those of most areas first.',
      ),
      diagnostics,
    }),
  },
  {
    format: 'gatewright.fleet-list/1',
    by: 'fleet list',
    about: 'the areas of a fleet',
    schema: closed({
      fleet: text,
      areas: list(
        closed({
          ...fleetArea,
          wave: of(orNull(count), 'Its wave in a rollout, from 1; null: it is in none.'),
        }),
      ),
    }),
  },
  {
    format: 'gatewright.fleet-status/1',
    by: 'fleet status',
    about: 'the status of the areas of a fleet on a server, and its rollouts',
    schema: closed({
      fleet: text,
      at: of(text, 'ISO date: when it was asked.'),
      fault: of(orNull(text), 'Why the fleet file as it is now is not in force.'),
      states: counts('areas are in each state that occurs'),
      areas: list(
        closed({
          ...fleetArea,
          state: of(orNull(one(...areaStates)), 'What came of its last job; null: none has ended yet.'),
          since: of(orNull(text), 'ISO date: since when it is in that state.'),
          checked: of(orNull(text), 'ISO date: when its last job ended.'),
          answered: of(orNull(text), 'ISO date: when a job last had an answer.'),
          editor: of(orNull(text), 'Who changed a live object last, as the platform says it.'),
          report: of(orNull(text), 'The job whose HTML report there is.'),
          waits: of(orNull(text), 'Why nothing is done in it now.'),
          messages: of(list(text), 'The errors and warnings of its last job, also if that job has ended well.'),
        }),
      ),
      rollouts: list(closed(rollout), 'The newest first.'),
    }),
  },
  {
    format: 'gatewright.fleet-history/1',
    by: 'fleet history',
    about: 'the jobs of a fleet on a server that have ended, newest first',
    schema: closed({
      fleet: text,
      jobs: list(
        closed({
          ...{ area: text, occasion: of(text, 'Why it ran: `drift AT`, or a step of a rollout.'), command: text },
          ...{ state: one(...areaStates), started: moment, seconds: { type: 'number' }, requests: orNull(count) },
          summary: counts('changes there are by action or outcome'),
          ...{ editor: orNull(text), worker: text, hasReport: yesOrNo, messages: list(text) },
        }),
      ),
    }),
  },
  {
    format: 'gatewright.rollout/1',
    by: 'fleet rollout start, approve, pause, resume, stop',
    about: 'one rollout',
    schema: closed(rollout),
  },
  {
    format: 'gatewright.promotion/1',
    by: 'promote',
    about: 'what is copied from one environment into another',
    schema: closed({
      from: text,
      to: text,
      changes: list(
        closed({
          is: one('value', 'patch'),
          name: text,
          'before?': anything('Absent if the environment said nothing.'),
          after: anything('What is written.'),
        }),
      ),
      own: list(text, 'Values that every environment gives for itself.'),
      files,
      diagnostics,
    }),
  },
  {
    format: 'gatewright.notice/1',
    by: 'drift, apply: sent to the webhooks of spec.notify',
    about: 'a message: drift, a failed run, or recovery; objects and fields, never a value',
    sentTo: 'webhooks',
    schema: closed({
      event: one('drift', 'error', 'recovery'),
      reason: of(one('first', 'changed', 'reminder', 'over'), 'Why it is told now; over: of a recovery.'),
      'of?': of(one('drift', 'error'), 'Of a recovery: what is over.'),
      command: one('drift', 'apply'),
      target,
      since: of(text, 'ISO date: when it was told first.'),
      at: of(text, 'ISO date: when it was found.'),
      'job?': of(text, 'The page of the CI job that found it.'),
      findings: list(
        closed({
          address: text,
          what: one('deleted', 'created', 'changed', 'remaining', 'missing', 'extra', 'differs', ...outcomes),
          'fields?': list(closed({ path: text, verdict: one('drift', 'conflict', 'difference') })),
          'editor?': text,
          'updated?': of(text, 'When the object was changed last, as the platform says it.'),
          'error?': of(text, 'Why a change is not done.'),
        }),
        'Of a drift what has drifted, of an error the changes that are not done.',
      ),
      problems: list(closed({ code: of(text, 'See problems.md.'), message: text }), 'Why there is no result.'),
      more: of(count, 'Findings and problems that are left out here.'),
    }),
  },
]

const draft = 'https://json-schema.org/draft/2020-12/schema'

const fileOf = (format: string): string => `${format.slice('gatewright.'.length, -'/1'.length)}-document.schema.json`

/** The schemas by file name. */
export const documentSchemas = (): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(answers.map((answer) => [fileOf(answer.format), documentSchema(answer)]))

function documentSchema({ format, by, about, sentTo, schema }: Answer): JsonObject {
  const { required, properties, ...rest } = schema
  return {
    $schema: draft,
    $id: fileOf(format),
    title: format,
    description: `What ${sentTo === undefined ? '`-o json` writes to stdout' : `${sentTo} are sent`}: ${about} (${by}).`,
    ...rest,
    required: ['format', ...(Array.isArray(required) ? required : [])],
    properties: { format: { const: format }, ...(properties as JsonObject) },
  }
}

const elsewhere: readonly (readonly [format: string, by: string, about: string, file: string])[] = [
  ['gatewright.plan/1', 'plan; plan --out', 'what would change', 'plan-document.schema.json'],
  ['gatewright.drift/1', 'drift', 'what has changed, and on which side', 'plan-document.schema.json'],
  ['gatewright.diff/1', 'diff', 'the differences of two sides', 'diff-document.schema.json'],
]

/** docs/reference/json.md */
export function jsonPage(): string {
  const rows = [
    ...elsewhere,
    ...answers.map(({ format, by, about }) => [format, by, about, fileOf(format)] as const),
  ].map(([format, by, about, file]) => [code(format), by, about, `[${file}](../../schemas/${file})`])
  return page(
    'JSON answers',
    'scripts/reference/document-schemas.ts',
    `With \`-o json\`, as in \`gatewright plan -o json\`, a command writes exactly one object to stdout. \`format\` is its type and version.
New members may be added to a version; if a member is removed or changes its meaning, the version number changes. The schemas are in
the package, as \`gatewright/schemas/FILE\`. Answers contain no secrets: a field with \`"sensitive": true\` has the value
\`(sensitive)\`. Only \`render\` shows secrets that a manifest contains in plain text.`,
    table(['format', 'written by', 'is', 'schema'], rows),
    `A command that fails writes \`gatewright.diagnostics/1\` instead of its own format, with the exit code of the error.
\`schema\` writes a JSON Schema, \`platform -o json\` writes one line \`{"url", "area", "apiKey", "apiSecret", "username", "password"}\`, and
\`snapshot\` writes the area as the interface returns it, \`{"services": […], "packages": […], …}\`, to its file.`,
    `## Addresses and values

An address consists of kind and name, from the outermost parent to the object: \`Service/Orders API/Endpoint/orders\`. In names \`/\` and
\`%\` are written %2F and %25. A path such as \`/cors/maxAge\` is a JSON Pointer into the fields of the object. A create has no \`before\`, a delete no \`after\`.`,
    `A plan, shortened:

\`\`\`json
${planExample()}
\`\`\``,
  )
}

const planExample = (): string => readFileSync(join(import.meta.dirname, 'plan-example.json'), 'utf8').trimEnd()
