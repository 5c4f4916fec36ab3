import { catalog } from '../catalog/catalog.js'
import type { KindName } from '../catalog/types.js'
import { append } from '../json/groups.js'
import { by } from '../json/order.js'
import type { LiveObject } from '../live/live-object.js'
import { pathTo } from '../live/names.js'
import { referredObjects } from '../live/referred.js'
import { isBlank } from './compare/blank.js'
import { type BlockedChange, type Change, type DeleteChange, isCreating, type Plan } from './plan.js'
import { newRoutes, routesOf } from './routes.js'

/** The plan of a rollback, and the objects that it skips because they are no longer as the run left them. */
interface Undoing {
  readonly plan: Plan
  readonly left: readonly Left[]
}

/** An object that a rollback skips, and the reason. */
export interface Left {
  readonly address: string
  readonly why: string
  /** The address of the containing object, if that is the only reason. */
  readonly within?: string
}

/** The result of a run according to its record. */
interface LeftBehind {
  /** The ids of the objects that it wrote, by address. */
  readonly ids: ReadonlyMap<string, string>
  /** Addresses of the objects that it deleted. */
  readonly deleted: ReadonlySet<string>
  /** Addresses of objects that an interrupted rollback of that run created again, or was about to create. */
  readonly announced: ReadonlySet<string>
  /** The objects that it created and that somebody has changed since. */
  readonly moved: ReadonlySet<LiveObject>
  /** The objects that it created and that still exist, by address. */
  readonly created: ReadonlyMap<string, LiveObject>
}

/** The part of a plan that undoes only objects that are still as a run left them. Pure. */
export function onlyAsLeft(plan: Plan, leftBehind: LeftBehind): Undoing {
  const reasons = new Map<string, string>()
  const replaced = new Set(plan.changes.flatMap(({ action, address }) => (action === 'replace' ? [address] : [])))
  for (const { address, path, why } of plan.notRestored ?? []) {
    // An object that is created again would lose its reference.
    if (path === undefined || replaced.has(address)) reasons.set(address, why)
  }
  for (const change of plan.changes) {
    const why = reasonToLeave(change, leftBehind)
    if (why !== undefined) reasons.set(change.address, why)
  }
  leaveNeeding(plan.changes, reasons)
  const deletes = plan.changes.filter(isDelete)
  const byObject = new Map(deletes.map((each) => [objectKey(each.kind, each.live.id), each]))
  const withins = new Map<string, string>()
  const leave = (change: Delete, why: string, whyInside: string): readonly Delete[] => {
    const left = deletes.filter((each) => each === change || (isSameTree(each, change) && !reasons.has(each.address)))
    for (const { address } of left) {
      reasons.set(address, address === change.address ? why : `${change.address} ${whyInside}`)
      if (address.startsWith(`${change.address}/`)) withins.set(address, change.address)
    }
    return left
  }
  // A request that deletes one of these objects also deletes the others.
  for (const change of deletes.filter(({ address }) => reasons.has(address)))
    leave(change, reasons.get(change.address) ?? '', change.action === 'blocked' ? 'stays' : 'was changed since')
  // If an object contains an unrecorded one, it is not among the deletes at all.
  const going = new Set(deletes.flatMap(({ action, live }) => (action === 'delete' ? [live] : [])))
  const kept = [...leftBehind.created].filter(([, live]) => !pathTo(live).some((each) => going.has(each)))
  const staying: { readonly address: string; readonly live?: LiveObject | undefined }[] = [
    ...plan.changes.filter(({ address }) => reasons.has(address)),
    ...kept.map(([address, live]) => ({ address, live })),
  ]
  const takers = takersIn(plan.changes)
  for (const user of staying) {
    for (const [route, taker] of user.live ? takersOf(user.live, takers) : []) {
      if (reasons.has(taker.address)) continue
      const before = new Set(reasons.keys())
      reasons.set(taker.address, `${user.address} stays, and has the calls of ${route.trim()}`)
      leaveNeeding(plan.changes, reasons)
      staying.push(...plan.changes.filter(({ address }) => reasons.has(address) && !before.has(address)))
    }
    for (const key of user.live ? usedBy(user.live) : []) {
      const used = byObject.get(key)
      if (used && !reasons.has(used.address))
        staying.push(...leave(used, `${user.address} uses it, and stays`, 'stays'))
    }
  }
  const changes = plan.changes
    .filter((change) => !reasons.has(change.address))
    .map((change) => ({ ...change, dependsOn: change.dependsOn.filter((address) => !reasons.has(address)) }))
  const conflicts = plan.skipped.flatMap(({ address, paths }) =>
    paths === 'all' ? [] : [{ address, why: `${paths.join(', ')} was changed since` }],
  )
  const stayed = [...reasons].map(([address, why]): Left => {
    const within = withins.get(address)
    return { address, why, ...(within !== undefined && { within }) }
  })
  const left = [...stayed, ...conflicts]
  return { plan: { ...plan, changes }, left: left.sort(by((each) => each.address)) }
}

