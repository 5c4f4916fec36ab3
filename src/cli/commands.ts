import type { Command } from 'commander'
import { ProblemError } from '../problems/problem.js'
import { notAvailable } from '../problems/project.js'
import type { Io } from './io.js'
import {
  applyOptions,
  diffOptions,
  driftOptions,
  exportOptions,
  type GlobalOptions,
  getOptions,
  globalOptions,
  initOptions,
  type OutputWord,
  platformOptions,
  type RawOptions,
  runOptions,
  snapshotOptions,
} from './options.js'

/** What one run of the program was asked to do. */
export interface Invocation {
  readonly raw: RawOptions
  readonly args: readonly (string | undefined)[]
}

/** One command: its words for the parser, the outputs it has, and how it is run. Its module is loaded only then. */
export interface CommandRow {
  /** Name and arguments, as the parser reads them: `explain [topic]`. */
  readonly usage: string
  readonly about: string
  readonly outputs: readonly OutputWord[]
  /** Its exit code says what became of the live area, whatever became of its output. */
  readonly changesArea?: true
  readonly define: (command: Command) => unknown
  readonly run: (invocation: Invocation, global: GlobalOptions, io: Io) => Promise<number>
}

/** Collects a repeatable option. */
export const collect = (value: string, earlier: readonly string[] | undefined): readonly string[] => [
  ...(earlier ?? []),
  value,
]

const noOptions = (command: Command): Command => command

const pruneOption = (command: Command): Command =>
  command.option(
    '--prune <mode>',
    'what may be deleted: none, applied, all (default: none with -f, else the project file, else applied)',
  )

const baseOption = (command: Command): Command =>
  command.option('--base <ref>', 'the git commit whose manifests were last applied, instead of the records')

/** What decides about a plan itself. */
const planningOptions = (command: Command): Command =>
  baseOption(pruneOption(command))
    .option('--take <side>', 'manifest or live: which has it where both were changed since the last apply')
    .option('--allow-replace', 'replace objects where a field cannot be changed: they get a new id')
    .option('--skip-blocked', 'do the rest where the interface has no way')
    .option('--allow <hazard>', 'let that hazard happen, such as KEY_LOSS (repeatable)', collect)

const snapshotOption = (command: Command): Command =>
  command.option('--snapshot <file>', 'compare with that snapshot file, offline; no credentials are needed')

const validate: CommandRow = {
  usage: 'validate',
  about: 'check manifests offline',
  outputs: ['text', 'json', 'markdown'],
  define: noOptions,
  run: async (_, global, io) => (await import('./commands/validate.js')).validateCommand(global, io),
}

const plan: CommandRow = {
  usage: 'plan',
  about: 'show what would change, and what apply would refuse',
  outputs: ['text', 'json', 'markdown'],
  define: (command) =>
    snapshotOption(planningOptions(command))
      .option('--exit-code', 'exit with 2 if there are differences')
      .option('--prove', 'rehearse it on the embedded platform, cut off at every write and resumed')
      .option('--out <file>', 'save the plan there, for apply'),
  run: async ({ raw }, global, io) => {
    const options = runOptions(raw, global)
    return (await import('./commands/plan.js')).planCommand(options, io)
  },
}

const apply: CommandRow = {
  usage: 'apply [plan-file]',
  about: 'perform a saved plan, or a fresh one after showing it and asking',
  outputs: ['text', 'json'],
  changesArea: true,
  define: (command) =>
    planningOptions(command)
      .option('-y, --yes', 'do not ask')
      .option('--resume', 'do only what the last run left undone, with the same manifests')
      .option('--replan', 'with a saved plan: accept that things have changed, if the effect is the same')
      .option('--wait-domains <duration>', 'poll that long for domains that wait for approval, such as 10m'),
  run: async ({ raw, args: [planFile] }, global, io) => {
    const options = applyOptions(raw, planFile, global)
    return (await import('./commands/apply.js')).applyCommand(options, io)
  },
}

const drift: CommandRow = {
  usage: 'drift',
  about: 'compare the live area with what was last applied and with what is wanted',
  outputs: ['text', 'json', 'markdown'],
  define: (command) =>
    baseOption(snapshotOption(command))
      .option('--write', 'bring the drift into the manifests that own it')
      .option('--accept [file]', 'accept what drifts now, in a file; needs --reason, --owner and --expires')
      .option('--reason <text>', 'why it is accepted')
      .option('--owner <who>', 'who answers for it')
      .option('--expires <day>', 'the last day on which it is accepted, such as 2027-01-31')
      .option('--accepted <file>', 'the file of what is accepted (default: gatewright.accepted.yaml)'),
  run: async ({ raw }, global, io) => (await import('./commands/drift.js')).driftCommand(driftOptions(raw, global), io),
}

const get: CommandRow = {
  usage: 'get <kind> [name]',
  about: 'the live objects of a KIND, or the one of that NAME (or address); -o yaml writes manifests',
  outputs: ['text', 'json', 'yaml'],
  define: (command) => command.option('--snapshot <file>', 'look into that snapshot file instead'),
  run: async ({ raw, args }, global, io) =>
    (await import('./commands/get.js')).getCommand(getOptions(raw, args, global), io),
}

const snapshot: CommandRow = {
  usage: 'snapshot',
  about: 'the live area as a file, for plan --snapshot, drift --snapshot, diff and platform --seed',
  outputs: ['text', 'json'],
  define: (command) => command.option('--out <file>', 'the file to write'),
  run: async ({ raw }, global, io) =>
    (await import('./commands/snapshot.js')).snapshotCommand(snapshotOptions(raw, global), io),
}

