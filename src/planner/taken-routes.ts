import { catalog } from '../catalog/catalog.js'
import type { LiveObject, Snapshot } from '../live/live-object.js'
import { addressOfLive } from '../live/names.js'
import { rangeAt } from '../manifest/reference-use.js'
import { placeOf } from '../manifest/source.js'
import { routeTaken } from '../problems/planning.js'
import type { Problem } from '../problems/problem.js'
import { deletedIn, type Plan } from './plan.js'
import { newRoutes, routesOf } from './routes.js'

/**
 * Warnings about routes that a plan takes although a live endpoint has them that remains and that no manifest declares (A349).
 * For two declared endpoints, the check of the manifests has a problem.
 */
export function takenRoutes(plan: Plan, snapshot: Snapshot): readonly Problem[] {
  // A suspected rename has the route of the same object.
  const renamed = plan.changes.flatMap((each) =>
    each.action === 'create' && each.possibleRename ? [each.address] : [],
  )
  const isRename = (address: string) => renamed.some((each) => `${address}/`.startsWith(`${each}/`))
  const taking = plan.changes.flatMap((change) => {
    const routes = newRoutes(change)
    return routes.length === 0 || isRename(change.address) ? [] : [{ change, routes }]
  })
  if (taking.length === 0) return []
  const holders = undeclaredHolders(plan, snapshot)
  return taking.flatMap(({ change, routes }): readonly Problem[] => {
    // The order of lists has no meaning, so the first route in alphabetical order is reported.
    const [route] = routes.filter((each) => holders.has(each)).sort()
    const row = catalog[change.kind].route
    const holder = holders.get(route ?? '')
    if (!row || route === undefined || !holder || !('resource' in change)) return []
    const place = placeOf(rangeAt(change.resource, `/${row.path}`))
    return [routeTaken(place, change.address, route.trim(), addressOfLive(holder))]
  })
}

/** The live objects that no manifest declares and no change deletes, by route. */
function undeclaredHolders({ matched, changes }: Plan, { objects }: Snapshot): ReadonlyMap<string, LiveObject> {
  const known = new Set(matched.values())
  const going = deletedIn(changes)
  const holders = new Map<string, LiveObject>()
  const visit = (object: LiveObject): void => {
    if (going.has(object)) return
    const row = catalog[object.kind].route
    const routes = row && !known.has(object) ? routesOf(row, object, undefined) : []
    for (const route of routes) {
      const other = holders.get(route)
      if (!other || addressOfLive(object) < addressOfLive(other)) holders.set(route, object)
    }
    object.children.forEach(visit)
  }
  objects.forEach(visit)
  return holders
}
