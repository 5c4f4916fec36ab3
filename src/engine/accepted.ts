import { resolve } from 'node:path'
import { areaName, areaUrl } from '../catalog/base-url.js'
import { readAccepted } from '../documents/accepted-drift.js'
import type { Project } from '../manifest/project.js'
import { acceptedFile } from '../manifest/project-files.js'
import type { Acceptance, Accepted } from '../planner/safety/acceptance.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { acceptedDriftBroken } from '../problems/refusals.js'
import type { DriftRequest, PlanRequest } from './requests.js'
import type { Target } from './settings.js'

/**
 * The acceptances for an area at this moment. Throws a ProblemError if the file is broken, or if a named file does not exist and
 * the command will not write it.
 */
export function acceptedIn(
  project: Project,
  target: Target,
  request: PlanRequest & Partial<Pick<DriftRequest, 'accept'>>,
  ports: Ports,
): Accepted {
  const { path, displayed } = fileOf(project, request, ports)
  const found = readAccepted(path, displayed)
  if (!found && request.accepted !== undefined && request.accept === undefined) {
    throw new ProblemError([acceptedDriftBroken(displayed, 'there is no such file')])
  }
  return asOfNow(found?.accepted ?? [], target, ports)
}

/** The file with the acceptances of a project. `displayed` is the path in messages. */
export function fileOf(project: Project, { accepted = acceptedFile }: PlanRequest, ports: Ports) {
  return { path: resolve(ports.cwd, project.dir, accepted), displayed: accepted }
}

/** The acceptances for an area, as they are at this moment. */
export function asOfNow(all: readonly Acceptance[], { url, area }: Target, ports: Ports): Accepted {
  const here = all.filter((each) => isSame(areaUrl, each.url, url) && isSame(areaName, each.area, area))
  return {
    active: here.filter((each) => !isOver(each, ports)),
    expired: here.filter((each) => isOver(each, ports)),
  }
}

/** Whether an acceptance is for the target. True if one of the two is not known. */
const isSame = (nameOf: (text: string) => string, seen: string | undefined, requested: string): boolean =>
  seen === undefined || requested === '' || nameOf(seen) === nameOf(requested)

const day = 86_400_000

/** Whether the last day of an acceptance is over. */
export const isOver = ({ expires }: Pick<Acceptance, 'expires'>, { now }: Pick<Ports, 'now'>): boolean =>
  now() >= Date.parse(`${expires}T00:00:00Z`) + day
