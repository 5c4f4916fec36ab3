import { catalog } from '../catalog/catalog.js'
import { routesIn } from '../catalog/route.js'
import type { KindName, RouteRow } from '../catalog/types.js'
import { append } from '../json/groups.js'
import type { JsonObject } from '../json/json.js'
import { by } from '../json/order.js'
import type { LiveObject, Snapshot } from '../live/live-object.js'
import type { Resource } from '../manifest/resource.js'
import { type Change, type FieldChange, type FieldValues, requestedAt, type UpdateChange } from './plan.js'

/**
 * Verb, public domain and path are unique (field notes, Writing), so an endpoint takes a route only after its holder has left it.
 * If holders wait for each other in a cycle, one of them moves to a temporary path.
 */
export function routed(changes: readonly Change[], digest: (text: string) => string): readonly Change[] {
  const holders = routeHolders(changes)
  if (holders.size === 0) return changes
  const waits = new Map<Change, readonly string[]>()
  for (const change of changes) {
    const awaited = newRoutes(change).filter((route) => holders.has(route))
    if (awaited.length > 0) waits.set(change, awaited)
  }
  const moving = breakCircles(waits, holders)
  const needs = new Map([...holders].map(([route, each]) => [route, needsOf(each, moving)]))
  return changes.map((change) => {
    const awaited = (waits.get(change) ?? []).flatMap((route) => needs.get(route) ?? [])
    const dependsOn = distinctAddresses(awaited.map((each) => each.dependsOn))
    const afterTemporary = distinctAddresses(awaited.map((each) => each.afterTemporary))
    const dependent = {
      ...change,
      ...(dependsOn.length > 0 && { dependsOn: [...change.dependsOn, ...dependsOn] }),
      ...(afterTemporary.length > 0 && { afterTemporary }),
    }
    return dependent.action === 'update' && moving.has(change) ? withTemporaryPath(dependent, digest) : dependent
  })
}

/** The dependencies of a change that takes a route. */
interface RouteNeeds {
  readonly dependsOn: readonly string[]
  readonly afterTemporary: readonly string[]
}

/**
 * The dependencies for one route. They are computed once per route, because thousands of changes may take a route that thousands
 * leave when one service is deleted.
 */
function needsOf(holders: readonly Change[], moving: ReadonlySet<Change>): RouteNeeds {
  return {
    dependsOn: distinctAddresses([holders.filter((holder) => !moving.has(holder)).map(requestedAt)]),
    afterTemporary: distinctAddresses([holders.filter((holder) => moving.has(holder)).map(({ address }) => address)]),
  }
}

const distinctAddresses = (lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())]

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

/** The routes of an endpoint: the live values overlaid with those of a request. */
export const routesOf = (
  row: RouteRow,
  live: LiveObject | undefined,
  values: FieldValues | undefined,
): readonly string[] =>
  routesIn(row, (name) => {
    const value = values?.[name]
    return value?.is === 'value' ? value.value : (live?.fields[name] ?? null)
  })

/** The routes that a change takes and that its object does not have yet. */
export function newRoutes(change: Change): readonly string[] {
  const row = catalog[change.kind].route
  if (!row || (change.action !== 'create' && change.action !== 'update')) return []
  const live = change.action === 'update' ? change.live : undefined
  const held = new Set(routesOf(row, live, undefined))
  return routesOf(row, live, change.values).filter((route) => !held.has(route))
}

/** The changes that must move to a temporary path to break the cycles. */
function breakCircles(
  waits: ReadonlyMap<Change, readonly string[]>,
  holders: ReadonlyMap<string, readonly Change[]>,
): ReadonlySet<Change> {
  const moving = new Set<Change>()
  const done = new Set<Change>()
  // Only a change that waits can be part of a cycle. If all holders of a route were visited, that route need not be examined
  // again.
  const waiting = new Map([...holders].map(([route, each]) => [route, each.filter((holder) => waits.has(holder))]))
  const path = new Set<Change>()
  const visit = (change: Change): void => {
    if (done.has(change)) return
    path.add(change)
    for (const route of waits.get(change) ?? []) {
      for (const holder of waiting.get(route) ?? []) {
        if (moving.has(holder)) continue
        if (path.has(holder)) moving.add(holder)
        else visit(holder)
      }
      waiting.delete(route)
    }
    path.delete(change)
    done.add(change)
  }
  const inOrder = [...waits.keys()].sort(by((each) => each.address))
  for (const change of inOrder) visit(change)
  return moving
}