const exporting: CommandRow = {
  usage: 'export',
  about: 'the live area as manifests; what people wrote in them is edited in place',
  outputs: ['text', 'json'],
  define: (command) =>
    command
      .option('--dir <dir>', 'the folder of the manifests')
      .option('--kind <kind>', 'only objects of that KIND, with what they hold (repeatable)', collect)
      .option('--full', 'write fields that only repeat the defaults of the platform as well')
      .option('--prune', 'remove manifests whose objects are gone')
      .option('--snapshot <file>', 'take that snapshot file for the live area'),
  run: async ({ raw }, global, io) =>
    (await import('./commands/export.js')).exportCommand(exportOptions(raw, global), io),
}

const diff: CommandRow = {
  usage: 'diff <a> <b>',
  about: 'two sides compared: snapshot files, folders of manifests, live, or URL[#AREA]; exit 2 on differences',
  outputs: ['text', 'json', 'markdown'],
  define: noOptions,
  run: async ({ args }, global, io) => (await import('./commands/diff.js')).diffCommand(diffOptions(args, global), io),
}

const history: CommandRow = {
  usage: 'history',
  about: 'the runs that are recorded: when, who, and what became of them',
  outputs: ['text', 'json'],
  define: noOptions,
  run: async (_, global, io) => (await import('./commands/history.js')).historyCommand(global, io),
}

const show: CommandRow = {
  usage: 'show <run>',
  about: 'one RUN (its name, a beginning of it, or latest): every change with its outcome',
  outputs: ['text', 'json'],
  define: noOptions,
  run: async ({ args: [run = ''] }, global, io) =>
    (await import('./commands/show.js')).showCommand({ ...global, run }, io),
}

const init: CommandRow = {
  usage: 'init',
  about: 'a project to start from: project file, example or export, schemas, editor settings, CI workflows',
  outputs: ['text', 'json'],
  define: (command) =>
    command
      .option('--name <name>', 'name of the project (default: that of the folder)')
      .option('--example', 'start with an example (default)')
      .option('--export', 'start with what the live area holds')
      .option('--ci <system>', 'workflows for github, gitlab or none (default: github)'),
  run: async ({ raw }, global, io) => (await import('./commands/init.js')).initCommand(initOptions(raw, global), io),
}

const rollback: CommandRow = {
  usage: 'rollback <run>',
  about: 'undo what one RUN (its name, a beginning of it, or latest) has written, where it is still as the run left it',
  outputs: ['text', 'json'],
  changesArea: true,
  define: (command) =>
    command
      .option('-y, --yes', 'do not ask')
      .option('--allow-replace', 'replace objects where a field cannot be changed: they get a new id')
      .option('--skip-blocked', 'do the rest where the interface has no way')
      .option('--allow <hazard>', 'let that hazard happen, such as KEY_LOSS (repeatable)', collect),
  run: async ({ raw, args: [run = ''] }, global, io) =>
    (await import('./commands/rollback.js')).rollbackCommand({ ...runOptions(raw, global), run }, io),
}

const explain: CommandRow = {
  usage: 'explain [topic]',
  about: 'the catalogue: all kinds, one KIND, or one KIND.FIELD',
  outputs: ['text', 'json'],
  define: noOptions,
  run: async ({ args: [topic] }, global, io) =>
    (await import('./commands/explain.js')).explainCommand({ ...global, topic }, io),
}

const schema: CommandRow = {
  usage: 'schema [kind]',
  about: 'the JSON Schema of manifests, of one KIND, or of the project file (project)',
  outputs: ['text', 'json'],
  define: noOptions,
  run: async ({ args: [kind] }, global, io) =>
    (await import('./commands/schema.js')).schemaCommand({ ...global, kind }, io),
}

const platform: CommandRow = {
  usage: 'platform',
  about: 'run the embedded platform as a server',
  outputs: ['text', 'json'],
  define: (command) =>
    command
      .option('--port <n>', 'port to listen on; 0 takes a free one (default: 8080)')
      .option('--data <path>', 'keep the objects in that file')
      .option('--seed <snapshot>', 'start with the objects of a snapshot file')
      .option('--latency <ms>', 'answer that much later')
      .option('--qps <n>', 'refuse more calls a second than that')
      .option('--daily-quota <n>', 'refuse more calls a day than that')
      .option(
        '--fault <spec>',
        'misbehave on purpose: KIND[:METHOD /path][:COUNT], such as reset-after:POST:2 (repeatable); docs/platform.md lists them',
        collect,
      )
      .option('--error-set <name>', 'the error set that new services get by themselves, or none (default: Default)')
      .option(
        '--ignore-nested <field>',
        'drop that part of creates silently, such as Service.endpoints (repeatable)',
        collect,
      )
      .option('--dialect <dialect>', 'document, or recorded as the field notes describe it (default: document)')
      .option('--auto-approve', 'approve domains as they are created'),
  run: async ({ raw }, global, io) => {
    const options = platformOptions(raw, global)
    return (await import('./commands/platform.js')).platformCommand(options, io)
  },
}

/** The commands, in the order in which --help lists them. */
export const commands: readonly CommandRow[] = [
  init,
  validate,
  plan,
  apply,
  drift,
  get,
  snapshot,
  exporting,
  diff,
  history,
  show,
  rollback,
  explain,
  schema,
  platform,
]

/** The global options with the outputs that the command has. An option without effect yet is refused, never ignored. */
export function globalsOf(row: CommandRow, raw: RawOptions): GlobalOptions {
  const options = globalOptions(raw, row.outputs)
  if (options.environment !== undefined) throw new ProblemError([notAvailable('--env', 'leave it out')])
  return options
}
