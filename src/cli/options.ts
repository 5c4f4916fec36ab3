import { Option } from 'commander'
import { hazardNames } from '../catalog/hazards.js'
import { vocabularies } from '../catalog/vocabulary.js'
import type { ProjectRequest } from '../engine/requests.js'
import {
  count,
  duration,
  flag,
  listed,
  optionalText,
  repeatedWord,
  text,
  textOr,
  texts,
  type ValuesOf,
  word,
  written,
} from './option.js'
import type { ReportRequest } from './report-requests.js'

/** All global options, each declared once. */
export const globals = {
  directory: textOr(
    '-C, --directory <dir>',
    'the folder where the search for the project file starts; its parents are searched too (default: .)',
    '.',
  ),
  paths: texts(
    '-f, --file <path>',
    'read only these manifests: a file, a folder or a glob; deletes nothing unless --prune is given',
  ),
  url: text('--url <url>', 'base address of the platform (GATEWRIGHT_URL)'),
  area: text('--area <id>', 'customer area (GATEWRIGHT_AREA)'),
  output: textOr(
    '-o, --output <form>',
    'text, json, markdown, yaml or matrix, if the command has it (default: text)',
    'text',
  ),
  allowFile: texts(
    '--allow-file <dir>',
    'allow ${file:…} to read files in this folder, such as mounted secrets; their content is secret',
  ),
  select: texts('--select <glob>', 'only objects whose address matches'),
  labels: texts('-l, --label <label>', 'only objects with this label: key or key=value'),
  logHttp: written('--log-http <file>', 'write one JSON line per request, with secrets masked'),
  color: word(
    '--color <when>',
    'colours: auto, always or never (NO_COLOR, FORCE_COLOR; default: auto)',
    ['auto', 'always', 'never'],
    'auto',
  ),
  quiet: flag('--quiet', 'no progress on stderr'),
  verbose: flag('--verbose', 'show every field, every change and every unmanaged object'),
  debug: flag('--debug', 'stack traces of internal errors'),
  environments: listed('-e, --env <name>', 'the environment of the project (GATEWRIGHT_ENV)'),
  values: texts('--value <name=text>', 'set a value; takes precedence over the project file'),
  reports: texts('--report <format[=file]>', 'also write the result as a report; =- is stdout'),
}

export type GlobalName = keyof typeof globals

/** The meaning of some global options in commands for a fleet. */
const ofFleets: Readonly<Partial<Record<GlobalName, string>>> = {
  paths: 'the fleet file (default: gatewright.fleet.yaml)',
  select: 'only areas whose name matches (repeatable)',
  labels: 'only areas with this label: key or key=value (repeatable)',
}

/** The global option as the command with that name describes it. */
export function globalOptionOf(command: string, name: GlobalName): Option {
  const { option } = globals[name]
  if (name === 'environments' && command === 'init') {
    return new Option('-e, --env <names>', 'environments of the project, such as dev,staging,prod')
  }
  if (name === 'environments' && command === 'diff') {
    return new Option(option.flags, `${option.description}; -e A -e B compares two`)
  }
  if (name === 'select' && command === 'promote') {
    return new Option(option.flags, 'only values with this name, and patches with this target (repeatable)')
  }
  const about = command.startsWith('fleet ') ? ofFleets[name] : undefined
  return about === undefined ? option : new Option(option.flags, about)
}

/** The options of all commands. */
const everywhere = ['output', 'color', 'quiet', 'debug'] as const satisfies readonly GlobalName[]

const online = [
  'directory',
  'environments',
  'url',
  'area',
  'allowFile',
  'logHttp',
] as const satisfies readonly GlobalName[]

/** The global options of commands, by what the commands work on. */
export const globalsFor = {
  nothing: ['output', 'color', 'debug'],
  newProject: ['directory', 'url', 'area', 'environments', ...everywhere],
  manifests: ['directory', 'paths', 'allowFile', 'environments', 'values', ...everywhere],
  project: ['directory', ...everywhere],
  records: ['directory', 'url', 'area', 'environments', ...everywhere],
  wholeArea: [...online, ...everywhere],
  liveObjects: [...online, 'select', ...everywhere],
  environmentFiles: ['directory', 'allowFile', 'select', ...everywhere],
  /** Records contain no labels. */
  recordedRun: [...online, 'select', 'verbose', ...everywhere],
  manifestFiles: [...online, 'paths', 'values', 'select', ...everywhere],
  fleet: ['paths', 'select', 'labels', ...everywhere],
  fleetServer: ['paths', ...everywhere],
  everything: [...online, 'paths', 'values', 'select', 'labels', 'verbose', ...everywhere],
} as const satisfies Readonly<Record<string, readonly GlobalName[]>>

type OutputForm = 'text' | 'json' | 'markdown'

/** The values of `-o`: some commands write manifests as YAML, or the jobs of a CI system. */
export type OutputWord = OutputForm | 'yaml' | 'matrix'

/** The values of the global options, which can be before or after the name of the command. */
export type GlobalOptions = ProjectRequest &
  Omit<ValuesOf<typeof globals>, 'output' | 'reports'> & {
    readonly environment: string | undefined
    readonly output: OutputForm
    readonly reports: readonly ReportRequest[]
    /** The value of `-o` as the user typed it. */
    readonly form: OutputWord
  }

