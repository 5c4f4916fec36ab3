import { resolve } from 'node:path'
import type { AppliedIn } from '../documents/plan.js'
import type { Files } from '../files/files.js'
import { recordsOf } from '../history/records-of.js'
import { sameJson } from '../json/json.js'
import { isNoMatterThere, type Project, readProject } from '../manifest/project.js'
import type { Manifests } from '../manifest/resource.js'
import type { Ports } from '../ports/ports.js'
import { unknownEnvironment } from '../problems/compose.js'
import { ProblemError } from '../problems/problem.js'
import { appliedCommitGone, appliedNotClean, appliedNowhere, appliedWithoutCommit } from '../problems/promotion.js'
import { nearest } from '../problems/suggest.js'
import { isRunDone, type RunRecord } from '../stores/record.js'
import { otherEnvironment } from './other-environment.js'
import { chosenProject } from './project.js'
import type { PlanRequest } from './requests.js'

interface AppliedRun {
  readonly from: AppliedIn
  /** The digest of its manifests, from its record. */
  readonly texts: string | undefined
}

/**
 * The run of another environment whose manifests are planned: its last run, or the one in a saved plan. Undefined if the request
 * names no environment. Throws a ProblemError if the run does not tell which commit was applied (A163).
 */
export async function appliedIn(request: PlanRequest, ports: Ports): Promise<AppliedRun | undefined> {
  const { appliedIn: environment, appliedRun } = request
  if (environment === undefined) return undefined
  const { environments = [] } = chosenProject(request, ports).project.layers ?? {}
  if (!environments.includes(environment)) {
    throw new ProblemError([
      unknownEnvironment(undefined, environment, environments, nearest(environment, environments)),
    ])
  }
  const other = otherEnvironment(environment, request, ports)
  if ('why' in other) throw new ProblemError([appliedNowhere(environment, other.why)])
  const records = await recordsOf(other.project, ports)
  try {
    const [last] = appliedRun === undefined ? await records.recent(other.key) : []
    const run = appliedRun === undefined ? last : await records.run(other.key, appliedRun)
    if (!run)
      throw new ProblemError([
        appliedNowhere(environment, `no run is recorded at ${other.key.url}, area ${other.key.area}`),
      ])
    return { from: { environment, run: run.head.run, commit: commitOf(run, environment) }, texts: run.head.texts }
  } finally {
    await records.close()
  }
}

function commitOf(run: RunRecord, environment: string): string {
  const { run: name, purpose, part, commit, dirty } = run.head
  const unclean = (why: string) => new ProblemError([appliedNotClean(environment, name, why)])
  if (purpose.is === 'rollback') throw unclean('is a rollback')
  if (!isRunDone(run)) throw unclean('did not end with everything done')
  if (part) throw unclean('left out a part of the changes')
  if (commit === undefined)
    throw new ProblemError([appliedWithoutCommit(environment, name, 'of manifests outside of git')])
  if (dirty)
    throw new ProblemError([
      appliedWithoutCommit(environment, name, `of files that were not as in commit ${commit.slice(0, 10)}`),
    ])
  return commit
}

/** The files of that commit. Throws a ProblemError if this clone does not have it. */
export async function filesApplied(
  { commit, environment }: AppliedIn,
  { dir }: Pick<Project, 'dir'>,
  ports: Ports,
): Promise<Files> {
  const { gitFiles } = await import('../files/git-files.js')
  try {
    return gitFiles(commit, resolve(ports.cwd, dir), ports.cwd)
  } catch (cause) {
    throw new ProblemError([appliedCommitGone(environment, commit, 'is not in this clone')], { cause })
  }
}

/** Throws a ProblemError if the run applied only a part of the manifests that the commit has for that environment (-f). */
export function checkIsWhole(
  { from, texts }: AppliedRun,
  { project, manifests }: { readonly project: Project; readonly manifests: Manifests },
  files: Files,
  { env }: Pick<Ports, 'env'>,
): void {
  if (texts === undefined || texts === manifests.texts) return
  const there = readProject({ dir: project.dir, env, environment: from.environment }, files).project
  if (!sameJson(there.manifests, project.manifests)) return
  throw new ProblemError([
    appliedNotClean(from.environment, from.run, 'was of other manifests than its commit has (-f)'),
  ])
}

/**
 * The project with the manifests, values, defaults and patches of that commit. Its target and its guard rails come from today's
 * project. Throws a ProblemError if the commit does not have the selected environment.
 */
export function projectApplied(
  project: Project,
  from: AppliedIn,
  files: Files,
  { values = [] }: Pick<PlanRequest, 'values'>,
  { env }: Pick<Ports, 'env'>,
): Project {
  const { environment } = project.layers ?? {}
  const then = readProject({ dir: project.dir, env, environment, values }, files)
  // Other settings of that commit, such as credentials, are not used, so errors in them do not matter.
  const errors = then.problems.filter((each) => each.severity === 'error' && !isNoMatterThere(each))
  if (errors.length > 0) throw new ProblemError(errors)
  const { file, manifests, secrets, layers } = then.project
  if (file === undefined || !layers) {
    throw new ProblemError([appliedCommitGone(from.environment, from.commit, 'has no project file with environments')])
  }
  return { ...project, manifests, secrets, layers }
}
