import { chosenAreas } from '../fleet/choose.js'
import type { Fleet, FleetArea } from '../fleet/fleet.js'
import { fleetFile, fleetNameIn, readFleet } from '../fleet/read-fleet.js'
import type { RunChild } from '../ports/child.js'
import { hasErrors, type Problem, ProblemError } from '../problems/problem.js'
import { badUsage, internalError } from '../problems/project.js'
import { fleetFileHasErrors } from '../problems/serve.js'
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

/**
 * The fleet for commands about what its server has stored. Errors of its file must not prevent anybody from stopping a rollout, so
 * they become warnings (A481). Throws a ProblemError if the file has no name of a fleet.
 */
export function storedFleetOf(options: GlobalOptions, io: Pick<Io, 'cwd'>): StoredFleet {
  const file = fileOf(options)
  const { fleet, areas, problems } = readFleet(file, io)
  if (fleet) return { fleet, problems: [] }
  const name = fleetNameIn(file, io)
  if (name === undefined) throw new ProblemError(problems)
  return { fleet: { name, areas }, problems: [fleetFileHasErrors(file, problems)] }
}

interface StoredFleet {
  /** If the file has errors, with the areas that can be read. */
  readonly fleet: Pick<Fleet, 'name' | 'areas'>
  readonly problems: readonly Problem[]
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
