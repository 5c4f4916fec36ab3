import type { DocumentName } from '../report/formats/format.js'
import { formatsOf } from '../report/formats/formats.js'
import type { CommandEnd } from './command-end.js'
import type { Completable } from './commands/completion.js'
import type { Io } from './io.js'
import { type OptionTable, optionValues, type ValuesOf } from './option.js'
import {
  applyOptions,
  diffOptions,
  driftOptions,
  exportOptions,
  fleetApplyOptions,
  fleetDriftOptions,
  fleetHistoryOptions,
  fleetListOptions,
  fleetPlanOptions,
  fleetServeOptions,
  type GlobalName,
  type GlobalOptions,
  getOptions,
  globals,
  globalsFor,
  historyOptions,
  importOptions,
  initOptions,
  type OutputWord,
  planOptions,
  platformOptions,
  promoteOptions,
  rollbackOptions,
  secretOptions,
  snapshotOptions,
} from './options.js'

/** The options and arguments that the parser found for a command. */
export interface Invocation {
  readonly found: Readonly<Record<string, unknown>>
  readonly args: readonly (string | undefined)[]
}

/** One command: its texts for the parser, its outputs, and how it runs. Its module is loaded only when it runs. */
export interface CommandRow {
  /** Name and arguments in the syntax of the parser: `explain [topic]`. */
  readonly usage: string
  readonly about: string
  readonly outputs: readonly OutputWord[]
  /** The document for `--report`. Without it, the command does not have that option. */
  readonly document?: DocumentName
  /** The global options that have an effect on the command. */
  readonly globals: readonly GlobalName[]
  readonly options: OptionTable
  /** Its exit code describes the result in the live area, even if the output failed. */
  readonly changesArea?: true
  /** `-e` may name two environments. */
  readonly comparesEnvironments?: true
  /** It creates a project in the given folder, so no project is searched for in the folders above. */
  readonly makesProject?: true
  /** For programs, not for people. */
  readonly hidden?: true
  readonly run: (invocation: Invocation, global: GlobalOptions, io: Io) => Promise<CommandEnd>
}

interface Command<Table extends OptionTable> extends Omit<CommandRow, 'options' | 'run'> {
  readonly options: Table
  readonly run: (
    options: GlobalOptions & ValuesOf<Table>,
    args: readonly (string | undefined)[],
    io: Io,
  ) => CommandEnd | Promise<CommandEnd>
}

/** A row whose command gets the values of its declared options. */
const command = <Table extends OptionTable>({ run, ...row }: Command<Table>): CommandRow => ({
  ...row,
  globals: row.document === undefined ? row.globals : [...row.globals, 'reports'],
  run: async ({ found, args }, global, io) => run({ ...global, ...optionValues(row.options, found) }, args, io),
})

const rolloutDecisions = [
  ['approve', 'approve the wave that waits; without a name: of the rollout that is running'],
  ['pause', 'start nothing new; without a name: in the rollout that is running'],
  ['resume', 'continue after a pause; without a name: the rollout that is running'],
  ['stop', 'end a rollout: start nothing new, ever; without a name: the rollout that is running'],
] as const

