import { resolve } from 'node:path'
import { acceptedFile, isDay, readAccepted, valueDigest, writeAccepted } from '../documents/accepted-drift.js'
import type { AcceptedNote } from '../documents/plan.js'
import type { Plan } from '../planner/plan.js'
import { type Acceptance, acceptedBy, type DriftFinding, findingsOf } from '../planner/safety/accept.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { acceptedDriftBroken, acceptNeeds, secretNotAccepted } from '../problems/refusals.js'
import type { Area } from './area.js'
import type { DriftRequest } from './requests.js'

/** What findings of a drift, and what is accepted of it. */
export interface DriftJudgement {
  readonly findings: readonly DriftFinding[]
  /** By address. */
  readonly accepted: ReadonlyMap<string, readonly AcceptedNote[]>
}

/** Holds what a plan tells of the live side against the drift that is accepted; with --accept all of it is, from now on. */
export function judgeDrift(area: Area, plan: Plan, request: DriftRequest, ports: Ports): DriftJudgement {
  const shown = request.accepted ?? acceptedFile
  const path = resolve(ports.cwd, area.desired.project.dir, shown)
  const known = readAccepted(path, shown)
  const findings = findingsOf(plan, area.last.base ? 'known' : 'unknown')
  const digest = valueDigest(area.last.fingerprint)
  const isCovered = (finding: DriftFinding, by: readonly Acceptance[]) => acceptedBy(finding, by, digest, ports.now())
  const all =
    request.accept === undefined
      ? known
      : [...known, ...newly(findings.filter((finding) => !isCovered(finding, known)))]
  if (request.accept !== undefined) writeAccepted(path, shown, withoutOutdated(all))
  const accepted = new Map<string, AcceptedNote[]>()
  const left = findings.filter((finding) => {
    const by = isCovered(finding, all)
    if (!by) return true
    const { path: field, reason, owner, expires } = by
    accepted.set(finding.address, [...(accepted.get(finding.address) ?? []), { path: field, reason, owner, expires }])
    return false
  })
  return { findings: left, accepted }

  function newly(open: readonly DriftFinding[]): readonly Acceptance[] {
    const { reason, owner, expires } = decisionOf(request)
    return open.map((finding) => {
      const value = digest(finding)
      if (value === undefined) throw new ProblemError([secretNotAccepted(finding.address, finding.path)])
      return { address: finding.address, path: finding.path, value, reason, owner, expires }
    })
  }

  /** The last word on a field counts, and what expired is forgotten. */
  function withoutOutdated(entries: readonly Acceptance[]): readonly Acceptance[] {
    const byField = new Map(entries.map((each) => [`${each.address} ${each.path}`, each]))
    return [...byField.values()].filter(({ expires }) => ports.now() < Date.parse(`${expires}T00:00:00Z`) + 86_400_000)
  }
}

function decisionOf({ reason, owner, expires }: DriftRequest): { reason: string; owner: string; expires: string } {
  const missing = Object.entries({ reason, owner, expires }).flatMap(([name, value]) => (value ? [] : [`--${name}`]))
  if (!reason || !owner || !expires) throw new ProblemError([acceptNeeds(missing)])
  if (!isDay(expires))
    throw new ProblemError([acceptedDriftBroken('--expires', `"${expires}" is not a day such as 2027-01-31`)])
  return { reason, owner, expires }
}
