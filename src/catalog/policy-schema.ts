import type { JsonObject } from '../json/json.js'
import { hazardNames } from './hazards.js'
import { apiVersion } from './metadata-keys.js'
import { kindNames } from './queries.js'
import { closed, labels, nonEmptyText, oneOrMore, texts } from './schema-parts.js'

/** A document of kind Policy: its words, its JSON Schema, and what its expressions may say. */

/** The kind of the documents that policies are written in. */
export const policyKind = 'Policy'

/** What is done to an object; nothing is done about a blocked change, so no policy sees one. */
export const policyActions = ['create', 'update', 'replace', 'delete', 'unchanged'] as const

export const policyLevels = ['error', 'warning'] as const

const fields: JsonObject = { type: ['object', 'null'] }

const match = closed({
  kinds: { ...oneOrMore({ enum: kindNames }), description: 'Of these kinds (default: all).' },
  actions: {
    ...oneOrMore({ enum: policyActions.filter((action) => action !== 'unchanged') }),
    description: 'To which this is done (default: anything).',
  },
  environments: { ...texts, description: 'In these environments; !NAME is all but that one (default: all).' },
  labels: { ...labels, description: 'Which have these labels, themselves or what they lie in.' },
  unchanged: {
    type: 'boolean',
    description: 'Objects that do not change are asked about as well; what is found there is a warning.',
  },
})

const rule = closed(
  {
    assert: { type: ['string', 'boolean'], description: 'An expression in CEL: true is fine.' },
    message: { ...nonEmptyText, description: 'An expression that gives the words for where it is not.' },
    at: { ...nonEmptyText, description: 'JSON Pointer of the field whose place is shown, in whatever layer sets it.' },
    level: { enum: [...policyLevels], description: 'An error refuses the plan (default: error).' },
    plan: { type: 'boolean', description: 'Asked once of the whole plan, instead of each change.' },
  },
  ['assert'],
)

const waiver = closed(
  {
    address: { ...nonEmptyText, description: 'The object that may be as it is, or a glob of addresses.' },
    reason: { ...nonEmptyText, description: 'Why.' },
    owner: { ...nonEmptyText, description: 'Who has agreed to it.' },
    until: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      description: 'The last day on which it holds, in UTC. Two weeks before there is a warning.',
    },
  },
  ['address', 'reason', 'owner', 'until'],
)

const change = closed(
  {
    kind: { enum: kindNames, description: 'The kind of the object.' },
    action: { enum: [...policyActions], description: 'What is done to it (default: update).' },
    name: { ...nonEmptyText, description: 'Its name (default: example).' },
    address: { ...nonEmptyText, description: 'Its address (default: KIND/NAME).' },
    before: { ...fields, description: 'Its fields before.' },
    after: { ...fields, description: 'Its fields after.' },
    hazards: { ...oneOrMore({ enum: hazardNames }), description: 'Its hazards.' },
    labels: { ...labels, description: 'Its labels (default: those of match.labels).' },
  },
  ['kind'],
)

const test = closed(
  {
    name: { ...nonEmptyText, description: 'What it is called in reports.' },
    change: { ...change, description: 'The change that the rules are asked about.' },
    changes: {
      type: 'array',
      items: change,
      description: 'The plan that the rules with `plan: true` are asked about.',
    },
    environment: { ...nonEmptyText, description: 'Where it is (default: the first of match.environments).' },
    expect: { enum: [...policyLevels, 'pass'], description: 'What the rules say of it.' },
  },
  ['expect'],
)

export const policySchema = (): JsonObject => ({
  title: policyKind,
  description: 'What may be done to which objects, said in CEL.',
  ...closed(
    {
      apiVersion: { const: apiVersion },
      kind: { const: policyKind },
      metadata: closed({ name: { ...nonEmptyText, description: 'The name of the policy, once in a project.' } }, [
        'name',
      ]),
      spec: closed(
        {
          match: { ...match, description: 'Which changes it is about (default: all).' },
          rules: { type: 'array', items: rule, description: 'What is demanded of each.' },
          waivers: { type: ['array', 'null'], items: waiver, description: 'What is let be for a while.' },
          tests: { type: ['array', 'null'], items: test, description: 'What the rules say of made-up changes.' },
        },
        ['rules'],
      ),
    },
    ['apiVersion', 'kind', 'metadata', 'spec'],
  ),
})

/** One variable of an expression. */
interface PolicyVariable {
  readonly name: string
  /** In the words of CEL. */
  readonly type: string
  readonly about: string
}

/** Of the change that a rule is asked about. */
export const changeVariables: readonly PolicyVariable[] = [
  { name: 'kind', type: 'string', about: 'The kind of the object.' },
  {
    name: 'name',
    type: 'string',
    about: 'Its name: the last step of its address; empty for a child that exists once.',
  },
  { name: 'address', type: 'string', about: 'Its address.' },
  { name: 'action', type: 'string', about: `What is done to it: ${policyActions.join(', ')}.` },
  {
    name: 'before',
    type: 'Fields',
    about: 'Its fields as they are live, as far as they were read; none where it is created.',
  },
  {
    name: 'after',
    type: 'Fields',
    about:
      'Its fields as they will be: those that are written, and what is live of the others; none where it is deleted.',
  },
  {
    name: 'fields',
    type: 'list<FieldChange>',
    about: 'What changes: `path` (a JSON Pointer), `before`, `after`, `sensitive`, `verdict`.',
  },
  { name: 'hazards', type: 'list<string>', about: 'The hazards of the change.' },
  { name: 'labels', type: 'map<string, string>', about: 'Its labels, with those of what it lies in.' },
  {
    name: 'source',
    type: 'Source',
    about: 'Where it is declared: `file`, `line`, `column`; none where no manifest has it.',
  },
]

/** Of every rule, those of the whole plan included. */
export const planVariables: readonly PolicyVariable[] = [
  { name: 'environment', type: 'string', about: 'The name of the environment; empty where the project has none.' },
  {
    name: 'plan',
    type: 'Plan',
    about:
      '`plan.changes`: every change, each with the variables above; `plan.summary`: how many of each action (`create`, `update`, `replace`, `delete`, `unchanged`).',
  },
  { name: 'now', type: 'google.protobuf.Timestamp', about: 'The moment at which it is asked.' },
]