/** The commands, in the order of --help. */
export const commands: readonly CommandRow[] = [
  command({
    usage: 'init',
    about: 'create a project: project file, example or export, schemas, editor settings, CI workflows',
    outputs: ['text', 'json'],
    makesProject: true,
    globals: globalsFor.newProject,
    options: initOptions,
    run: async (options, _, io) => (await import('./commands/init.js')).initCommand(options, io),
  }),
  command({
    usage: 'validate',
    about: 'check manifests offline',
    outputs: ['text', 'json', 'markdown'],
    document: 'validation',
    globals: globalsFor.manifests,
    options: {},
    run: async (options, _, io) => (await import('./commands/validate.js')).validateCommand(options, io),
  }),
  command({
    usage: 'plan',
    about: 'show what would change, and what apply would refuse',
    outputs: ['text', 'json', 'markdown'],
    document: 'plan',
    globals: globalsFor.everything,
    options: planOptions,
    run: async (options, _, io) => (await import('./commands/plan.js')).planCommand(options, io),
  }),
  command({
    usage: 'apply [plan-file]',
    about: 'apply a saved plan; or make a plan, show it, ask, and apply it',
    outputs: ['text', 'json', 'markdown'],
    changesArea: true,
    document: 'run',
    globals: globalsFor.everything,
    options: applyOptions,
    run: async (options, [planFile], io) =>
      (await import('./commands/apply.js')).applyCommand({ ...options, planFile }, io),
  }),
  command({
    usage: 'drift',
    about: 'compare the live area with what was last applied and with the manifests',
    outputs: ['text', 'json', 'markdown'],
    document: 'drift',
    globals: globalsFor.everything,
    options: driftOptions,
    run: async (options, _, io) => (await import('./commands/drift.js')).driftCommand(options, io),
  }),
  command({
    usage: 'get [kind] [name]',
    about: 'show the live objects of a KIND, or the one with this NAME (or address); -o yaml writes manifests',
    outputs: ['text', 'json', 'yaml'],
    globals: globalsFor.liveObjects,
    options: getOptions,
    run: async (options, [kind, name], io) =>
      (await import('./commands/get.js')).getCommand({ ...options, kind, name }, io),
  }),
  command({
    usage: 'snapshot',
    about: 'save the live area to a file, for plan --snapshot, drift --snapshot, diff and platform --seed',
    outputs: ['text', 'json'],
    globals: globalsFor.wholeArea,
    options: snapshotOptions,
    run: async (options, _, io) => (await import('./commands/snapshot.js')).snapshotCommand(options, io),
  }),
  command({
    usage: 'export',
    about: 'write the live area as manifests; existing manifests are edited in place',
    outputs: ['text', 'json'],
    globals: globalsFor.manifestFiles,
    options: exportOptions,
    run: async (options, _, io) => (await import('./commands/export.js')).exportCommand(options, io),
  }),
  command({
    usage: 'import openapi <file>',
    about:
      'write the endpoints of an OpenAPI FILE as manifests, to replace the file; existing manifests are edited in place',
    outputs: ['text', 'json'],
    globals: globalsFor.manifests,
    options: importOptions,
    run: async (options, [file = ''], io) =>
      (await import('./commands/import-openapi.js')).importOpenApiCommand({ ...options, file }, io),
  }),
  command({
    usage: 'diff [a] [b]',
    about:
      'compare two sides: snapshot files, folders of manifests, live, URL[#AREA], env:NAME (its area); or with -e A -e B the manifests of two environments; exit code 2 on differences',
    outputs: ['text', 'json', 'markdown'],
    comparesEnvironments: true,
    document: 'diff',
    globals: globalsFor.liveObjects,
    options: diffOptions,
    run: async (options, words, io) =>
      (await import('./commands/diff.js')).diffCommand({ ...options, sides: words.flatMap((word) => word ?? []) }, io),
  }),
  command({
    usage: 'promote <from> <to>',
    about:
      'copy values and patches from one environment to another, in the project file; --select takes their names or targets',
    outputs: ['text', 'json'],
    globals: globalsFor.environmentFiles,
    options: promoteOptions,
    run: async (options, [from = '', to = ''], io) =>
      (await import('./commands/promote.js')).promoteCommand({ ...options, from, to }, io),
  }),
  command({
    usage: 'history',
    about: 'list the recorded runs: when, by whom, and with what result',
    outputs: ['text', 'json', 'markdown'],
    document: 'history',
    globals: globalsFor.records,
    options: historyOptions,
    run: async (options, _, io) => (await import('./commands/history.js')).historyCommand(options, io),
  }),
  command({
    usage: 'show <run>',
    about:
      'show one RUN (its name, a beginning of it, or latest) with the outcome of every change; or the plan in a FILE',
    outputs: ['text', 'json', 'markdown'],
    globals: globalsFor.records,
    options: {},
    run: async (options, [run = ''], io) => (await import('./commands/show.js')).showCommand({ ...options, run }, io),
  }),
  command({
    usage: 'rollback <run>',
    about: 'undo the changes of one RUN (its name, a beginning of it, or latest) that nobody has changed since',
    outputs: ['text', 'json', 'markdown'],
    changesArea: true,
    document: 'run',
    globals: globalsFor.recordedRun,
    options: rollbackOptions,
    run: async (options, [run = ''], io) =>
      (await import('./commands/rollback.js')).rollbackCommand({ ...options, run }, io),
  }),
  command({
    usage: 'fleet validate',
    about: 'check a fleet and the projects of its areas offline, and whether the daily quotas are enough',
    outputs: ['text', 'json', 'markdown'],
    document: 'validation',
    globals: globalsFor.fleetServer,
    options: {},
    run: async (options, _, io) => (await import('./commands/fleet-validate.js')).fleetValidateCommand(options, io),
  }),
  command({
    usage: 'fleet list',
    about: 'list the areas of a fleet; -o matrix: as jobs for GitHub and GitLab, with all areas of a key in one job',
    outputs: ['text', 'json', 'matrix'],
    globals: globalsFor.fleet,
    options: fleetListOptions,
    run: async (options, _, io) => (await import('./commands/fleet-list.js')).fleetListCommand(options, io),
  }),
  command({
    usage: 'fleet drift',
    about: 'check all areas for drift, each in its own process; one report for each and one for all',
    outputs: ['text', 'json', 'markdown'],
    document: 'fleet',
    globals: globalsFor.fleet,
    options: fleetDriftOptions,
    run: async (options, _, io) => (await import('./commands/fleet-run.js')).fleetDriftCommand(options, io),
  }),
  command({
    usage: 'fleet plan',
    about: 'plan all areas; equal plans are shown once',
    outputs: ['text', 'json', 'markdown'],
    document: 'fleet',
    globals: globalsFor.fleet,
    options: fleetPlanOptions,
    run: async (options, _, io) => (await import('./commands/fleet-run.js')).fleetPlanCommand(options, io),
  }),
  command({
    usage: 'fleet apply <folder>',
    about: 'apply the plans that fleet plan --out saved in this folder, after showing them and asking',
    outputs: ['text', 'json', 'markdown'],
    changesArea: true,
    document: 'fleet',
    globals: globalsFor.fleet,
    options: fleetApplyOptions,
    run: async (options, [planFolder = ''], io) =>
      (await import('./commands/fleet-run.js')).fleetApplyCommand({ ...options, planFolder }, io),
  }),
  command({
    usage: 'fleet serve',
    about: 'run a worker on PostgreSQL: scheduled drift, rollouts, status pages; start as many workers as you like',
    outputs: ['text', 'json'],
    globals: globalsFor.fleetServer,
    options: fleetServeOptions,
    run: async (options, _, io) => (await import('./commands/fleet-serve.js')).fleetServeCommand(options, io),
  }),
  command({
    usage: 'fleet status',
    about: 'show the status of the areas and rollouts, as the workers know it',
    outputs: ['text', 'json'],
    globals: globalsFor.fleetServer,
    options: {},
    run: async (options, _, io) => (await import('./commands/fleet-status.js')).fleetStatusCommand(options, io),
  }),
  command({
    usage: 'fleet history [area-name]',
    about: 'list the jobs of the workers, in all areas or in one',
    outputs: ['text', 'json'],
    globals: globalsFor.fleetServer,
    options: fleetHistoryOptions,
    run: async (options, [name], io) =>
      (await import('./commands/fleet-status.js')).fleetHistoryCommand({ ...options, name }, io),
  }),
  command({
    usage: 'fleet rollout start',
    about: 'plan all or some areas, and apply these plans wave by wave',
    outputs: ['text', 'json'],
    globals: globalsFor.fleet,
    options: {},
    run: async (options, _, io) => (await import('./commands/fleet-rollout.js')).fleetRolloutStartCommand(options, io),
  }),
  ...rolloutDecisions.map(([decision, about]) =>
    command({
      usage: `fleet rollout ${decision} [rollout]`,
      about,
      outputs: ['text', 'json'],
      globals: globalsFor.fleetServer,
      options: {},
      run: async (options, [rollout], io) =>
        (await import('./commands/fleet-rollout.js')).fleetRolloutCommand({ ...options, rollout, decision }, io),
    }),
  ),
  command({
    usage: 'explain [topic]',
    about:
      'explain all kinds, one KIND, one KIND.FIELD, a problem code, a hazard, metadata or Project; or for an address, which layer sets each field',
    outputs: ['text', 'json'],
    globals: globalsFor.manifests,
    options: {},
    run: async (options, [topic], io) =>
      (await import('./commands/explain.js')).explainCommand({ ...options, topic }, io),
  }),
  command({
    usage: 'render [address]',
    about: 'print the manifests after all layers, or one ADDRESS, as YAML that results in the same plan',
    outputs: ['text', 'json'],
    globals: globalsFor.manifests,
    options: {},
    run: async (options, [address], io) =>
      (await import('./commands/render.js')).renderCommand({ ...options, address }, io),
  }),
  command({
    usage: 'secret encrypt',
    about: 'encrypt a value from stdin, for the recipients in the project file, and print its placeholder',
    outputs: ['text'],
    globals: globalsFor.project,
    options: secretOptions,
    run: async (options, _, io) => (await import('./commands/secret.js')).secretEncryptCommand(options, io),
  }),
  command({
    usage: 'secret rotate',
    about: 'encrypt all values of the project again, for the recipients in the project file',
    outputs: ['text'],
    globals: globalsFor.project,
    options: secretOptions,
    run: async (options, _, io) => (await import('./commands/secret.js')).secretRotateCommand(options, io),
  }),
  command({
    usage: 'schema [kind]',
    about: 'print the JSON Schema of manifests, of one KIND, of the project file (project) or of an environment',
    outputs: ['text', 'json'],
    globals: globalsFor.nothing,
    options: {},
    run: async (options, [kind], io) => (await import('./commands/schema.js')).schemaCommand({ ...options, kind }, io),
  }),
  command({
    usage: 'policy test',
    about: 'run the tests of the policies',
    outputs: ['text', 'json', 'markdown'],
    document: 'policies',
    globals: globalsFor.project,
    options: {},
    run: async (options, _, io) => (await import('./commands/policy.js')).policyTestCommand(options, io),
  }),
  command({
    usage: 'platform',
    about: 'run the embedded platform as a server',
    outputs: ['text', 'json'],
    globals: globalsFor.nothing,
    options: platformOptions,
    run: async (options, _, io) => (await import('./commands/platform.js')).platformCommand(options, io),
  }),
  command({
    usage: 'completion <shell>',
    about: 'print the shell completion script, for bash, zsh, fish or powershell',
    outputs: ['text'],
    globals: globalsFor.nothing,
    options: {},
    run: async (_, [shell = ''], io) => (await import('./commands/completion.js')).completionCommand(shell, io),
  }),
  command({
    usage: 'complete [words...]',
    about: 'what the script of completion asks for: the words that may stand in the place of the last one',
    outputs: ['text'],
    hidden: true,
    globals: globalsFor.nothing,
    options: {},
    run: async (_, words, io) =>
      (await import('./commands/completion.js')).completeCommand(completable(), words.map(String), io),
  }),
]

