import { areaName, areaUrl } from '../catalog/base-url.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { environmentOverruled, oneTokenForTwo } from '../problems/promotion.js'
import { withoutBreak } from '../secrets/without-break.js'
import { projectOf } from './live-area.js'
import type { ProjectRequest } from './requests.js'
import { type Target, targetOfProject } from './settings.js'

/**
 * The request for the live area of an environment. Throws a ProblemError if an option or a variable names another URL or area
 * than the environment: a request that names an environment means its own area, and an override would give two environments the
 * same area (A161).
 */
export function inEnvironment(environment: string, request: ProjectRequest, ports: Ports): ProjectRequest {
  const own = { ...request, environment }
  const { platform } = projectOf(own, ports)
  const { GATEWRIGHT_URL } = ports.env
  const parts = [
    { what: 'url', own: platform.url, option: request.url, variable: GATEWRIGHT_URL, form: areaUrl },
    {
      what: 'area',
      own: platform.area,
      option: request.area,
      variable: withoutBreak(ports.env.GATEWRIGHT_AREA),
      form: areaName,
    },
  ] as const
  const overruling = parts.flatMap(({ what, own: written, option, variable, form }) => {
    const given = option || variable
    const by = option ? `--${what}` : `GATEWRIGHT_${what.toUpperCase()}`
    return written && given && form(written) !== form(given) ? [{ what, by }] : []
  })
  if (overruling.length === 0) return own
  throw new ProblemError(overruling.map(({ what, by }) => environmentOverruled(environment, what, by)))
}

/**
 * Whether two environments are in one area. Throws a ProblemError if they are not, and one ready token would be used for both.
 */
export function areaOfBoth(a: ProjectRequest, b: ProjectRequest, ports: Ports): 'one' | 'two' {
  const [first, second] = [a, b].map((request) => {
    const project = projectOf(request, ports)
    return { target: targetOfProject(project, request, ports), isOwn: project.platform.credentials !== undefined }
  })
  if (!first || !second || sameArea(first.target, second.target)) return 'one'
  if (ports.env.GATEWRIGHT_TOKEN && !first.isOwn && !second.isOwn) {
    throw new ProblemError([oneTokenForTwo(a.environment ?? '', b.environment ?? '')])
  }
  return 'two'
}

const sameArea = (a: Target, b: Target): boolean =>
  areaUrl(a.url) === areaUrl(b.url) && areaName(a.area) === areaName(b.area)
