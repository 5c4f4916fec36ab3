import { chosenAreas } from '../fleet/choose.js'
import type { Fleet, FleetArea } from '../fleet/fleet.js'
import { fleetFile, readFleet } from '../fleet/read-fleet.js'
import type { RunChild } from '../ports/child.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { badUsage, internalError } from '../problems/project.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'

/** A fleet, the areas of it that are chosen, and warnings. */
export interface ChosenFleet {
  readonly fleet: Fleet
  readonly areas: readonly FleetArea[]
  readonly problems: readonly Problem[]
}

/** Reads the fleet of `-f`, or of the working directory. Throws a ProblemError if it has errors, or no area is chosen. */
export function fleetOf(options: GlobalOptions, io: Pick<Io, 'cwd'>): ChosenFleet {
  const { fleet, problems } = readFleet(fileOf(options), io)
  if (!fleet || hasErrors(problems)) throw new ProblemError(problems)
  return { fleet, areas: chosenAreas(fleet.areas, options), problems }
}

/** The fleet file. Throws a ProblemError where several are named. */
export function fileOf({ paths }: Pick<GlobalOptions, 'paths'>): string {
  const [file = fleetFile, second] = paths
  if (second !== undefined) throw new ProblemError([badUsage('-f names more than one fleet file', undefined, 'fleet')])
  return file
}

/** Starts this program for areas. Throws a ProblemError where no process may be started. */
export async function childrenIn({ children }: Pick<Io, 'children'>): Promise<RunChild> {
  if (children) return await children()
  throw new ProblemError([internalError('no process may be started here')])
}
