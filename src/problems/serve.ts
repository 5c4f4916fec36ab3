import { error, type Problem } from './problem.js'

/** The packages of the workflow engine are installed by those who use them. */
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

export const callsUsedUp = (area: string, key: string): Problem =>
  error(
    'calls-used-up',
    undefined,
    `area "${area}" was not looked at: the calls that key "${key}" has for today are used up`,
    'gatewright fleet validate says which schedule fits',
  )

export const rolloutUnknown = (rollout: string): Problem =>
  error('no-such-rollout', undefined, `there is no rollout "${rollout}"`, 'gatewright fleet status lists them')

export const rolloutEnded = (rollout: string): Problem =>
  error('rollout-not-decided', undefined, `rollout ${rollout} has ended`, 'start a new one')

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
    running.length === 0 ? 'no rollout runs' : `${running.length} rollouts run`,
    running.length === 0 ? 'gatewright fleet rollout start' : `name one: ${running.join(', ')}`,
  )
