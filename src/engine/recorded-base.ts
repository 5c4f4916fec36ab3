import { type LastApplied, lastApplied } from '../history/last-applied.js'
import type { Project } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import type { Target } from './settings.js'

/** What the records know, or why that cannot be told. */
export interface RecordedBase extends Pick<LastApplied, 'base' | 'claimed'> {
  readonly problems: readonly Problem[]
}

export const nothingRecorded: RecordedBase = { base: undefined, claimed: new Set(), problems: [] }

/** What the records know, for commands that go on without them: why they cannot be read is a warning. */
export async function recordedBase(project: Project, target: Target, ports: Ports): Promise<RecordedBase> {
  try {
    const last = await lastApplied(project, target, { base: undefined, paths: [] }, ports)
    await last.records.close()
    return { base: last.base, claimed: last.claimed, problems: [] }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { ...nothingRecorded, problems: error.problems.map((each) => ({ ...each, severity: 'warning' as const })) }
  }
}
