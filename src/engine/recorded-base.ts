import { type LastApplied, lastApplied } from '../history/last-applied.js'
import type { LiveObject } from '../live/live-object.js'
import { addressOfLive } from '../live/names.js'
import type { Project } from '../manifest/project.js'
import { printKey } from '../planner/compare/secret-values.js'
import type { Ports } from '../ports/ports.js'
import { distinctProblems, type Problem, ProblemError } from '../problems/problem.js'
import type { Target } from './settings.js'

/** The base from the records, or why it is not known. */
export interface RecordedBase extends Pick<LastApplied, 'base' | 'claimed'> {
  readonly problems: readonly Problem[]
}

export const nothingRecorded: RecordedBase = { base: undefined, claimed: new Set(), problems: [] }

/** The base from the records, for commands that can work without it. If the records cannot be read, that is a warning. */
async function recordedBase(project: Project, target: Target, ports: Ports): Promise<RecordedBase> {
  try {
    const last = await lastApplied(project, target, { base: undefined, paths: [] }, ports)
    await last.records.close()
    return { base: last.base, claimed: last.claimed, problems: [] }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { ...nothingRecorded, problems: error.problems.map((each) => ({ ...each, severity: 'warning' as const })) }
  }
}

/**
 * The same for several environments of a project, with the objects of all of them. For an object of several environments, the
 * first one counts.
 */
export async function recordedInAll(projects: readonly Project[], target: Target, ports: Ports): Promise<RecordedBase> {
  const all = await Promise.all(projects.map((each) => recordedBase(each, target, ports)))
  return all.reduceRight((others, own) => ({
    base:
      own.base && others.base
        ? { ...own.base, objects: new Map([...others.base.objects, ...own.base.objects]) }
        : (own.base ?? others.base),
    claimed: own.claimed,
    problems: distinctProblems([...own.problems, ...others.problems]),
  }))
}

/** Returns a test: whether a secret was applied at a JSON Pointer in a live object. */
export const wasSecretIn =
  ({ base }: Pick<RecordedBase, 'base'>) =>
  (object: LiveObject, path: string): boolean =>
    Object.hasOwn(base?.objects.get(addressOfLive(object))?.fingerprints ?? {}, printKey(path))
