import { type Problem, ProblemError } from '../../problems/problem.js'
import { fleetFileRefused, fleetFileTaken, fleetRenamed } from '../../problems/serve.js'
import type { Fleet } from '../fleet.js'
import type { ReadFleet } from '../read-fleet.js'

/** The fleet that a worker uses: the last version of its file without errors. */
export interface FleetInForce {
  readonly fleet: () => Fleet
  /** Why the current version of the file is not used; null: it is used. */
  readonly fault: () => string | null
  /** Reads the file again, and returns whether something has changed. Never rejects. */
  readonly look: () => 'same' | 'changed'
}

/** `read` reads the file and the files of its areas; `tell` gets one message for each change and each fault. */
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

/** The file may be incomplete because somebody is writing it; it is read again later. */
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
