import { parseAddress } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { hasOwnId, hasSecretName } from '../catalog/queries.js'
import type { LiveObject } from '../live/live-object.js'
import { addressOfLive, pathTo } from '../live/names.js'
import { deletedIn, type Plan } from '../planner/plan.js'
import type { Left } from '../planner/rollback.js'
import { recordedAddress, type Undo } from './undo.js'

/**
 * What is left of a rollback, with the true reason for objects that only have another name now, or whose parent has. The rollback
 * does not follow the new name (A80). Objects that the run created and that would be deleted under their own name are reported as
 * well.
 */
export function withNamesSince(
  left: readonly Left[],
  undo: Undo,
  { plan, objects }: { readonly plan: Plan; readonly objects: readonly LiveObject[] },
): readonly Left[] {
  const going = deletedIn(plan.changes)
  const renamed = renamedSince(
    undo,
    objects.filter((object) => !going.has(object)),
  )
  if (renamed.size === 0) return left
  const isReported = (address: string): boolean => left.some((each) => each.address === address)
  const others = [...renamed].filter(([address, { isMade, isTop }]) => isMade && isTop && !isReported(address))
  return [
    ...left.map((each) => {
      const why = renamed.get(each.address)?.why
      return why === undefined ? each : { address: each.address, why }
    }),
    ...others.map(([address, { why }]) => ({ address, why })),
  ]
}

interface Renamed {
  readonly why: string
  readonly isMade: boolean
  /** None of its parents has been renamed. */
  readonly isTop: boolean
}

/** Objects that the run wrote and that are live at another address, by their addresses in the plan of the rollback. */
function renamedSince({ done, manifests }: Undo, objects: readonly LiveObject[]): ReadonlyMap<string, Renamed> {
  const live = new Map(objects.map((object) => [`${object.kind} ${object.id}`, object]))
  const planned = new Map(manifests.resources.map((each) => [recordedAddress(each), each.address]))
  const found = done.flatMap(({ address, kind, id, action }): [string, Renamed][] => {
    const object = id !== '' && hasOwnId(kind) && !hasSecretName(catalog[kind]) && live.get(`${kind} ${id}`)
    if (!object || isAt(object, address)) return []
    const isTop = !object.parent || isAt(object.parent, address.split('/').slice(0, -2).join('/'))
    const why = `it is ${addressOfLive(object)} by now`
    return [[planned.get(address) ?? address, { why, isMade: action === 'create', isTop }]]
  })
  return new Map(found)
}

/** Whether an object has that address; a name in it may be pinned by an id. */
function isAt(object: LiveObject, address: string): boolean {
  const steps = parseAddress(address)?.steps ?? []
  const path = pathTo(object)
  return steps.every(({ name }, at) => {
    const { key, id } = path[at] ?? { key: '', id: '' }
    return name === undefined || name === key || name === `${key}~${id}`
  })
}
