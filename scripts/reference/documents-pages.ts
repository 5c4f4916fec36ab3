import { hazardNames, hazards } from '../../src/catalog/hazards.js'
import { metadataAbout, schemaOf } from '../../src/catalog/json-schema.js'
import { metadataKeys } from '../../src/catalog/metadata-keys.js'
import { extensionLevels, extensionPrefix, openApiKind } from '../../src/catalog/openapi.js'
import { type OutlineRow, outlineOf } from '../../src/catalog/outline.js'
import { changeVariables, planVariables, policyKind } from '../../src/catalog/policy-schema.js'
import { kinds } from '../../src/catalog/queries.js'
import { code, page, table } from './page.js'

/** docs/reference/project-file.md: all keys of the project file, from its schema. */
export function projectPage(): string {
  const project = outlineOf(schemaOf('Project'))
  return page(
    'The project file',
    'src/catalog/project-schema.ts',
    `\`gatewright.yaml\` names the project, its manifests and the platform. gatewright searches it in the working directory and then in
its parents; \`-C DIR\` starts elsewhere. The file is optional; in it \`apiVersion\` and \`kind\` are required, everything else is
optional. \`gatewright explain Project\` prints this page, and \`gatewright schema project\` the JSON Schema for editors. Any text
may contain [placeholders](metadata.md#placeholders), except for \`GATEWRIGHT_*\` and \`PG*\` variables.`,
    keyTable(project),
    `## A file for each environment

\`spec.environments\` may be a list of files. Each has one document of kind Environment, with the keys of \`spec.environments.NAME\`:`,
    '```yaml\napiVersion: gatewright/v1\nkind: Environment\nmetadata: {name: dev}\nspec:\n  values: {stage: DEV}\n```',
    `[Several environments](layers.md) explains the keys of environments, and [security](../explanation/security.md) explains
\`secrets\`.`,
  )
}

/** docs/reference/openapi.md: all keys of a document of kind OpenAPI, and the extensions in the OpenAPI file. */
export function openApiPage(): string {
  const levels = Object.entries(extensionLevels).map(([name, at]) => [
    code(`${extensionPrefix}${name}`),
    at.map((level) => levelWords[level]).join(', '),
    extensionAbout[name] ?? '',
  ])
  return page(
    'OpenAPI',
    'src/catalog/openapi-schema.ts and scripts/reference/documents-pages.ts',
    `A document of kind OpenAPI creates the endpoints of a service from an OpenAPI file, which is read in every run. [Endpoints from
OpenAPI](../how-to/openapi.md) has an example. \`gatewright explain OpenAPI\` prints the keys, \`gatewright schema openapi\` the
JSON Schema.`,
    keyTable(outlineOf(schemaOf(openApiKind))),
    `## Extensions in the OpenAPI file\n\n${table(['key', 'at', ''], levels)}`,
    `The nearest level takes precedence, member by member. An unknown key that begins with \`${extensionPrefix}\`, or a key at another
level, is an error.
\`\${value:NAME}\` and the other [placeholders](metadata.md#placeholders) work only in these extensions, not in the rest of the file.`,
    `## What is read, and what is not

- OpenAPI 2.0 (\`swagger: "2.0"\`), 3.0, 3.1 and 3.2. Only \`info.title\`, \`info.version\`, \`paths\` and \`servers\` (2.0: \`host\`,
  \`basePath\`) are read; schemas, parameters, responses, security and callbacks are not.
- \`$ref\` of all paths, of a path or of an operation: \`FILE\`, \`FILE#/pointer\` or \`#/pointer\`. Keys beside a \`$ref\` take precedence,
  in \`x-gatewright-endpoint\` member by member. The files must be in the repository.
- Variables of servers have their default values. The servers of an operation take precedence over those of its path, and those of
  a path over those of the file.
- Like documents of kind Endpoint, the generated endpoints are not a complete list: other endpoints of the service are left alone.
  The methods of a generated endpoint are its complete list.`,
  )
}

const levelWords = { file: 'the file itself', path: 'paths', operation: 'operations' } as const

const extensionAbout: Readonly<Record<string, string>> = {
  endpoint:
    'Fields of the endpoint, and `metadata` as inside a service. Operations of one endpoint may not contradict each other.',
  name: 'The name of the endpoint, or the value of `{name}` in `spec.name`. Operations of one path with the same name form one endpoint.',
  formerly: 'Earlier names, or earlier paths: the endpoint is renamed, not deleted and created.',
  skip: '`true`: no endpoint is created from it.',
}

