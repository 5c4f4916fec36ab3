import { staleChanges } from '../applier/stale.js'
import { addressOfParent } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { keysOf } from '../json/pointer.js'
import { fieldOfKey } from '../planner/compare/secret-values.js'
import type { Change, Plan } from '../planner/plan.js'
import { isAddedByPlatform } from '../planner/prune/ownership.js'
import { ProblemError } from '../problems/problem.js'
import { nothingToResume, resumesOtherManifests } from '../problems/refusals.js'
import type { Area } from './area.js'

/**
 * The changes of the present plan that the last run has not made. Throws a ProblemError if the manifests differ from those of
 * that run, or if a remaining change needs something that no longer exists.
 */
export async function undoneIn({ last, desired }: Area, plan: Plan): Promise<Plan['changes']> {
  const [newest] = await last.records.recent(last.key)
  if (newest?.head.purpose.is !== 'apply') throw new ProblemError([nothingToResume(newest?.head.run)])
  const { run, manifests, changes } = newest.head
  const planned = new Set(changes.map(({ address }) => address))
  if (manifests !== desired.manifests.digest) {
    const others = plan.changes.map(({ address }) => address).filter((address) => !planned.has(address))
    throw new ProblemError([resumesOtherManifests(run, others)])
  }
  const settled = new Map(newest.entries.flatMap((entry) => (entry.is === 'settled' ? [[entry.address, entry]] : [])))
  const created = new Set(changes.filter(({ action }) => action === 'create').map(({ address }) => address))
  // Objects that the platform adds by itself belong to the change that creates their parent.
  const isPart = (change: Change): boolean =>
    change.action === 'delete' &&
    isAddedByPlatform(change.live) &&
    created.has(addressOfParent(catalog[change.kind], change.address))
  // If the request after a create was not sent, the new object does not have its fields, and neither does its image in the
  // record.
  const isDone = ({ address, fields }: Change): boolean => {
    const { outcome, after } = settled.get(address) ?? {}
    if (outcome !== 'applied' || !created.has(address)) return outcome === 'applied'
    const names = new Set([
      ...Object.keys(after?.fields ?? {}),
      ...Object.keys(after?.fingerprints ?? {}).map(fieldOfKey),
    ])
    return fields.every(({ path }) => names.has(keysOf(path)[0] ?? ''))
  }
  const undone = plan.changes.filter((change) => (planned.has(change.address) || isPart(change)) && !isDone(change))
  const stale = staleChanges(undone, plan, 'same effect', last.fingerprint)
  if (stale.length > 0) throw new ProblemError(stale)
  return undone
}