/** The commands, for completion in shells. */
const completable = (): Completable => ({
  groups: commandGroups,
  commands: commands
    .filter(({ hidden }) => !hidden)
    .map((row) => ({
      name: commandName(row),
      args: argumentsOf(row),
      about: row.about,
      options: [
        ...Object.values(row.options),
        ...row.globals.map((name) => {
          if (name === 'output') return { ...globals.output, words: row.outputs }
          return name === 'reports' && row.document
            ? { ...globals.reports, words: formatsOf(row.document) }
            : globals[name]
        }),
      ].filter(({ option }) => !option.hidden),
    })),
})

/** The first words of commands that have several words, with a description of each group. */
export const commandGroups: Readonly<Record<string, string>> = {
  import: 'write files of other formats as manifests',
  secret: 'encrypt values in manifests',
  policy: 'test the rules about what a plan may do',
  fleet: 'commands for many areas: those in gatewright.fleet.yaml, or in the file of -f',
  'fleet rollout': 'apply one plan per area, wave by wave, with the workers of fleet serve',
}

/** The name of a command, such as `plan` or `fleet drift`. */
export const commandName = ({ usage }: Pick<CommandRow, 'usage'>): string => usage.replace(/ [<[].*/, '')

/** The arguments of a command, as its usage names them. */
export const argumentsOf = (row: Pick<CommandRow, 'usage'>): readonly string[] =>
  row.usage.slice(commandName(row).length).split(' ').filter(Boolean)
