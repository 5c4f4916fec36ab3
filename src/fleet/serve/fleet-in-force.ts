import { type Problem, ProblemError } from '../../problems/problem.js'
import { fleetFileRefused, fleetFileTaken, fleetRenamed } from '../../problems/serve.js'
import type { Fleet } from '../fleet.js'
import type { ReadFleet } from '../read-fleet.js'

/** The fleet that a worker works for: its file as it was when it last had no errors. */
export interface FleetInForce {
  readonly fleet: () => Fleet
  /** Why the file as it is now is not in force; null: it is. */
  readonly fault: () => string | null
  /** Reads the file again; gives whether something has changed. Never rejects. */
  readonly look: () => 'same' | 'changed'
}

/** `read` reads the file and those of its areas; `tell` is told once of every change and of every fault. */
export function fleetInForce(first: Fleet, read: () => ReadFleet, tell: (message: string) => void): FleetInForce {
  let fleet = first
  let fault: string | null = null
  const refuse = (problems: readonly Problem[]): void => {
    const { message } = fleetFileRefused(first.file, problems)
    if (message !== fault) tell(message)
    fault = message
  }
  return {
    fleet: () => fleet,
    fault: () => fault,
    look: () => {
      const { fleet: found, problems } = readSafely(read)
      if (!found) refuse(problems)
      else if (found.name !== first.name) refuse([fleetRenamed(first.name, found.name)])
      else {
        const isSame = found === fleet || JSON.stringify(found) === JSON.stringify(fleet)
        if (!isSame || fault !== null) tell(fleetFileTaken(first.file, changesOf(fleet, found)).message)
        fault = null
        fleet = found
        return isSame ? 'same' : 'changed'
      }
      return 'same'
    },
  }
}

/** A file that is just being written is read again. */
function readSafely(read: () => ReadFleet): ReadFleet {
  try {
    return read()
  } catch (error) {
    if (error instanceof ProblemError) return { fleet: undefined, problems: error.problems }
    throw error
  }
}

function changesOf(before: Fleet, after: Fleet): { readonly added: number; readonly gone: number } {
  const names = ({ areas }: Fleet) => new Set(areas.map(({ name }) => name))
  const [old, now] = [names(before), names(after)]
  return {
    added: [...now].filter((name) => !old.has(name)).length,
    gone: [...old].filter((name) => !now.has(name)).length,
  }
}
