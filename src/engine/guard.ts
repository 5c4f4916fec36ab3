import { resolve } from 'node:path'
import { areaName, areaUrl } from '../catalog/base-url.js'
import { nodeFiles } from '../files/files.js'
import { headOf, isInBranch } from '../files/git-head.js'
import type { LastApplied } from '../history/last-applied.js'
import { recordsOf } from '../history/records-of.js'
import { sameJson } from '../json/json.js'
import { type GuardRails, strictest } from '../manifest/compose/guard.js'
import type { Project } from '../manifest/project.js'
import { readManifests } from '../manifest/read.js'
import type { Ports } from '../ports/ports.js'
import { ownerRefused } from '../problems/git-records.js'
import { guardAfter, guardBranch, guardPlanned } from '../problems/guard.js'
import type { Problem } from '../problems/problem.js'
import { withoutBreak } from '../secrets/without-break.js'
import { isRunDone, type RunRecord } from '../stores/record.js'
import { type ProjectAtRef, projectsAtRef } from './guard-ref.js'
import { otherEnvironment } from './other-environment.js'
import type { ProjectRequest } from './requests.js'
import { type Desired, type Target, targetOfProject } from './settings.js'

/** The guard rails for an area, and their environment. */
export interface Guard {
  readonly environment: string
  readonly rails: GuardRails
}

/**
 * The guard rails of the selected environment and of the project at GATEWRIGHT_GUARD_REF: the stricter ones apply. Throws a
 * ProblemError if that ref cannot be read.
 */
export function guardOf(project: Project, target: Target, request: ProjectRequest, ports: Ports): Guard | undefined {
  const environment = project.layers?.environment
  const atRef = projectsAtRef(project, ports) ?? []
  const found = [{ environment, project }, ...sameAtRef(atRef, { environment, target }, request, ports)].flatMap(
    (each) => (each.project.guard ? [{ environment: each.environment ?? '', rails: each.project.guard }] : []),
  )
  const [first, ...rest] = found
  return (
    first && {
      environment: environment ?? first.environment,
      rails: rest.reduce((rails, each) => strictest(rails, each.rails), first.rails),
    }
  )
}

/**
 * The projects at the ref for an environment: the environment with the same name, and, if that has another target or does not
 * exist, the environments with the same target (A174).
 */
export function sameAtRef(
  atRef: readonly ProjectAtRef[],
  { environment, target }: { readonly environment: string | undefined; readonly target: Target },
  request: ProjectRequest,
  ports: Ports,
): readonly ProjectAtRef[] {
  const named = atRef.find((each) => each.environment === environment)
  const isSame = named && isTarget(targetOfProject(named.project, request, ports), target)
  const others = isSame
    ? []
    : atRef.filter((each) => each !== named && isTarget(targetAtRef(each, request, ports), target))
  return [...(named ? [named] : []), ...others]
}

/** The variables may be those of any environment whose target the file does not contain (A488). */
const targetAtRef = ({ project: { platform } }: ProjectAtRef, request: ProjectRequest, { env }: Ports): Target => ({
  url: platform.url || request.url || env.GATEWRIGHT_URL || '',
  area: platform.area || request.area || withoutBreak(env.GATEWRIGHT_AREA) || '',
})

const isTarget = ({ url, area }: Target, target: Target): boolean =>
  url !== '' && areaUrl(url) === areaUrl(target.url) && areaName(area) === areaName(target.area)

/** The input for checking guard rails. */
interface GuardedArea {
  readonly guard: Guard | undefined
  readonly desired: Desired
  readonly last: LastApplied
}

/** How a plan is executed, or that it is only shown. */
type GuardedUse = 'plan' | 'fresh plan' | 'saved plan' | 'rollback'

/**
 * The reasons why an area may not be changed now, whatever the plan contains: the way of executing it, the branch, and the runs
 * in earlier environments.
 */
export async function guardRefusals(
  area: GuardedArea,
  use: GuardedUse,
  request: ProjectRequest,
  ports: Ports,
): Promise<readonly Problem[]> {
  if (!area.guard) return []
  const { environment, rails } = area.guard
  const { project } = area.desired
  const planned =
    rails.planned && (use === 'fresh plan' || use === 'rollback')
      ? [guardPlanned({ ...rails.planned, environment }, use === 'rollback' ? 'rollback' : 'apply')]
      : []
  const branch = rails.branches.flatMap(({ value, place }) => {
    const why = otherThan(value, resolve(ports.cwd, project.dir), area.desired.from?.commit)
    return why === undefined ? [] : [guardBranch({ place, environment }, value, why)]
  })
  // A rollback applies no manifests, it only restores earlier values (A173).
  const after = await Promise.all(
    (use === 'rollback' ? [] : rails.after).map(async ({ value, place }) => {
      const why = await notDoneIn(value, area, request, ports)
      return why === undefined ? [] : [guardAfter({ place, environment }, value, why)]
    }),
  )
  return [...planned, ...branch, ...after.flat()]
}

/** Why the checked out files, or the given commit, are not of a branch. Undefined if they are (A172). */
function otherThan(branch: string, folder: string, commit: string | undefined): string | undefined {
  const head = commit === undefined ? headOf(folder) : ({ is: 'detached', commit } as const)
  switch (head.is) {
    case 'nothing':
      return 'there is no git commit here'
    case 'refused':
      return ownerRefused(head.folder)
    case 'branch':
      return head.name === branch ? undefined : `this is ${head.name}`
    case 'detached':
      return isInBranch(folder, head.commit, branch) ? undefined : `commit ${head.commit.slice(0, 10)} is not in it`
  }
}

/** Why the manifests do not count as applied in another environment of the project. Undefined if they do (A173). */
async function notDoneIn(
  environment: string,
  { desired, last }: GuardedArea,
  request: ProjectRequest,
  ports: Ports,
): Promise<string | undefined> {
  const other = otherEnvironment(environment, request, ports)
  if ('why' in other) return other.why
  const { project, key } = other
  const isShared = project.records === desired.project.records
  const records = isShared ? last.records : await recordsOf(project, ports)
  try {
    const [run] = await records.recent(key)
    return whyNot(run, () => textsOfProject(project, { desired, request, ports }))
  } finally {
    if (!isShared) await records.close()
  }
}

function whyNot(run: RunRecord | undefined, texts: () => string | undefined): string | undefined {
  if (!run) return 'no run is recorded there'
  const { run: name, purpose, part, texts: applied } = run.head
  if (purpose.is === 'rollback') return `its last run, ${name}, is a rollback`
  if (!isRunDone(run)) return `its last run, ${name}, did not end clean`
  if (applied === undefined || applied !== texts()) return `its last run, ${name}, was of other manifests`
  return part ? `its last run, ${name}, was of a part of them` : undefined
}

/** The digest of the present manifests of another environment. */
function textsOfProject(
  project: Project,
  { desired, request, ports }: { readonly desired: Desired; readonly request: ProjectRequest; readonly ports: Ports },
): string | undefined {
  if (sameJson(project.manifests, desired.project.manifests)) return desired.manifests.texts
  const { paths, allowFile } = request
  const input = { project, paths, env: ports.env, files: nodeFiles(ports.cwd), secretFolders: allowFile }
  return readManifests({ ...input, placeholders: 'kept' }).texts
}
