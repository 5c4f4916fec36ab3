import type { LiveObject } from '../../live/live-object.js'
import { placeOf } from '../../manifest/source.js'
import type { Problem } from '../../problems/problem.js'
import { nameLooksAlike } from '../../problems/refusals.js'
import type { Change, CreateChange } from '../plan.js'
import type { Matches } from './match.js'
import { mayBeRenamed, siblings } from './possible-renames.js'

/**
 * Warnings about creates of objects whose name looks the same as that of a live object, because both are the same text in
 * different Unicode forms. For two declared objects, the manifests already have a warning.
 */
export function lookAlikes(changes: readonly Change[], world: Matches): readonly Problem[] {
  const groups = new Map<string, ReadonlyMap<string, LiveObject>>()
  return changes.flatMap((change) => {
    if (change.action !== 'create' || !mayBeRenamed(change, world)) return []
    const group = `${change.kind} ${change.resource.parent ?? ''}`
    const byForm = groups.get(group) ?? new Map(undeclared(change, world).map((each) => [each.key.normalize(), each]))
    groups.set(group, byForm)
    const found = byForm.get(change.resource.key.normalize())
    if (!found) return []
    return [nameLooksAlike(change.address, found.id, placeOf(change.resource.range))]
  })
}

const undeclared = (change: CreateChange, world: Matches): readonly LiveObject[] =>
  siblings(change, world).filter((each) => !world.claimed.has(each))
