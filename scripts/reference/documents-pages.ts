import { hazardNames, hazards } from '../../src/catalog/hazards.js'
import { metadataAbout, schemaOf } from '../../src/catalog/json-schema.js'
import { metadataKeys } from '../../src/catalog/metadata-keys.js'
import { extensionLevels, extensionPrefix, openApiKind } from '../../src/catalog/openapi.js'
import { type OutlineRow, outlineOf } from '../../src/catalog/outline.js'
import { changeVariables, planVariables, policyKind } from '../../src/catalog/policy-schema.js'
import { kinds } from '../../src/catalog/queries.js'
import { code, page, table } from './page.js'

/** docs/reference/project-file.md: every key of the project file, from its schema. */
export function projectPage(): string {
  const project = outlineOf(schemaOf('Project'))
  return page(
    'The project file',
    'src/catalog/project-schema.ts',
    `\`gatewright.yaml\` is looked for in the working directory and then upwards; \`-C DIR\` starts elsewhere. \`apiVersion\` and
\`kind\` must be there, and everything else may be left out; so may the file. \`gatewright explain Project\` prints this page,
\`gatewright schema project\` the JSON Schema, which editors use. Any text may hold [placeholders](metadata.md#placeholders);
\`GATEWRIGHT_*\` and \`PG*\` variables are refused there.`,
    keyTable(project),
    `## A file for each environment

\`spec.environments\` may be a list of files. Each has one document of kind Environment, with the keys of \`spec.environments.NAME\`:`,
    '```yaml\napiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: dev}\nspec:\n  values: {stage: DEV}\n```',
    `[Several environments](layers.md) tells what the keys are for, and [security](../explanation/security.md) what \`secrets\` is
for.`,
  )
}

/** docs/reference/openapi.md: every key of a document of kind OpenAPI, and the extensions in the file that it names. */
export function openApiPage(): string {
  const levels = Object.entries(extensionLevels).map(([name, at]) => [
    code(`${extensionPrefix}${name}`),
    at.map((level) => levelWords[level]).join(', '),
    extensionAbout[name] ?? '',
  ])
  return page(
    'OpenAPI',
    'src/catalog/openapi-schema.ts and scripts/reference/documents-pages.ts',
    `A document of kind OpenAPI gives a service the endpoints of an OpenAPI file, which is read in every run. [Endpoints from
OpenAPI](../how-to/openapi.md) shows it at work. \`gatewright explain OpenAPI\` prints the keys, \`gatewright schema openapi\` the
JSON Schema.`,
    keyTable(outlineOf(schemaOf(openApiKind))),
    `## Extensions in the OpenAPI file\n\n${table(['key', 'at', ''], levels)}`,
    `The nearest level wins, member by member. An unknown key that begins with \`${extensionPrefix}\`, or one at another level, is an error.
\`\${value:NAME}\` and the other [placeholders](metadata.md#placeholders) may stand in these extensions, and nowhere else in the file.`,
    `## What is read, and what is not

- OpenAPI 2.0 (\`swagger: "2.0"\`), 3.0, 3.1 and 3.2. Of the file only \`info.title\`, \`info.version\`, \`paths\` and \`servers\` (2.0: \`host\`,
  \`basePath\`) are read; schemas, parameters, responses, security and callbacks are not.
- \`$ref\` of all paths, of a path and of an operation: \`FILE\`, \`FILE#/pointer\` or \`#/pointer\`. What stands beside it wins,
  in \`x-gatewright-endpoint\` member by member. Files lie in the repository.
- Variables of servers have their defaults. The servers of an operation outrank those of its path, and these those of the file.
- The endpoints stand beside others of the service, as documents of kind Endpoint do: those that no document has are left alone.
  Their methods are the whole list.`,
  )
}

const levelWords = { file: 'the file itself', path: 'paths', operation: 'operations' } as const

