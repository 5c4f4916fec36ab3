import { acceptanceKey, readAccepted } from '../documents/accepted-drift.js'
import { writeAccepted } from '../documents/write-accepted-drift.js'
import type { Json } from '../json/json.js'
import { isDay } from '../manifest/day.js'
import type { Plan } from '../planner/plan.js'
import { type DriftFinding, findingsOf } from '../planner/safety/accept.js'
import type { Acceptance, Accepted, Seen } from '../planner/safety/acceptance.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { acceptedDriftBroken, acceptNeeds, secretNotAccepted, unsetNotAccepted } from '../problems/refusals.js'
import { holdsSecret } from '../secrets/mask.js'
import { asOfNow, fileOf, isOver } from './accepted.js'
import type { Area } from './area.js'
import type { DriftRequest } from './requests.js'

/** Accepts what drifts in a plan: writes it into the file, and gives what is accepted in the area from now on. */
export function acceptDrift(area: Area, plan: Plan, request: DriftRequest, ports: Ports): Accepted {
  const { path, shown } = fileOf(area.desired.project, request, ports)
  const known = readAccepted(path, shown)
  const decision = decisionOf(request, ports)
  const findings = withoutContents(findingsOf(plan, area.last.base ? 'known' : 'unknown'))
  const fresh = findings.map((finding): Acceptance => {
    const inArea = area.access.area === '' ? undefined : area.access.area
    return { address: finding.address, area: inArea, what: deviationOf(finding, area), ...decision }
  })
  const all = new Map([...(known ?? []), ...fresh].map((each) => [acceptanceKey(each), each]))
  const current = [...all.values()].filter((each) => !isOver(each, ports))
  writeAccepted({ path, shown }, known, current)
  return asOfNow(current, area.access.area, ports)
}

/** Whoever accepts that an object is gone accepts it of all that lay in it. */
function withoutContents(findings: readonly DriftFinding[]): readonly DriftFinding[] {
  const gone = new Set(findings.flatMap(({ address, what }) => (what.is === 'deleted' ? [address] : [])))
  const isInside = ({ address }: DriftFinding) =>
    address.split('/').some((_, index, parts) => index > 0 && gone.has(parts.slice(0, index).join('/')))
  return findings.filter((finding) => finding.what.is !== 'deleted' || !isInside(finding))
}

function deviationOf({ address, what }: DriftFinding, { last, mask }: Area): Acceptance['what'] {
  if (what.is !== 'field') return what
  const { path, before: live = null, after: git = null, sensitive, unavailable } = what.field
  if (unavailable) throw new ProblemError([unsetNotAccepted(address, path)])
  // Somebody may have put a known secret where none belongs.
  const isSecret = sensitive || [live, git].some((value) => holdsSecret(value, mask))
  const seen = (value: Json): Seen => {
    if (!isSecret) return { is: 'value', value }
    const fingerprint = last.fingerprint(value)
    if (fingerprint === undefined) throw new ProblemError([secretNotAccepted(address, path)])
    return { is: 'fingerprint', fingerprint }
  }
  return { is: 'field', path, git: seen(git), live: seen(live) }
}

/** Why, by whom and how long it is accepted; throws a ProblemError if something of it is missing. */
export function decisionOf(
  { reason, owner, expires }: DriftRequest,
  ports: Pick<Ports, 'now'>,
): { reason: string; owner: string; expires: string } {
  const missing = Object.entries({ reason, owner, expires }).flatMap(([name, value]) => (value ? [] : [`--${name}`]))
  if (!reason || !owner || !expires) throw new ProblemError([acceptNeeds(missing)])
  if (!isDay(expires))
    throw new ProblemError([acceptedDriftBroken('--expires', `"${expires}" is not a day such as 2027-01-31`)])
  if (isOver({ expires }, ports)) throw new ProblemError([acceptedDriftBroken('--expires', `${expires} is over`)])
  return { reason, owner, expires }
}