const allowing = {
  allowReplace: flag('--allow-replace', 'allow replacing an object to change an immutable field: it gets a new id'),
  skipBlocked: flag('--skip-blocked', 'skip changes that the API cannot make'),
  allow: repeatedWord('--allow <hazard>', 'allow this hazard, such as KEY_LOSS', hazardNames),
}

const comparing = {
  base: text('--base <ref>', 'use the manifests of this git commit as the base, instead of the records'),
  accepted: text('--accepted <file>', 'the file of accepted drift (default: gatewright.accepted.yaml)'),
}

const pruning = (otherwise: string) =>
  word(
    '--prune <mode>',
    `what may be deleted: none, applied, all (default: ${otherwise})`,
    ['none', 'applied', 'all'],
    undefined,
  )

/** The options that determine the plan. */
const planning = {
  appliedIn: text('--applied-in <env>', 'plan the commit that the last run of this environment applied'),
  prune: pruning('none with -f, otherwise as in the project file, otherwise applied'),
  ...comparing,
  take: word(
    '--take <side>',
    'manifest or live: which side to keep if both changed since the last apply',
    ['manifest', 'live'],
    undefined,
  ),
  ...allowing,
}

const offline = {
  snapshot: text('--snapshot <file>', 'compare with this snapshot file, offline and without credentials'),
}

const locking = {
  lockTimeoutMs: duration('--lock-timeout <duration>', 'how long to wait for another run in the area, such as 10m'),
}

const asking = {
  yes: flag('-y, --yes', 'do not ask'),
  confirm: text(
    '--confirm <name>',
    'do not ask, if this is the name of the environment (or of a project without environments)',
  ),
}

export const planOptions = {
  ...planning,
  ...offline,
  exitCode: flag('--exit-code', 'exit with 2 if there are differences'),
  prove: flag('--prove', 'rehearse the plan on the embedded platform, interrupted at every write and resumed'),
  out: written('--out <file>', 'save the plan to this file, for apply'),
}

export const applyOptions = {
  ...planning,
  ...asking,
  ...locking,
  resume: flag('--resume', 'do only what the last run left undone, with the same manifests'),
  replan: flag('--replan', 'apply a saved plan although the area has changed, if the effect is the same'),
  waitDomainsMs: duration('--wait-domains <duration>', 'how long to wait for the approval of domains, such as 10m'),
}

const writing = {
  into: word(
    '--into <where>',
    'manifest: write changes for all environments (default: only for the chosen one)',
    ['manifest'],
    undefined,
  ),
}

export const driftOptions = {
  ...offline,
  ...comparing,
  write: flag('--write', 'write the drift into the manifests or layers that set the values'),
  ...writing,
  accept: optionalText('--accept [file]', 'accept the current drift, in a file; needs --reason, --owner and --expires'),
  reason: text('--reason <text>', 'why the drift is accepted'),
  owner: text('--owner <who>', 'who is responsible for it'),
  expires: text('--expires <day>', 'the last day on which it is accepted, such as 2027-01-31'),
}

export const getOptions = {
  unmanaged: flag('--unmanaged', 'only objects that no manifest has, of every kind or of this KIND'),
  snapshot: text('--snapshot <file>', 'read this snapshot file instead of the live area'),
}

export const snapshotOptions = { out: written('--out <file>', 'the file to write') }

export const exportOptions = {
  dir: text('--dir <dir>', 'the folder of the manifests'),
  kinds: texts('--kind <kind>', 'only objects of this KIND, and everything in them'),
  full: flag('--full', 'also write fields that only repeat the defaults of the platform'),
  withSecrets: flag('--with-secrets', 'also write secrets, as placeholders: ${env:NAME}'),
  prune: flag('--prune', 'remove manifests whose objects are gone'),
  ...writing,
  snapshot: text('--snapshot <file>', 'read this snapshot file instead of the live area'),
  stages: text(
    '--stages <names>',
    'write a new project with an environment for each of these words in the names of objects, such as DEV,QA,PRD',
  ),
}

export const importOptions = {
  dir: text('--dir <dir>', 'the folder of the manifests'),
  service: text(
    '--service <name>',
    'the service, if no document of kind OpenAPI names the file (default: the title of the file)',
  ),
  prune: flag('--prune', 'remove manifests of operations that are gone'),
}

export const initOptions = {
  name: text('--name <name>', 'name of the project (default: the name of the folder)'),
  example: flag('--example', 'start with an example (default)'),
  export: flag('--export', 'start with an export of the live area'),
  ci: word(
    '--ci <system>',
    'workflows for github, gitlab or none (default: github)',
    ['github', 'gitlab', 'none'],
    undefined,
  ),
  yes: flag('-y, --yes', 'do not ask; use the defaults'),
}

export const diffOptions = { live: flag('--live', 'compare the live areas of two environments') }

export const promoteOptions = { write: flag('--write', 'write the file (default: only show the changes)') }

