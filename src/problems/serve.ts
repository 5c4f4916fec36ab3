import { error, note, type Problem, warning } from './problem.js'
import { counted, firstOf } from './suggest.js'

/** The packages of the workflow engine are only installed if they are needed. */
export const workflowPackageMissing = (): Problem =>
  error(
    'fleet-package-missing',
    undefined,
    'fleets on a server need the package @dbos-inc/dbos-sdk, and it is not installed',
    'install it beside gatewright: npm install @dbos-inc/dbos-sdk@5.3.0 pg@8',
  )

export const areaNotInFleet = (area: string, file: string): Problem =>
  error('area-not-in-fleet', undefined, `area "${area}" is not in ${file} any more`)

export const areaStillBusy = (area: string): Problem =>
  error('area-busy', undefined, `another job of area "${area}" was still running`, 'look at the history of the area')

export const noCallsToday = (key: string): string => `the calls that key "${key}" has for today are used up`

export const callsUsedUp = (area: string, key: string): Problem =>
  error(
    'calls-used-up',
    undefined,
    `area "${area}" was not looked at: ${noCallsToday(key)}`,
    'gatewright fleet validate says which schedule fits',
  )

export const rolloutUnknown = (rollout: string): Problem =>
  error('no-such-rollout', undefined, `there is no rollout "${rollout}"`, 'gatewright fleet status lists them')

export const rolloutEnded = (rollout: string): Problem =>
  error('rollout-not-decided', undefined, `rollout ${rollout} has ended`, 'start a new one')

/** The workflow of the rollout has failed, so that no worker continues it. */
export const rolloutBroken = (rollout: string): Problem =>
  error(
    'rollout-not-decided',
    undefined,
    `rollout ${rollout} has failed, and no worker goes on with it`,
    `gatewright fleet rollout stop ${rollout}, then start a new one`,
  )

/** None of the rollout's areas is in a wave. */
export const noneInWaves = (areas: readonly string[]): Problem =>
  error(
    'fleet-wave',
    undefined,
    `no wave has any of these areas: ${firstOf(areas)}`,
    'end spec.rollout.waves with {}, which has all that are left',
  )

export const nothingToApprove = (rollout: string): Problem =>
  error(
    'rollout-not-decided',
    undefined,
    `no wave of rollout ${rollout} waits for an approval`,
    'gatewright fleet status shows where it is',
  )

export const approvalOutdated = (rollout: string, wave: number): Problem =>
  error(
    'rollout-not-decided',
    undefined,
    `the plans of wave ${wave} of rollout ${rollout} are not those that were shown`,
    'look at them again, and approve those',
  )

export const fleetDatabaseNotNamed = (): Problem =>
  error(
    'no-fleet-database',
    undefined,
    'GATEWRIGHT_FLEET_DATABASE is not set: a fleet on a server needs a PostgreSQL database',
    'export GATEWRIGHT_FLEET_DATABASE=postgres://user:password@host:5432/database; docs/how-to/fleet-server.md starts one',
  )

export const fleetDatabaseNoUrl = (): Problem =>
  error(
    'no-fleet-database',
    undefined,
    'GATEWRIGHT_FLEET_DATABASE is no URL of a PostgreSQL database',
    'such as postgres://user:password@host:5432/database; signs in the password that mean something in a URL are written as %40 for @, %2F for /',
  )

/** The engine creates its tables when the first worker starts. */
export const noWorkerYet = (): Problem =>
  error(
    'no-fleet-worker',
    undefined,
    'no worker of a fleet has used this database yet, so none would carry this out',
    'start one: gatewright fleet serve',
  )

/** A fleet has no workers at all, or none with the version for which some workflows wait. */
export function workersMissing(fleet: string, missing: 'all' | 'version' | 'none'): readonly Problem[] {
  switch (missing) {
    case 'all':
      return [noWorkerAtWork(fleet)]
    case 'version':
      return [noWorkerOfVersion(fleet)]
    case 'none':
      return []
  }
}

const noWorkerOfVersion = (fleet: string): Problem =>
  warning(
    'no-fleet-worker',
    undefined,
    `no worker of fleet "${fleet}" continues some of its jobs and rollouts: another version of gatewright started them`,
    'start a worker of that version until they have ended: gatewright fleet serve',
  )

const noWorkerAtWork = (fleet: string): Problem =>
  warning(
    'no-fleet-worker',
    undefined,
    `no worker of fleet "${fleet}" is at work: nothing is looked at by the clock, and rollouts wait`,
    'start one: gatewright fleet serve',
  )

export const pageNotServed = (address: string, words: string): Problem =>
  error(
    'page-not-served',
    undefined,
    `the pages cannot be served at ${address}: ${words}`,
    'take another --port or --host',
  )

export const noRolloutRuns = (running: readonly string[]): Problem =>
  error(
    'no-such-rollout',
    undefined,
    running.length === 0 ? 'no rollout runs' : `${running.length} rollouts have not ended`,
    running.length === 0 ? 'gatewright fleet rollout start' : `name one: ${running.join(', ')}`,
  )

/** A worker has read the fleet file again and refuses it. */
export const fleetFileRefused = (file: string, problems: readonly Problem[]): Problem =>
  warning(
    'fleet-file-reread',
    undefined,
    `${file} cannot be used, and its previous version stays in use: ${firstError(problems)}`,
    'gatewright fleet validate',
  )

/** A command needs only the name of the fleet, or shows the areas that can be read. */
export const fleetFileHasErrors = (file: string, problems: readonly Problem[]): Problem =>
  warning(
    'fleet-file-errors',
    undefined,
    `${file} has errors, and what cannot be read in it is left out: ${firstError(problems)}`,
    'gatewright fleet validate',
  )

function firstError(problems: readonly Problem[]): string {
  const first = problems.find(({ severity }) => severity === 'error') ?? problems[0]
  const at = first?.place ? `${first.place.file}:${first.place.line}: ` : ''
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return `${at}${first?.message ?? 'it cannot be read'}${more}`
}

export const fleetRenamed = (before: string, now: string): Problem =>
  warning('fleet-file-reread', undefined, `it is of fleet "${now}" now, and this is a worker of fleet "${before}"`)

export const fleetFileTaken = (
  file: string,
  { added, gone }: { readonly added: number; readonly gone: number },
): Problem =>
  note(
    'fleet-file-reread',
    undefined,
    `${file} has changed and is in use: ${counted(added, 'area')} added, ${gone} removed`,
  )
