import type { Change } from '../planner/plan.js'
import { made, type Step } from '../planner/steps/step.js'

/** The changes of a step that can be made, and the blocked ones with the missing object. */
interface Partition {
  readonly runnable: readonly Change[]
  readonly blocked: ReadonlyMap<Change, string>
}

/** `fails` are the needs of the step that failed. */
export function partition(step: Step, fails: ReadonlySet<string>): Partition {
  if (fails.size === 0) return { runnable: step.members, blocked: new Map() }
  const blocked = new Map<Change, string>()
  const blockedAddresses = new Set<string>()
  const lacking = (change: Change): string | undefined => {
    const own = change.dependsOn.find((address) => fails.has(made(address)))
    if (own !== undefined) return own
    const parent = change.action === 'create' ? change.resource.parent : undefined
    return parent !== undefined && blockedAddresses.has(parent) ? parent : undefined
  }
  const needsOfMembers = new Set(step.members.flatMap(({ dependsOn }) => dependsOn.map(made)))
  // A failed need of the step itself, which belongs to none of its changes.
  const blockedAltogether = step.needs.find((token) => fails.has(token) && !needsOfMembers.has(token))
  for (const change of step.members) {
    const need = blockedAltogether?.replace(/^\w+ /, '') ?? lacking(change)
    if (need === undefined) continue
    blocked.set(change, need)
    blockedAddresses.add(change.address)
  }
  const root = blocked.get(step.change)
  if (root !== undefined) for (const member of step.members) if (!blocked.has(member)) blocked.set(member, root)
  return { runnable: step.members.filter((member) => !blocked.has(member)), blocked }
}
