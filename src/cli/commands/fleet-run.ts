import { resolve } from 'node:path'
import { type AreaCommand, type AreaState, type FleetDocument, finishedStates } from '../../documents/fleet.js'
import type { FleetArea } from '../../fleet/fleet.js'
import { recordsFolder } from '../../fleet/records.js'
import { type FleetPorts, type FleetRequest, runFleet, savedPlans } from '../../fleet/run-fleet.js'
import { shardNamed } from '../../fleet/shards.js'
import { printable } from '../../json/printable.js'
import { ProblemError } from '../../problems/problem.js'
import { invalidOption } from '../../problems/project.js'
import { confirmationNeeded } from '../../problems/refusals.js'
import { counted } from '../../problems/suggest.js'
import { fleetMarkdown, fleetText } from '../../report/fleet-run.js'
import type { CommandEnd } from '../command-end.js'
import { exit } from '../exit.js'
import { type ChosenFleet, childrenIn, fleetOf } from '../fleet-of.js'
import type { Io } from '../io.js'
import type { ValuesOf } from '../option.js'
import type { fleetApplyOptions, fleetDriftOptions, fleetPlanOptions, GlobalOptions } from '../options.js'
import { confirm } from '../question.js'
import { reportedProblems } from '../reports.js'
import { showProblems, showRemarks } from '../show.js'
import { showIn } from '../show-in.js'

type FleetDriftOptions = GlobalOptions & ValuesOf<typeof fleetDriftOptions>
type FleetPlanOptions = GlobalOptions & ValuesOf<typeof fleetPlanOptions>
type FleetApplyOptions = GlobalOptions & ValuesOf<typeof fleetApplyOptions> & { readonly planFolder: string }

/** `fleet drift`: compares every area with its own project, each in a separate process. Sends only GET. */
export async function fleetDriftCommand(options: FleetDriftOptions, io: Io): Promise<CommandEnd> {
  const request = requestOf('drift', options, io, () => [])
  return showFleet(await runFleet(request, await portsOf(io)), options, io)
}

/** `fleet plan`: shows what would change in every area. With `--out`, it saves the plans. Sends only GET. */
export async function fleetPlanCommand(options: FleetPlanOptions, io: Io): Promise<CommandEnd> {
  const words = planWords(options)
  const request = requestOf('plan', options, io, () => words)
  const document = await runFleet({ ...request, save: options.out !== undefined }, await portsOf(io))
  const end = showFleet(document, options, io)
  const isChanged = document.summary.states.pending > 0
  return options.exitCode && isChanged && end.exitCode === exit.done ? { ...end, exitCode: exit.differences } : end
}

/** `fleet apply`: shows saved plans, asks, and applies them. The guard rails of each area apply. */
export async function fleetApplyCommand(options: FleetApplyOptions, io: Io): Promise<CommandEnd> {
  const words = [
    ...planWords(options),
    ...(options.lockTimeoutMs === 0 ? [] : ['--lock-timeout', `${options.lockTimeoutMs}ms`]),
    ...(options.replan ? ['--replan'] : []),
  ]
  const request = requestOf('apply', options, io, (area) => [...words, ...confirmWords(area, options.confirm)])
  const planFolder = resolve(io.cwd, options.planFolder)
  if (planFolder === request.folder) {
    const expected = 'another folder than that of the plans, which the reports would replace'
    throw new ProblemError([invalidOption('--out', options.out ?? planFolder, expected)])
  }
  const planned = savedPlans(request.fleet, request.areas, { path: planFolder, displayed: options.planFolder }, io)
  if (options.output !== 'json') {
    show(planned, options, io)
    io.stdout.write('\n')
  }
  // If there is nothing to do, the program does not ask.
  const yes = options.yes || planned.areas.every(({ state }) => state === 'in-sync')
  const answer = await confirm(questionOf(planned), { yes, name: undefined }, io)
  if (answer === 'cannot ask') {
    const needed = [confirmationNeeded()]
    showProblems(needed, options, io)
    return { exitCode: exit.refused, reported: reportedProblems(needed, io) }
  }
  if (answer === 'no') {
    io.stderr.write('Nothing was done.\n')
    return exit.done
  }
  return showFleet(await runFleet({ ...request, planFolder }, await portsOf(io)), options, io)
}

