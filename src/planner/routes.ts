import { catalog } from '../catalog/catalog.js'
import type { LiveObject } from '../catalog/live.js'
import type { Json, RouteRow } from '../catalog/types.js'
import { append } from './live-index.js'
import type { Change, FieldValues, UpdateChange } from './plan.js'

/**
 * Verb, public domain and path are unique (field notes, Writing): an endpoint takes a route only after its holder has left
 * it. Where holders wait for each other in a circle, one steps aside for a moment.
 */
export function routed(changes: readonly Change[], digest: (text: string) => string): readonly Change[] {
  const holders = routeHolders(changes)
  if (holders.size === 0) return changes
  const waits = new Map<Change, Set<Change>>()
  for (const change of changes) {
    const row = catalog[change.kind].route
    if (!row || (change.action !== 'create' && change.action !== 'update')) continue
    const live = change.action === 'update' ? change.live : undefined
    const held = new Set(routesOf(row, live, undefined))
    for (const route of routesOf(row, live, change.values)) {
      if (held.has(route)) continue
      for (const holder of holders.get(route) ?? []) {
        if (holder !== change) waits.set(change, (waits.get(change) ?? new Set()).add(holder))
      }
    }
  }
  const aside = breakCircles(waits)
  return changes.map((change) => {
    const holders = [...(waits.get(change) ?? [])]
    const dependsOn = holders.filter((holder) => !aside.has(holder)).map((each) => rootOf(each))
    const afterAside = holders.filter((holder) => aside.has(holder)).map((each) => each.address)
    const dependent = {
      ...change,
      ...(dependsOn.length > 0 && { dependsOn: [...change.dependsOn, ...dependsOn] }),
      ...(afterAside.length > 0 && { afterAside }),
    }
    return dependent.action === 'update' && aside.has(change) ? stepAside(dependent, digest) : dependent
  })
  function rootOf(change: Change): string {
    return change.action === 'delete' ? (change.within ?? change.address) : change.address
  }
}

/** The changes that leave a route, by route. */
function routeHolders(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const holders = new Map<string, Change[]>()
  for (const change of changes) {
    const row = catalog[change.kind].route
    if (!row || (change.action !== 'update' && change.action !== 'delete')) continue
    const kept = new Set(change.action === 'update' ? routesOf(row, change.live, change.values) : [])
    for (const route of routesOf(row, change.live, undefined)) if (!kept.has(route)) append(holders, route, change)
  }
  return holders
}

/** Every verb × domain × path of an endpoint, live values overlaid with those of a request. */
function routesOf(row: RouteRow, live: LiveObject | undefined, values: FieldValues | undefined): readonly string[] {
  const current = (name: string): Json => {
    const value = values?.[name]
    return value?.is === 'value' ? value.value : (live?.fields[name] ?? null)
  }
  const path = current(row.path)
  if (typeof path !== 'string') return []
  const verbs = texts(current(row.verbs))
  return texts(current(row.domains)).flatMap((domain) =>
    (verbs.length === 0 ? [''] : verbs).map((verb) => `${verb} ${domain.toLowerCase()} ${path}`),
  )
}

const texts = (value: Json): readonly string[] =>
  (Array.isArray(value) ? (value as readonly Json[]) : [value]).filter((each) => typeof each === 'string')

/** The changes that must step aside so that no circle of waiting is left. */
function breakCircles(waits: ReadonlyMap<Change, ReadonlySet<Change>>): ReadonlySet<Change> {
  const aside = new Set<Change>()
  const done = new Set<Change>()
  const visit = (change: Change, path: ReadonlySet<Change>): void => {
    if (done.has(change)) return
    const here = new Set(path).add(change)
    for (const holder of waits.get(change) ?? []) {
      if (aside.has(holder)) continue
      if (here.has(holder)) aside.add(holder)
      else visit(holder, here)
    }
    done.add(change)
  }
  const inOrder = [...waits.keys()].sort((left, right) => (left.address < right.address ? -1 : 1))
  for (const change of inOrder) visit(change, new Set())
  return aside
}

function stepAside(change: UpdateChange, digest: (text: string) => string): UpdateChange {
  const path = catalog[change.kind].route?.path
  if (path === undefined) return change
  const current = String(change.live.fields[path] ?? '')
  const unique = digest(change.address).replace('sha256:', '').slice(0, 8)
  return {
    ...change,
    aside: { [path]: { is: 'value', value: `${current}-moving-${unique}` } },
    reason: change.reason ?? 'its path is held by another endpoint that moves as well: it steps aside for a moment',
  }
}