function withTemporaryPath(change: UpdateChange, digest: (text: string) => string): UpdateChange {
  const name = catalog[change.kind].route?.path
  if (name === undefined) return change
  const path = change.live.fields[name] ?? ''
  const value = `${path}${ownSuffix(change.live, digest)}`
  return {
    ...change,
    // The update always writes a path, so that the object leaves the temporary path.
    values: { [name]: { is: 'value', value: path }, ...change.values },
    temporary: { is: 'route', values: { [name]: { is: 'value', value } } },
    reason: change.reason ?? 'another endpoint that also moves still has its path: it gets a temporary path first',
  }
}

/** The suffix of the temporary path of an object. It is unique, because it is derived from the object's id. */
const ownSuffix = ({ kind, id }: Identified, digest: (text: string) => string): string =>
  `-moving-${digest(`${kind} ${id}`).replace('sha256:', '').slice(0, 8)}`

interface Identified {
  readonly kind: KindName
  readonly id: string | undefined
}

/**
 * The object without its own temporary path. If an interrupted run has left one, that is no edit by a user, and counts as the
 * path from which it was made (A85).
 */
export function withoutTemporaryPath<Object extends Identified & { readonly fields: JsonObject }>(
  object: Object,
  digest: (text: string) => string,
): Object {
  const name = catalog[object.kind].route?.path
  const path = name === undefined ? undefined : object.fields[name]
  if (name === undefined || typeof path !== 'string' || !path.includes('-moving-')) return object
  const suffix = ownSuffix(object, digest)
  if (!path.endsWith(suffix)) return object
  return { ...object, fields: { ...object.fields, [name]: path.slice(0, -suffix.length) } }
}

/** The resource with the original path, if its object is at a temporary path and the resource does not write a path. */
export function withPathOf(resource: Resource, live: LiveObject, original: LiveObject): Resource {
  const name = catalog[live.kind].route?.path
  if (live === original || name === undefined || resource.fields[name] !== undefined) return resource
  return { ...resource, fields: { ...resource.fields, [name]: original.fields[name] ?? null } }
}

/** The path of an object that is at its own temporary path, otherwise undefined. */
export function temporaryPathOf(object: LiveObject, digest: (text: string) => string): string | undefined {
  const name = catalog[object.kind].route?.path
  if (name === undefined || withoutTemporaryPath(object, digest) === object) return undefined
  return String(object.fields[name])
}

/** A snapshot without the temporary paths of interrupted runs. Manifests are written from it. */
export function withoutTemporaryPaths(snapshot: Snapshot, digest: (text: string) => string): Snapshot {
  const isConcerned = (object: LiveObject): boolean =>
    temporaryPathOf(object, digest) !== undefined || object.children.some(isConcerned)
  const original = (object: LiveObject, parent: LiveObject | undefined): LiveObject => {
    const children: LiveObject[] = []
    const copy = { ...withoutTemporaryPath(object, digest), parent, children }
    children.push(...object.children.map((child) => original(child, copy)))
    return copy
  }
  const objects = snapshot.objects.map((object) => (isConcerned(object) ? original(object, undefined) : object))
  return { ...snapshot, objects }
}

/**
 * Changes the verdict of a path from pending to drift if an interrupted run has left the object at its temporary path, and the
 * desired path is the original one.
 */
export function withPathLeftBehind(
  fields: readonly FieldChange[],
  live: LiveObject,
  original: LiveObject,
): readonly FieldChange[] {
  const name = catalog[live.kind].route?.path
  if (live === original || name === undefined) return fields
  return fields.map((field) =>
    field.path === `/${name}` && field.verdict === 'pending' && field.after === original.fields[name]
      ? { ...field, verdict: 'drift' }
      : field,
  )
}
