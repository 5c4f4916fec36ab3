import { withFleetStore } from '../../fleet/serve/open-controls.js'
import { fleetHistory, fleetStatus } from '../../fleet/serve/status.js'
import { jsonText } from '../../json/json.js'
import { noSuchArea } from '../../problems/fleet.js'
import { ProblemError } from '../../problems/problem.js'
import { workersMissing } from '../../problems/serve.js'
import { nearest } from '../../problems/suggest.js'
import { fleetHistoryText, fleetStatusText } from '../../report/fleet-status.js'
import { textForm } from '../colour.js'
import { exit } from '../exit.js'
import { storedFleetOf } from '../fleet-of.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { showRemarks } from '../show.js'

/** `fleet status`: the states of the areas and the rollouts, from the server's database. */
export async function fleetStatusCommand(options: GlobalOptions, io: Io): Promise<number> {
  const { fleet, problems } = storedFleetOf(options, io)
  const { status, missing } = await withFleetStore(fleet, io, async ({ store, now }) => ({
    status: await fleetStatus(fleet, store, now()),
    missing: await store.missingWorkers(),
  }))
  const form = textForm(io.stdout, options, io)
  io.stdout.write(options.output === 'json' ? jsonText(status) : fleetStatusText(status, form).output)
  showRemarks([...problems, ...workersMissing(fleet.name, missing)], { ...options, output: 'text' }, io)
  return exit.done
}

/** `fleet history [AREA]`: the jobs that have ended, the newest first. */
export async function fleetHistoryCommand(
  options: GlobalOptions & { readonly name: string | undefined; readonly limit: number },
  io: Io,
): Promise<number> {
  const { name: area, limit } = options
  const requested = { limit, ...(area !== undefined && { area }) }
  const { fleet, problems } = storedFleetOf(options, io)
  showRemarks(problems, { ...options, output: 'text' }, io)
  const history = await withFleetStore(fleet, io, ({ store }) => fleetHistory(fleet, store, requested))
  const names = fleet.areas.map((each) => each.name)
  // An area that was removed from the fleet still has results.
  if (area !== undefined && history.jobs.length === 0 && !names.includes(area)) {
    throw new ProblemError([noSuchArea(area, nearest(area, names), names)])
  }
  const form = textForm(io.stdout, options, io)
  io.stdout.write(options.output === 'json' ? jsonText(history) : fleetHistoryText(history, form).output)
  return exit.done
}
