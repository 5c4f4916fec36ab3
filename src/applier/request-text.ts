import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import type { Operation } from '../catalog/types.js'
import type { Change } from '../planner/plan.js'
import type { Step } from '../planner/steps.js'
import type { KnownIds } from './run.js'

/** `PUT /services/7/endpoints/9`: what a step sends, with the ids that are known by now; `{errorSetId}` for one that is not. */
export function requestText(step: Step, ids: KnownIds): string {
  const { method, path } = operationOf(step, ids)
  const known = idsOf(step, ids)
  const filled = path.replaceAll(/\{(\w+)\}/g, (braced, parameter: string) =>
    known[parameter] === undefined ? braced : encodeURIComponent(known[parameter]),
  )
  return `${method} ${filled}`
}

/** The id of what a create would find: an object that the platform has put there by itself is updated. */
export function existingId(change: Change, ids: KnownIds): string | undefined {
  if (change.action !== 'create') return undefined
  return ids.of(change.address) ?? (catalog[change.kind].fixedSet ? change.resource.key : undefined)
}

function operationOf(step: Step, ids: KnownIds): Operation {
  const { update } = catalog[step.change.kind].operations
  const isUpdate = step.work === 'create' && existingId(step.change, ids) !== undefined
  return isUpdate && update ? update : step.operation
}

function idsOf(step: Step, ids: KnownIds): Readonly<Record<string, string | undefined>> {
  const { change } = step
  const { idParameter } = catalog[change.kind]
  const targets = Object.entries(change.path).map(([parameter, target]): [string, string | undefined] => [
    parameter,
    target.is === 'live' ? target.id : ids.of(target.address),
  ])
  const path: Record<string, string | undefined> = Object.fromEntries(targets)
  path[idParameter] ??= existingId(change, ids) ?? ids.of(change.address)
  if (step.work === 'tidy') {
    const child = catalog[step.child]
    path[child.idParameter] = ids.of(addressOf(child, step.key, change.address))
  }
  return step.work === 'link' ? step.ids : path
}
