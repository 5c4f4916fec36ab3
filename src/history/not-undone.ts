import { addressAndAbove, addressOfParent } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { hasSecretName } from '../catalog/queries.js'
import { countsOf } from '../json/groups.js'
import type { ObjectValues } from '../manifest/from-values.js'
import type { Problem } from '../problems/problem.js'
import { cannotUndo, getNewIds } from '../problems/refusals.js'
import type { Done } from './done.js'

/** The changes of a run that a rollback treats in another way. */
interface Exceptions {
  /** Whether what replaced the object stays, because the old one cannot be created again. */
  readonly isKept: (done: Done) => boolean
  /** What needs an object that the run created and that therefore stays, by the address of the object. */
  readonly needed: ReadonlyMap<string, string>
  /** Whether the object, or one that contains it, is found by its id. A new object gets another id. */
  readonly isOfPinned: (done: Done) => boolean
}

/** What a rollback cannot undo, or not completely, and the reason. */
export function notUndone(
  done: readonly Done[],
  restored: readonly ObjectValues[],
  { isKept, needed, isOfPinned }: Exceptions,
): readonly Problem[] {
  const brought = new Set(restored.map(({ recordedAs }) => recordedAs))
  const created = new Set(done.filter(({ action }) => action === 'create').map(({ address }) => address))
  const deleted = new Set(done.filter(({ action }) => action === 'delete').map(({ address }) => address))
  // If a deleted parent is reported, its contents are not.
  const isLost = (address: string): boolean => deleted.has(address) && !brought.has(address)
  const whyLost = (each: Done): string =>
    isOfPinned(each)
      ? 'it, or what it lies in, is found by metadata.id, and a new object gets another id'
      : 'it, or what it lies in, cannot be made without a secret, and records hold none'
  const renewed: string[] = []
  const problems = done.flatMap((each) => {
    const { address, kind, action, before } = each
    const row = catalog[kind]
    if (each.isLeft) return []
    // An object that was inside the old one and was deleted with it did not replace anything.
    if (isKept(each) && action !== 'delete') {
      const old = action === 'create' && hasSecretName(row) ? 'the one that it was before' : 'what stood there before'
      return [cannotUndo(address, `${old} cannot be made without a secret, and records hold none: it stays`)]
    }
    const user = needed.get(address)
    // If the parent is reported, its contents are not.
    if (user !== undefined)
      return needed.has(addressOfParent(row, address)) ? [] : [cannotUndo(address, `${user} needs it, and stays`)]
    if (action === 'create') {
      // A member of a fixed set is deleted with its new parent.
      const isNewSet = row.fixedSet && created.has(addressOfParent(row, address))
      const cannotGo = !isNewSet && (row.blocked.delete !== undefined || row.fixedSet)
      return cannotGo ? [cannotUndo(address, 'the interface has no way to delete it')] : []
    }
    const after = action === 'update' ? each.after?.fingerprints : undefined
    const secrets = Object.entries(before?.fingerprints ?? {}).flatMap(([key, print]) =>
      after?.[key] === print ? [] : [key],
    )
    const are = secrets.length === 1 ? 'is a secret' : 'are secrets'
    const forgotten =
      secrets.length === 0 ? [] : [cannotUndo(address, `${secrets.join(', ')} ${are}, and records hold none`)]
    if (action === 'update') return forgotten
    if (!brought.has(address)) return isLost(addressOfParent(row, address)) ? [] : [cannotUndo(address, whyLost(each))]
    // A link and a single child have no id of their own.
    if (!row.association && row.fields.id) renewed.push(address)
    return forgotten
  })
  return [...problems, ...getNewIds(withInside(renewed))]
}

/** The topmost of these addresses, with the number of the others in each. */
function withInside(addresses: readonly string[]): ReadonlyMap<string, number> {
  const all = new Set(addresses)
  const topmost = addresses.map((address) => addressAndAbove(address).find((outer) => all.has(outer)) ?? address)
  return new Map([...countsOf(topmost)].map(([address, count]) => [address, count - 1]))
}