/** Such as `Apply 12 changes in 3 areas of fleet brands?` */
function questionOf({ fleet, summary }: FleetDocument): string {
  const actions = ['create', 'update', 'replace', 'delete'] as const
  const changes = actions.reduce((sum, action) => sum + (summary.changes[action] ?? 0), 0)
  return printable(
    `Apply ${counted(changes, 'change')} in ${counted(summary.states.pending, 'area')} of fleet ${fleet}?`,
  )
}

function planWords({
  prune,
  take,
  allowReplace,
  skipBlocked,
  allow,
}: Pick<ValuesOf<typeof fleetPlanOptions>, 'prune' | 'take' | 'allowReplace' | 'skipBlocked' | 'allow'>): string[] {
  return [
    ...(prune === undefined ? [] : ['--prune', prune]),
    ...(take === undefined ? [] : ['--take', take]),
    ...(allowReplace ? ['--allow-replace'] : []),
    ...(skipBlocked ? ['--skip-blocked'] : []),
    ...allow.flatMap((hazard) => ['--allow', hazard]),
  ]
}

/** A name from `--confirm` applies only to the environment with that name. */
const confirmWords = ({ environment }: FleetArea, names: readonly string[]): readonly string[] =>
  environment !== undefined && names.includes(environment) ? ['--confirm', environment] : []

function requestOf(
  command: AreaCommand,
  options: FleetDriftOptions,
  io: Io,
  words: FleetRequest['words'],
): FleetRequest {
  const chosen = fleetOf(options, io)
  const { fleet } = chosen
  showRemarks(chosen.problems, options, io)
  return {
    ...{ fleet, command, words, save: false, resume: options.resume },
    areas: inJob(chosen, options),
    folder: options.out === undefined ? resolve(recordsFolder(fleet, io), command) : resolve(io.cwd, options.out),
    parallelism: options.parallelism,
  }
}

/** The areas of the named job. Throws a ProblemError if there is no such job. */
function inJob({ areas }: ChosenFleet, { job }: Pick<FleetDriftOptions, 'job'>): readonly FleetArea[] {
  if (job === undefined) return areas
  const shard = shardNamed(areas, job)
  if (shard) return shard.areas
  throw new ProblemError([invalidOption('--job', job, 'a FLEET_JOB of gatewright fleet list -o matrix, such as 3/17')])
}

const portsOf = async (io: Io): Promise<FleetPorts> => ({ ...io, child: await childrenIn(io) })

function showFleet(document: FleetDocument, options: GlobalOptions, io: Io): Exclude<CommandEnd, number> {
  show(document, options, io)
  const { requests } = document.summary
  return { exitCode: exitOf(document, io), reported: { is: 'fleet', document }, traffic: { requests, throttled: 0 } }
}

const show = (document: FleetDocument, options: GlobalOptions, io: Io): void =>
  showIn({ text: fleetText, markdown: fleetMarkdown }, document, options, io)

/** The most severe exit code of all areas (A270). */
function exitOf({ areas, command }: FleetDocument, { signal }: Pick<Io, 'signal'>): number {
  if (signal.aborted && areas.some(({ state }) => !finishedStates.includes(state))) return exit.interrupted
  const codes = areas.map(({ state }) =>
    state === 'not-started' && command === 'apply' ? exit.incomplete : codeOf[state],
  )
  return worstLast.findLast((code) => codes.includes(code)) ?? exit.done
}

const codeOf: Readonly<Record<AreaState, number>> = {
  'in-sync': exit.done,
  pending: exit.done,
  applied: exit.done,
  drift: exit.differences,
  conflict: exit.differences,
  stale: exit.stale,
  refused: exit.refused,
  error: exit.failed,
  'not-started': exit.failed,
  incomplete: exit.incomplete,
  interrupted: exit.interrupted,
}

const worstLast: readonly number[] = [
  exit.done,
  exit.differences,
  exit.stale,
  exit.refused,
  exit.failed,
  exit.incomplete,
  exit.interrupted,
]