export const secretOptions = {
  recipients: texts('--recipient <age1…>', 'encrypt for this age key instead of spec.secrets.recipients'),
}

export const historyOptions = {
  prune: text(
    '--prune <keep>',
    'remove older runs: keep this many, such as 100, or those of this many days, such as 90d',
  ),
}

export const rollbackOptions = { ...asking, ...locking, ...allowing }

export const fleetListOptions = {
  jobs: count(
    '--jobs <n>',
    'with -o matrix: the maximum number of jobs (default: 200, which GitHub and GitLab accept)',
    200,
    1,
  ),
}

const inFleets = {
  resume: flag('--resume', 'continue the last run: areas that it finished are not run again'),
  parallelism: count('--parallelism <n>', 'how many areas run at the same time, over all keys (default: 4)', 4, 1),
  job: text('--job <n/m>', 'only the areas of this job of fleet list -o matrix, such as 3/17'),
}

/** The options that determine the plan of each area. */
const ofPlans = {
  prune: pruning('as in the project file, otherwise applied'),
  take: planning.take,
  ...allowing,
}

const reportsOfAreas = {
  out: text('--out <dir>', 'the folder for the reports of each area (default: in the records of the fleet)'),
}

export const fleetDriftOptions = { ...inFleets, ...reportsOfAreas }

export const fleetPlanOptions = {
  ...inFleets,
  ...ofPlans,
  out: text('--out <dir>', 'save the plans and the reports of each area in this folder, for fleet apply'),
  exitCode: flag('--exit-code', 'exit with 2 if there are differences'),
}

export const fleetApplyOptions = {
  ...inFleets,
  ...ofPlans,
  ...reportsOfAreas,
  yes: asking.yes,
  confirm: texts('--confirm <name>', 'the name of an environment whose guard asks for it'),
  lockTimeoutMs: duration('--lock-timeout <duration>', 'how long to wait for another run in an area, such as 10m'),
  replan: applyOptions.replan,
}

const listenAt = textOr('--host <address>', 'address to listen on (default: 127.0.0.1)', '127.0.0.1')

export const fleetServeOptions = {
  host: listenAt,
  port: count('--port <n>', 'port of the pages; 0 takes a free one (default: 8090)', 8090, 0, 65_535),
  jobs: count('--jobs <n>', 'how many areas run at the same time (default: 4)', 4, 1),
  pages: flag('--no-pages', 'run only a worker, without pages'),
}

export const fleetHistoryOptions = {
  limit: count('--limit <n>', 'the maximum number of jobs (default: 50)', 50, 1),
}

export const platformOptions = {
  host: listenAt,
  port: count('--port <n>', 'port to listen on; 0 takes a free one (default: 8080)', 8080, 0, 65_535),
  data: text('--data <path>', 'keep the objects in this file'),
  seed: text('--seed <snapshot>', 'start with the objects of a snapshot file'),
  latencyMs: count('--latency <ms>', 'delay every answer', undefined),
  qps: count('--qps <n>', 'refuse more calls per second than this', undefined, 1),
  dailyQuota: count('--daily-quota <n>', 'refuse more calls per day than this', undefined),
  faults: texts(
    '--fault <spec>',
    'misbehave on purpose: KIND[:TARGET][:COUNT], such as reset-after:POST:2; docs/reference/platform.md lists them',
  ),
  errorSet: text('--error-set <name>', 'the error set that new services get automatically, or none (default: Default)'),
  ignoreNested: texts('--ignore-nested <field>', 'silently drop this part of creates, such as Service.endpoints'),
  dialect: word(
    '--dialect <dialect>',
    'document: as the interface document prints it; recorded: as real platforms answer (default: document)',
    ['document', 'recorded'],
    'document',
  ),
  vocabulary: word(
    '--vocabulary <vocabulary>',
    "the words that it accepts and returns: document, or mashery for the vendor's (default: document)",
    vocabularies,
    'document',
  ),
  autoApprove: flag('--auto-approve', 'approve new domains at once'),
}

export type PlanOptions = GlobalOptions & ValuesOf<typeof planOptions>
export type ApplyOptions = GlobalOptions & ValuesOf<typeof applyOptions> & { readonly planFile: string | undefined }
export type DriftOptions = GlobalOptions & ValuesOf<typeof driftOptions>
export type RollbackOptions = GlobalOptions & ValuesOf<typeof rollbackOptions> & { readonly run: string }
export type ExportOptions = GlobalOptions & ValuesOf<typeof exportOptions>
export type ImportOptions = GlobalOptions & ValuesOf<typeof importOptions> & { readonly file: string }
export type SnapshotOptions = GlobalOptions & ValuesOf<typeof snapshotOptions>
export type DiffOptions = GlobalOptions & ValuesOf<typeof diffOptions> & { readonly sides: readonly string[] }
export type PromoteOptions = GlobalOptions &
  ValuesOf<typeof promoteOptions> & { readonly from: string; readonly to: string }
export type SecretOptions = GlobalOptions & ValuesOf<typeof secretOptions>
export type InitOptions = GlobalOptions & ValuesOf<typeof initOptions>
export type PlatformOptions = GlobalOptions & ValuesOf<typeof platformOptions>
