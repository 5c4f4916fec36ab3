import { fleetList, fleetMatrix } from '../../fleet/list-fleet.js'
import { jsonText } from '../../json/json.js'
import { fleetListText, fleetMatrixJson } from '../../report/fleet-list.js'
import type { Report } from '../../report/problems.js'
import { textForm } from '../colour.js'
import { exit } from '../exit.js'
import { type ChosenFleet, fleetOf } from '../fleet-of.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'

interface FleetListOptions extends GlobalOptions {
  /** The maximum number of CI jobs. */
  readonly jobs: number
}

/** `fleet list`: the areas of the fleet, or the CI jobs among which they are divided. Never goes online. */
export function fleetListCommand(options: FleetListOptions, io: Io): number {
  io.stdout.write(reportOf(fleetOf(options, io), options, io).output)
  return exit.done
}

function reportOf({ fleet, areas }: ChosenFleet, options: FleetListOptions, io: Io): Report {
  if (options.form === 'matrix') return fleetMatrixJson(fleetMatrix(areas, options.jobs))
  const list = fleetList(fleet, areas)
  if (options.output === 'json') return { output: jsonText(list) }
  return fleetListText(list, textForm(io.stdout, options, io))
}
