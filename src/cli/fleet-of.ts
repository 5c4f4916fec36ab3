import { chosenAreas } from '../fleet/choose.js'
import type { Fleet, FleetArea } from '../fleet/fleet.js'
import { fleetFile, readFleet } from '../fleet/read-fleet.js'
import type { RunChild } from '../ports/child.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { badUsage, internalError } from '../problems/project.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'

/** A fleet, its selected areas, and warnings. */
export interface ChosenFleet {
  readonly fleet: Fleet
  readonly areas: readonly FleetArea[]
  readonly problems: readonly Problem[]
}

/** Reads the fleet from `-f` or from the working directory. Throws a ProblemError if it has errors or no area is selected. */
export function fleetOf(options: GlobalOptions, io: Pick<Io, 'cwd'>): ChosenFleet {
  const { fleet, problems } = readFleet(fileOf(options), io)
  if (!fleet || hasErrors(problems)) throw new ProblemError(problems)
  return { fleet, areas: chosenAreas(fleet.areas, options), problems }
}

/** The path of the fleet file. Throws a ProblemError if several are named. */
export function fileOf({ paths }: Pick<GlobalOptions, 'paths'>): string {
  const [file = fleetFile, second] = paths
  if (second !== undefined) throw new ProblemError([badUsage('-f names more than one fleet file', undefined, 'fleet')])
  return file
}

/** Returns the function that starts this program for areas. Throws a ProblemError if no process may be started. */
export async function childrenIn({ children }: Pick<Io, 'children'>): Promise<RunChild> {
  if (children) return await children()
  throw new ProblemError([internalError('no process may be started here')])
}