/** A delete, even if it is blocked. */
type Delete = DeleteChange | (BlockedChange & { readonly live: LiveObject })

const isDelete = (change: Change): change is Delete =>
  change.action === 'delete' || (change.action === 'blocked' && change.wants === 'delete' && change.live !== undefined)

/** Also skips changes whose parent, or whose target of a reference, is skipped and therefore does not exist. */
function leaveNeeding(changes: readonly Change[], reasons: Map<string, string>): void {
  const users = new Map<string, Change[]>()
  for (const change of changes) {
    if (change.action === 'delete') continue
    for (const needed of change.dependsOn) append(users, needed, change)
  }
  const left = changes.filter((change) => isCreating(change) && reasons.has(change.address))
  for (const { address } of left) {
    for (const user of users.get(address) ?? []) {
      if (reasons.has(user.address)) continue
      reasons.set(user.address, `${address}, which it needs, is not created again`)
      if (isCreating(user)) left.push(user)
    }
  }
}

/** The changes that take a route, by route. */
function takersIn(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const takers = new Map<string, Change[]>()
  for (const change of changes) for (const route of newRoutes(change)) append(takers, route, change)
  return takers
}

/** The changes that take a route of an object. The platform refuses them while the object has the route. */
function takersOf(
  live: LiveObject,
  takers: ReadonlyMap<string, readonly Change[]>,
): readonly (readonly [route: string, taker: Change])[] {
  const { route: row } = catalog[live.kind]
  if (!row) return []
  return routesOf(row, live, undefined).flatMap((route) =>
    (takers.get(route) ?? []).map((taker) => [route, taker] as const),
  )
}

function reasonToLeave(change: Change, { ids, deleted, announced, moved }: LeftBehind): string | undefined {
  switch (change.action) {
    case 'create':
      return deleted.has(change.address) ? undefined : 'somebody has deleted it since'
    case 'update':
    case 'replace': {
      if (deleted.has(change.address)) {
        const isOurs = isBlank(change.live) || announced.has(change.address)
        return isOurs ? undefined : 'somebody has created it again since'
      }
      const id = ids.get(change.address)
      return id === undefined || id === change.live.id ? undefined : 'it is another object of the same name now'
    }
    case 'delete':
      return moved.has(change.live) ? 'it was changed since' : undefined
    case 'blocked':
      return change.isStillUsed && change.reason
  }
}

const isSameTree = (one: Delete, other: Delete): boolean =>
  one.address.startsWith(`${other.address}/`) || other.address.startsWith(`${one.address}/`)

const objectKey = (kind: KindName, id: string): string => `${kind} ${id}`

/** The linked object of a live link, and the targets of its references. */
function usedBy(object: LiveObject): readonly string[] {
  const { association } = catalog[object.kind]
  const referred = referredObjects(object).map(([kind, id]) => objectKey(kind, id))
  return association ? [objectKey(association, object.id), ...referred] : referred
}
