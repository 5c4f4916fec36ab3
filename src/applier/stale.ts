import type { Change, Plan } from '../planner/plan.js'
import { changedSincePlanned, type Problem } from '../problem.js'

/** Changes that the area does not allow any more as they were planned: what they relied on is another. */
export function staleChanges(planned: Plan, current: Plan): readonly Problem[] {
  const now = new Map(current.changes.map((change) => [change.address, change]))
  const then = new Set(planned.changes.map((change) => change.address))
  const changed = planned.changes.filter((change) => {
    const other = now.get(change.address)
    return !other || other.action !== change.action || other.precondition !== change.precondition
  })
  const added = current.changes.filter((change) => !then.has(change.address))
  return [...changed, ...added].map((change: Change) => changedSincePlanned(change.address))
}
