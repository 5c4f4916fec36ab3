import type { JsonObject } from '../json/json.js'
import { hazardNames } from './hazards.js'
import { apiVersion } from './metadata-keys.js'
import { kindNames } from './queries.js'
import { closed, labels, nonEmptyText, oneOrMore, texts } from './schema-parts.js'

/** The kind of documents with policies. */
export const policyKind = 'Policy'

/** The possible actions for an object. Blocked changes have no action, so policies do not see them. */
export const policyActions = ['create', 'update', 'replace', 'delete', 'unchanged'] as const

export const policyLevels = ['error', 'warning'] as const

const fields: JsonObject = { type: ['object', 'null'] }

const match = closed({
  kinds: { ...oneOrMore({ enum: kindNames }), description: 'Changes of objects of these kinds (default: all).' },
  actions: {
    ...oneOrMore({ enum: policyActions.filter((action) => action !== 'unchanged') }),
    description: 'Changes with these actions (default: all).',
  },
  environments: {
    ...texts,
    description: 'Changes in these environments; !NAME means all but that one (default: all).',
  },
  labels: { ...labels, description: 'Changes of objects with these labels, on the object or on a parent.' },
  unchanged: {
    type: 'boolean',
    description: 'Whether unchanged objects are checked too; a violation there is only a warning.',
  },
})

const rule = closed(
  {
    assert: { type: ['string', 'boolean'], description: 'An expression in CEL that must be true.' },
    message: { ...nonEmptyText, description: 'An expression in CEL that returns the message for a violation.' },
    at: {
      ...nonEmptyText,
      description: 'JSON Pointer of the field whose place the message shows, in the layer that sets it.',
    },
    level: { enum: [...policyLevels], description: 'An error refuses the plan (default: error).' },
    plan: {
      type: 'boolean',
      description: 'Whether the rule is evaluated once for the whole plan, instead of for each change.',
    },
  },
  ['assert'],
)

const waiver = closed(
  {
    address: { ...nonEmptyText, description: 'The address of the object, or a glob of addresses.' },
    reason: { ...nonEmptyText, description: 'Why the exception is allowed.' },
    owner: { ...nonEmptyText, description: 'Who agreed to it.' },
    until: {
      type: 'string',
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      description: 'The last day of the waiver, in UTC. There is a warning from two weeks before.',
    },
  },
  ['address', 'reason', 'owner', 'until'],
)

const change = closed(
  {
    kind: { enum: kindNames, description: 'The kind of the object.' },
    action: { enum: [...policyActions], description: 'The action (default: update).' },
    name: { ...nonEmptyText, description: 'Its name (default: example).' },
    address: { ...nonEmptyText, description: 'Its address (default: KIND/NAME).' },
    before: { ...fields, description: 'Its fields before the change.' },
    after: { ...fields, description: 'Its fields after the change.' },
    hazards: { ...oneOrMore({ enum: hazardNames }), description: 'Its hazards.' },
    labels: { ...labels, description: 'Its labels (default: those of match.labels).' },
  },
  ['kind'],
)

const test = closed(
  {
    name: { ...nonEmptyText, description: 'The name of the test in reports.' },
    change: { ...change, description: 'The change to evaluate the rules for.' },
    changes: {
      type: 'array',
      items: change,
      description: 'The changes of the plan to evaluate the rules with `plan: true` for.',
    },
    environment: { ...nonEmptyText, description: 'The environment (default: the first of match.environments).' },
    expect: { enum: [...policyLevels, 'pass'], description: 'The expected result.' },
  },
  ['expect'],
)

export const policySchema = (): JsonObject => ({
  title: policyKind,
  description: 'Rules in CEL about what a plan may do.',
  ...closed(
    {
      apiVersion: { const: apiVersion },
      kind: { const: policyKind },
      metadata: closed({ name: { ...nonEmptyText, description: 'The name of the policy, unique in the project.' } }, [
        'name',
      ]),
      spec: closed(
        {
          match: { ...match, description: 'Which changes the policy checks (default: all).' },
          rules: { type: 'array', items: rule, description: 'The rules for each of these changes.' },
          waivers: { type: ['array', 'null'], items: waiver, description: 'Exceptions for a limited time.' },
          tests: { type: ['array', 'null'], items: test, description: 'Tests of the rules with example changes.' },
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
  /** The name of the type in CEL. */
  readonly type: string
  readonly about: string
}

/** The variables for the change that a rule checks. */
export const changeVariables: readonly PolicyVariable[] = [
  { name: 'kind', type: 'string', about: 'The kind of the object.' },
  {
    name: 'name',
    type: 'string',
    about: 'The last step of its address; empty for a child that exists once.',
  },
  { name: 'address', type: 'string', about: 'Its address.' },
  { name: 'action', type: 'string', about: `The action: ${policyActions.join(', ')}.` },
  {
    name: 'before',
    type: 'Fields',
    about: 'Its live fields, as far as they were read; none for a create.',
  },
  {
    name: 'after',
    type: 'Fields',
    about: 'Its fields after the change: the written ones, and the live values of the others; none for a delete.',
  },
  {
    name: 'fields',
    type: 'list<FieldChange>',
    about: 'The changed fields: `path` (a JSON Pointer), `before`, `after`, `sensitive`, `verdict`.',
  },
  { name: 'hazards', type: 'list<string>', about: 'The hazards of the change.' },
  { name: 'labels', type: 'map<string, string>', about: 'Its labels, and those of its parents.' },
  {
    name: 'source',
    type: 'Source',
    about: 'Where it is declared: `file`, `line`, `column`; none if no manifest has it.',
  },
]

/** The variables of all rules, including those for the whole plan. */
export const planVariables: readonly PolicyVariable[] = [
  { name: 'environment', type: 'string', about: 'The name of the environment; empty if the project has none.' },
  {
    name: 'plan',
    type: 'Plan',
    about:
      '`plan.changes`: every change, each with the variables above; `plan.summary`: how many of each action (`create`, `update`, `replace`, `delete`, `unchanged`).',
  },
  { name: 'now', type: 'google.protobuf.Timestamp', about: 'The time of the evaluation.' },
]
