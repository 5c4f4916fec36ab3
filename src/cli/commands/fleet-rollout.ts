import type { Decision } from '../../documents/fleet-status.js'
import { chosenAreas } from '../../fleet/choose.js'
import type { Fleet } from '../../fleet/fleet.js'
import { type Controls, decide, runningRollout, startRollout } from '../../fleet/serve/controls.js'
import { withControls } from '../../fleet/serve/open-controls.js'
import { rolloutStatus } from '../../fleet/serve/status.js'
import { workersMissing } from '../../problems/serve.js'
import { rolloutJson, rolloutText } from '../../report/fleet-status.js'
import { textForm } from '../colour.js'
import { exit } from '../exit.js'
import { fleetOf, storedFleetOf } from '../fleet-of.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { showRemarks } from '../show.js'

/** `fleet rollout start`: lets the workers apply the saved plans of the selected areas, one wave after another. */
export const fleetRolloutStartCommand = (options: GlobalOptions, io: Io): Promise<number> =>
  withControls(fleetOf(options, io).fleet, io, async (server, who) => {
    const chosen = new Set(chosenAreas(server.fleet.areas, options))
    const rollout = await startRollout(server, who, (area) => chosen.has(area))
    return await showStatus(rollout, server, options, io)
  })

/** `fleet rollout approve|pause|resume|stop [ROLLOUT]`: the default is the rollout that runs, or else the only one that waits. */
export function fleetRolloutCommand(
  options: GlobalOptions & { readonly rollout: string | undefined; readonly decision: Exclude<Decision, 'start'> },
  io: Io,
): Promise<number> {
  const { fleet, problems } = storedFleetOf(options, io)
  showRemarks(problems, { ...options, output: 'text' }, io)
  return withControls(fleet, io, async (server, who) => {
    const { decision } = options
    const rollout = options.rollout ?? (await runningRollout(server.store))
    await decide(server, { rollout, decision, who })
    return await showStatus(rollout, server, options, io)
  })
}

async function showStatus(
  rollout: string,
  { fleet, store }: Pick<Controls<Pick<Fleet, 'name'>>, 'fleet' | 'store'>,
  options: GlobalOptions,
  io: Io,
): Promise<number> {
  const status = await rolloutStatus(store, rollout)
  const form = textForm(io.stdout, options, io)
  if (status) io.stdout.write((options.output === 'json' ? rolloutJson(status) : rolloutText(status, form)).output)
  if (status?.ended === null) {
    const remarks = workersMissing(fleet.name, await store.missingWorkers())
    showRemarks(remarks, { ...options, output: 'text' }, io)
  }
  return exit.done
}
