import { resolve } from 'node:path'
import { acceptedFile, isDay, readAccepted, valueDigest, writeAccepted } from '../documents/accepted-drift.js'
import type { AcceptedNote } from '../documents/plan.js'
import type { Plan } from '../planner/plan.js'
import { type Acceptance, type Alarm, acceptedBy, alarmsOf } from '../planner/safety/accept.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { acceptedDriftBroken, acceptNeeds, secretNotAccepted } from '../problems/refusals.js'
import type { Area } from './area.js'
import type { DriftRequest } from './requests.js'

/** What alarms of a drift, and what is accepted of it. */
export interface DriftJudgement {
  readonly alarms: readonly Alarm[]
  /** By address. */
  readonly accepted: ReadonlyMap<string, readonly AcceptedNote[]>
}

/** Holds what a plan tells of the live side against the drift that is accepted; with --accept all of it is, from now on. */
export function judgeDrift(area: Area, plan: Plan, request: DriftRequest, ports: Ports): DriftJudgement {
  const shown = request.accepted ?? acceptedFile
  const path = resolve(ports.cwd, area.desired.project.dir, shown)
  const known = readAccepted(path, shown)
  const alarms = alarmsOf(plan, area.last.base ? 'known' : 'unknown')
  const digest = valueDigest(area.last.fingerprint)
  const isCovered = (alarm: Alarm, by: readonly Acceptance[]) => acceptedBy(alarm, by, digest, ports.now())
  const all =
    request.accept === undefined ? known : [...known, ...newly(alarms.filter((alarm) => !isCovered(alarm, known)))]
  if (request.accept !== undefined) writeAccepted(path, shown, withoutOutdated(all))
  const accepted = new Map<string, AcceptedNote[]>()
  const left = alarms.filter((alarm) => {
    const by = isCovered(alarm, all)
    if (!by) return true
    const { path: field, reason, owner, expires } = by
    accepted.set(alarm.address, [...(accepted.get(alarm.address) ?? []), { path: field, reason, owner, expires }])
    return false
  })
  return { alarms: left, accepted }

  function newly(open: readonly Alarm[]): readonly Acceptance[] {
    const { reason, owner, expires } = decisionOf(request)
    return open.map((alarm) => {
      const value = digest(alarm)
      if (value === undefined) throw new ProblemError([secretNotAccepted(alarm.address, alarm.path)])
      return { address: alarm.address, path: alarm.path, value, reason, owner, expires }
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
