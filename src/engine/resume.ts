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
 * What the last run left undone, as changes of the plan of now. Throws a ProblemError where the manifests are not those of
 * that run, or what is left needs something that is gone since.
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
  // What the platform adds to an object by itself goes with the change that creates that object.
  const isPart = (change: Change): boolean =>
    change.action === 'delete' &&
    isAddedByPlatform(change.live) &&
    created.has(addressOfParent(catalog[change.kind], change.address))
  // A new object lacks what a request was to bring that follows its create: its image does not have that either.
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
