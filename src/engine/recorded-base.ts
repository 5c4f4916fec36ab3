import { type LastApplied, lastApplied } from '../history/last-applied.js'
import type { LiveObject } from '../live/live-object.js'
import { addressOfLive } from '../live/names.js'
import type { Project } from '../manifest/project.js'
import { printKey } from '../planner/compare/secret-values.js'
import type { Ports } from '../ports/ports.js'
import { distinct, type Problem, ProblemError } from '../problems/problem.js'
import type { Target } from './settings.js'

/** What the records have, or why that is unknown. */
export interface RecordedBase extends Pick<LastApplied, 'base' | 'claimed'> {
  readonly problems: readonly Problem[]
}

export const nothingRecorded: RecordedBase = { base: undefined, claimed: new Set(), problems: [] }

/** What the records know, for commands that go on without them: why they cannot be read is a warning. */
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

/** The same of a project in several environments: objects of all of them, the first of which has the last word. */
export async function recordedInAll(projects: readonly Project[], target: Target, ports: Ports): Promise<RecordedBase> {
  const all = await Promise.all(projects.map((each) => recordedBase(each, target, ports)))
  return all.reduceRight((others, own) => ({
    base:
      own.base && others.base
        ? { ...own.base, objects: new Map([...others.base.objects, ...own.base.objects]) }
        : (own.base ?? others.base),
    claimed: own.claimed,
    problems: distinct([...own.problems, ...others.problems]),
  }))
}

/** Whether a secret was applied at a JSON Pointer in a live object. */
export const wasSecretIn =
  ({ base }: Pick<RecordedBase, 'base'>) =>
  (object: LiveObject, path: string): boolean =>
    Object.hasOwn(base?.objects.get(addressOfLive(object))?.fingerprints ?? {}, printKey(path))