/** docs/reference/fleet-file.md: all keys of a fleet and of its areas, from their schemas. */
export const fleetPage = (): string =>
  page(
    'The fleet file',
    'src/catalog/fleet-schema.ts',
    `The fleet file lists many areas, each with its project. It is \`gatewright.fleet.yaml\` in the working directory, or the file of
\`-f\`, and has one document of kind Fleet. [Many areas](../how-to/fleets.md) has an example. \`gatewright explain Fleet\` prints
this table, \`gatewright schema fleet\` the JSON Schema. Placeholders work only in \`credentials\`, and in \`values\` as in the
project file.`,
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
    `A document of kind Policy has rules in [CEL](https://cel.dev) about what a plan may do. [Policies](../how-to/policies.md) has an
example. \`gatewright explain Policy\` prints the keys, \`gatewright schema policy\` the JSON Schema.`,
    keyTable(outlineOf(schemaOf(policyKind))),
    `## Variables\n\n${table(['name', 'type', ''], rows(changeVariables))}`,
    `These variables exist in every rule. Rules with \`plan: true\` have only these:\n\n${table(['name', 'type', ''], rows(planVariables))}`,
    policyValues,
  )
}

const policyValues = `## Values

- \`Fields\` has the fields of the kinds in \`match.kinds\` ([kinds](kinds.md)), with the document's names and types: integers are
  \`int\`; enums, dates and host names are \`string\`. Children have changes of their own. References look as in plans.
- A field that is empty (null) is missing: \`has(after.description)\`, \`after.?description.orValue("")\`.
- For a field that needs \`extraFields\`, write \`dyn(after).name\`.
- A secret is \`(sensitive)\`; in an object field, such as \`processor\`, only its secret members are, each as a whole.
  A secret that changes is \`(sensitive, changed)\` in \`after\`, so that \`after.password != before.password\`
  and \`fields.exists(f, f.path == "/password")\` are true.
- An \`int\` and a \`double\` can be compared, not added: \`double(after.qpsLimitOverall) * 1.5\`.
- \`timestamp(after.startDateTime)\` converts a text to a date; \`now + duration("336h")\` is two weeks from now;
  \`string(now)\` is a text such as 2027-01-31T12:00:00Z.
- These CEL functions and macros are available too: \`matches\`, \`contains\`, \`startsWith\`, \`endsWith\`, \`size\`, \`split\`, \`join\`, \`all\`, \`exists\`,
  \`exists_one\`, \`filter\`, \`map\`, \`cel.bind\`, \`optional.of\`.`

/** docs/reference/metadata.md: the keys of `metadata` in documents and in children. */
export function metadataPage(): string {
  const names = new Map(kinds.map((kind) => [kind, metadataKeys(kind, 'document').required]))
  const rows = kinds.map((kind) => [
    `[${kind.name}](kinds.md#${kind.name.toLowerCase()})`,
    names.get(kind)?.map(code).join(', ') ?? '',
  ])
  return page(
    'Metadata',
    'src/catalog/json-schema.ts and scripts/reference/documents-pages.ts',
    `In a document, \`metadata\` identifies the object and says how gatewright treats it. A child inside its parent may have \`metadata\`
too, for all keys except its name. \`gatewright explain metadata\` prints the keys.`,
    table(
      ['key', ''],
      metadataAbout.map(([key, about]) => [code(key), about]),
    ),
    metadataExamples,
    '## Which keys name an object\n\nA child in a document of its own names all its ancestors. If a name is ambiguous, write `{name, id}`.',
    table(['kind', 'required in metadata'], rows),
    `## Documents that are not objects\n\n${table(['kind', 'is'], otherRows)}`,
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
  ['Policy', '[rules about what a plan may do](policies.md), in a file of its own'],
  [
    'Removed',
    'Deletes the object at `metadata.address`, and everything in it. Use it for objects that no record knows. `metadata.environments` limits it to some environments.',
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
      'an environment variable; there is no syntax for a default',
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

Placeholders work in any text of a manifest, but not in keys. A field that consists of one placeholder may get a value of any type.`

/** docs/reference/hazards.md */
export const hazardsPage = (): string =>
  page(
    'Hazards',
    'src/catalog/hazards.ts',
    `A hazard is a risk of a change for the holders of API keys. A plan with a hazard is refused (exit code 5) until the hazard is
allowed by name: \`gatewright apply --allow KEY_LOSS\`. A plan reports a hazard only if live keys use the object that changes, with
the number of these keys and of their applications. \`guard.hazards\` of an environment lists the hazards that can be allowed there.`,
    table(
      ['hazard', 'meaning', 'when it is reported'],
      hazardNames.map((name) => [code(name), hazards[name].means, hazards[name].stated]),
    ),
  )

const keyTable = (rows: readonly OutlineRow[]): string =>
  table(
    ['key', 'takes', ''],
    rows.map(({ key, takes, about }) => [code(key), takes, about]),
  )