const extensionAbout: Readonly<Record<string, string>> = {
  endpoint:
    'Fields of the endpoint, and `metadata` as inside a service. Operations of one endpoint may not contradict each other.',
  name: 'The name of the endpoint, or what `{name}` of `spec.name` stands for. Operations of one path with the same name form one endpoint.',
  formerly: 'Earlier names, or earlier paths: a rename, not a delete and create.',
  skip: '`true`: no endpoint is made of it.',
}

/** docs/reference/fleet-file.md: every key of a fleet and of its areas, from their schemas. */
export const fleetPage = (): string =>
  page(
    'The fleet file',
    'src/catalog/fleet-schema.ts',
    `\`gatewright.fleet.yaml\` of the working directory, or the file of \`-f\`, is one document of kind Fleet: many areas, each with its
project. \`gatewright explain Fleet\` prints this table, \`gatewright schema fleet\` the JSON Schema. Placeholders stand only in
\`credentials\`, and in \`values\`, where they mean what they mean in the project file.`,
    keyTable(outlineOf(schemaOf('Fleet'))),
    `## A file for each area

\`spec.areas\` may be a list of files and patterns. Each document in them is of kind Area:`,
    '```yaml\napiVersion: gatewright/v1\nkind: Area\nmetadata: {name: acme}\nspec:\n  project: ../shop\n  environment: acme\n  labels: {ring: canary}\n```',
    keyTable(outlineOf(schemaOf('Area'))),
  )

/** docs/reference/policies.md */
export function policiesPage(): string {
  const rows = (variables: typeof changeVariables) =>
    variables.map(({ name, type, about }) => [code(name), code(type), about])
  return page(
    'Policies',
    'src/catalog/policy-schema.ts and scripts/reference/documents-pages.ts',
    `A document of kind Policy says in [CEL](https://cel.dev) what may be done to which objects. [Policies](../how-to/policies.md) shows
it at work. \`gatewright explain Policy\` prints the keys, \`gatewright schema policy\` the JSON Schema.`,
    keyTable(outlineOf(schemaOf(policyKind))),
    `## Variables\n\n${table(['name', 'type', ''], rows(changeVariables))}`,
    `In every rule, also in those with \`plan: true\`, which have no others:\n\n${table(['name', 'type', ''], rows(planVariables))}`,
    policyValues,
  )
}

const policyValues = `## Values

- \`Fields\` has the own fields of the kinds in \`match.kinds\` ([kinds](kinds.md)), by the document's names and types: integers are
  \`int\`, enums, dates and host names \`string\`. Children have changes of their own. References are shown as plans show them.
- What is empty (null) is not there: \`has(after.description)\`, \`after.?description.orValue("")\`.
- A field that a manifest may only have under \`extraFields\` is \`dyn(after).name\`.
- A secret is \`(sensitive)\`; of an object field, such as \`processor\`, only the members that are secret, each as a whole.
  One that changes is \`(sensitive, changed)\` in \`after\`, so that \`after.password != before.password\`
  and \`fields.exists(f, f.path == "/password")\` are true of it.
- An \`int\` and a \`double\` can be compared, not added: \`double(after.qpsLimitOverall) * 1.5\`.
- \`timestamp(after.startDateTime)\` makes a date of a text; \`now + duration("336h")\` is in two weeks.
- Of what CEL has beside: \`matches\`, \`contains\`, \`startsWith\`, \`endsWith\`, \`size\`, \`split\`, \`join\`, \`all\`, \`exists\`,
  \`exists_one\`, \`filter\`, \`map\`, \`cel.bind\`, \`optional.of\`.`

