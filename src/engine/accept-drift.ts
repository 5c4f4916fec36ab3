import { areaUrl } from '../catalog/base-url.js'
import { isDay } from '../catalog/value.js'
import { acceptanceKey, readAccepted } from '../documents/accepted-drift.js'
import { writeAccepted } from '../documents/write-accepted-drift.js'
import type { Json } from '../json/json.js'
import { outerPaths } from '../json/pointer.js'
import type { Plan } from '../planner/plan.js'
import { type DriftFinding, findingsOf } from '../planner/safety/accept.js'
import type { Acceptance, Accepted, Seen } from '../planner/safety/acceptance.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { invalidOption } from '../problems/project.js'
import { acceptNeeds, secretNotAccepted, unsetNotAccepted } from '../problems/refusals.js'
import { holdsSecret } from '../secrets/mask.js'
import { asOfNow, fileOf, isOver } from './accepted.js'
import type { Area } from './area.js'
import type { DriftRequest } from './requests.js'

/**
 * Accepts the drift in a plan: writes it into the file, and returns the plan of the same reading with these acceptances.
 * `planned` makes a plan for given acceptances.
 */
export function acceptDrift(
  { area, plan, planned }: { readonly area: Area; readonly plan: Plan; readonly planned: (accepted: Accepted) => Plan },
  request: DriftRequest,
  ports: Ports,
): Plan {
  const { path, displayed } = fileOf(area.desired.project, request, ports)
  const known = readAccepted(path, displayed)
  const before = known?.accepted ?? []
  const decision = decisionOf(request, ports)
  const where = { url: areaUrl(area.access.url) || undefined, area: area.access.area || undefined }
  const all = new Map(before.filter((each) => !isOver(each, ports)).map((each) => [acceptanceKey(each), each]))
  const withFindings = (found: Plan, isTaken: (finding: DriftFinding) => boolean): Plan => {
    const findings = withoutContents(findingsOf(found, area.last.base ? 'known' : 'unknown')).filter(isTaken)
    if (findings.length === 0) return found
    for (const finding of findings) {
      const each = { address: finding.address, ...where, what: deviationOf(finding, area), ...decision }
      all.set(acceptanceKey(each), each)
    }
    return planned(asOfNow([...all.values()], area.access, ports))
  }
  // The meaning of "*" in a field depends on the existing objects, so additional and missing objects are accepted before fields.
  const withoutFields = withFindings(plan, ({ what }) => what.is !== 'field')
  const left = withFindings(withoutFields, ({ what }) => what.is === 'field')
  writeAccepted({ path, displayed }, known, [...all.values()])
  return left
}

/** The findings without the contents of missing objects: accepting that an object is missing includes everything in it. */
function withoutContents(findings: readonly DriftFinding[]): readonly DriftFinding[] {
  const gone = new Set(findings.flatMap(({ address, what }) => (what.is === 'deleted' ? [address] : [])))
  const isInside = ({ address }: DriftFinding) => outerPaths(address).some((outer) => gone.has(outer))
  return findings.filter((finding) => finding.what.is !== 'deleted' || !isInside(finding))
}

function deviationOf({ address, what }: DriftFinding, { last, mask }: Area): Acceptance['what'] {
  if (what.is !== 'field') return what
  const { path, before: live = null, after: git = null, sensitive, unavailable } = what.field
  if (unavailable) throw new ProblemError([unsetNotAccepted(address, path)])
  // Somebody may have written a known secret into a field that is not secret.
  const isSecret = sensitive || [live, git].some((value) => holdsSecret(value, mask))
  const seen = (value: Json): Seen => {
    if (!isSecret) return { is: 'value', value }
    const fingerprint = last.fingerprint(value)
    if (fingerprint === undefined) throw new ProblemError([secretNotAccepted(address, path)])
    return { is: 'fingerprint', fingerprint }
  }
  return { is: 'field', path, git: seen(git), live: seen(live) }
}

/** Reason, owner and expiry of the acceptance. Throws a ProblemError if one of them is missing. */
export function decisionOf(
  { reason, owner, expires }: DriftRequest,
  ports: Pick<Ports, 'now'>,
): { reason: string; owner: string; expires: string } {
  const missing = Object.entries({ reason, owner, expires }).flatMap(([name, value]) => (value ? [] : [`--${name}`]))
  if (!reason || !owner || !expires) throw new ProblemError([acceptNeeds(missing)])
  if (!isDay(expires) || isOver({ expires }, ports)) {
    throw new ProblemError([invalidOption('--expires', expires, 'a day that is not over, such as 2027-01-31')])
  }
  return { reason, owner, expires }
}
