import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import type { Operation } from '../catalog/types.js'
import type { Change } from '../planner/plan.js'
import type { Step } from '../planner/steps/step.js'
import type { KnownIds } from './run.js'

/** The request of a step, such as `PUT /services/7/endpoints/9`. An id that is not known yet is shown as `{errorSetId}`. */
export function requestText(step: Step, ids: KnownIds): string {
  const { method, path } = operationOf(step, ids)
  const known = stepIds(step, ids)
  const filled = path.replaceAll(/\{(\w+)\}/g, (braced, parameter: string) =>
    known[parameter] === undefined ? braced : encodeURIComponent(known[parameter]),
  )
  return `${method} ${filled}`
}

/** The id of the existing object for a create: an object that the platform has created by itself is updated. */
export function existingId(change: Change, ids: KnownIds): string | undefined {
  if (change.action !== 'create') return undefined
  return ids.of(change.address) ?? (catalog[change.kind].fixedSet ? change.resource.key : undefined)
}

/** The id of the object that the platform has added under its default name, if the answer to the create contained it. */
export function addedId(
  { change, child, declared }: Extract<Step, { work: 'remove-defaults' }>,
  ids: KnownIds,
): string | undefined {
  const row = catalog[child].parent
  const keys = (row && catalog[change.kind].addedByPlatform[row.field]) ?? []
  const addresses = keys.map((key) => addressOf(catalog[child], key, change.address))
  return addresses.filter((address) => !declared.includes(address)).map((address) => ids.of(address))[0]
}

function operationOf(step: Step, ids: KnownIds): Operation {
  const { update } = catalog[step.change.kind].operations
  const isUpdate = step.work === 'create' && existingId(step.change, ids) !== undefined
  return isUpdate && update ? update : step.operation
}

function stepIds(step: Step, ids: KnownIds): Readonly<Record<string, string | undefined>> {
  if (step.work === 'link' || step.work === 'remove') return step.ids
  const { change } = step
  const { idParameter } = catalog[change.kind]
  const targets = Object.entries(change.path).map(([parameter, target]): [string, string | undefined] => [
    parameter,
    target.is === 'live' ? target.id : ids.of(target.address),
  ])
  const path: Record<string, string | undefined> = Object.fromEntries(targets)
  path[idParameter] ??= existingId(change, ids) ?? ids.of(change.address)
  return path
}