/** docs/reference/metadata.md: what documents and children say of themselves. */
export function metadataPage(): string {
  const names = new Map(kinds.map((kind) => [kind, metadataKeys(kind, 'document').required]))
  const rows = kinds.map((kind) => [
    `[${kind.name}](kinds.md#${kind.name.toLowerCase()})`,
    names.get(kind)?.map(code).join(', ') ?? '',
  ])
  return page(
    'Metadata',
    'src/catalog/json-schema.ts and scripts/reference/documents-pages.ts',
    `A document says in \`metadata\` which object it is, and how it is treated. A child inside its parent has \`metadata\` as well, for
the keys other than its name. \`gatewright explain metadata\` prints the keys.`,
    table(
      ['key', ''],
      metadataAbout.map(([key, about]) => [code(key), about]),
    ),
    metadataExamples,
    '## Which keys name an object\n\nA child in a document of its own names every ancestor. Where a name is ambiguous, it may be `{name, id}`.',
    table(['kind', 'required in metadata'], rows),
    `## Documents that are no objects\n\n${table(['kind', 'is'], otherRows)}`,
    '```yaml\napiVersion: gatewright/v1\nkind: Removed\nmetadata: {address: Service/Orders API/Endpoint/orders}\n```',
    placeholders,
  )
}

const otherRows = [
  ['Project', '[the project file](project-file.md)'],
  ['Environment', '[an environment in a file of its own](project-file.md#a-file-for-each-environment)'],
  ['OpenAPI', '[endpoints from an OpenAPI file](openapi.md)'],
  ['Fleet', '[many areas](fleet-file.md)'],
  ['Area', '[one area of a fleet](fleet-file.md#a-file-for-each-area)'],
  ['Policy', '[what may be done to which objects](policies.md); it stands in a file of its own'],
  [
    'Removed',
    'The object at `metadata.address`, and what it contains, is to be deleted. For what nobody knows was applied. `metadata.environments` limits it to some environments.',
  ],
]

const metadataExamples = `\`\`\`yaml
apiVersion: gatewright/v1
kind: Service
metadata:
  name: Orders API
  labels: {team: payments}             # plan -l team=payments
  formerly: Order API                  # renames the live object, which keeps its id and keys
  environments: [dev, prod]
  defaults: {Endpoint: {connectionTimeoutForSystemDomainRequest: 5}}
spec:
  endpoints:
    - name: orders
      requestPathAlias: /orders/v1
      metadata:
        protect: true                  # plan refuses to delete or replace it
        ignore: [/cors/maxAge]         # somebody else owns that field
        sensitive: [/processor/preInputs]
        without: [/connectionTimeoutForSystemDomainRequest]
\`\`\``

const placeholders = `## Placeholders

${table(
  ['written', 'stands for', 'shown'],
  [
    [
      '`${env:NAME}`',
      'an environment variable; a text for where it is not set is no part of it',
      'masked, unless `secrets.public` lists it',
    ],
    [
      '`${file:path}`',
      'a file of the repository, or of a folder of `--allow-file`',
      'as it is; masked from an allowed folder',
    ],
    ['`${sops:path#/a/b}`', 'one value of a file that sops encrypted: the file and a JSON Pointer', 'masked'],
    ['`${age:…}`', 'a value that `gatewright secret encrypt` encrypted', 'masked'],
    ['`${value:NAME}`', 'a value of the project or the environment', 'as it is, unless it uses a secret'],
    ['`$${`', 'the text `${`', ''],
  ],
)}

They may stand in any text of a manifest; a key is taken as it is. A field that is one placeholder takes a value of any type.`

/** docs/reference/hazards.md */
export const hazardsPage = (): string =>
  page(
    'Hazards',
    'src/catalog/hazards.ts',
    `A hazard is what a change does to those who hold keys. A plan with one is refused (exit code 5) until it is allowed by name:
\`gatewright apply --allow KEY_LOSS\`. It is stated only if live keys use what the change touches, with how many keys of how many
applications that are. In an environment \`guard.hazards\` lists those that may be allowed there at all.`,
    table(
      ['hazard', 'what it means', 'when it is stated'],
      hazardNames.map((name) => [code(name), hazards[name].means, hazards[name].stated]),
    ),
  )

const keyTable = (rows: readonly OutlineRow[]): string =>
  table(
    ['key', 'takes', ''],
    rows.map(({ key, takes, about }) => [code(key), takes, about]),
  )
