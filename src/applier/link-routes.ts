import { catalog } from '../catalog/catalog.js'
import { elementOf, referredKind } from '../catalog/queries.js'
import type { Json, Kind, KindName, Operation } from '../catalog/types.js'
import { isObject } from '../catalog/value.js'
import type { Client } from '../client/types.js'
import type { Change, ReferenceEntry, UpdateChange } from '../planner/plan.js'

/**
 * Links that an update carries nested and that a platform dropped are written one by one, through the routes of their own
 * that platforms are known to have (design §5; field notes, Writing).
 */

/** Whether a change is about links that have routes of their own. */
export function hasLinkRoutes(change: Change): boolean {
  return (
    change.action === 'update' && Object.keys(change.values).some((name) => routesFor(change.kind, name) !== undefined)
  )
}

/** Adds the links that are missing and removes those that are too many. What is refused stays in the next plan. */
export async function writeLinks(change: UpdateChange, client: Client): Promise<void> {
  const ids = liveIds(change)
  for (const [name, value] of Object.entries(change.values)) {
    const routes = routesFor(change.kind, name)
    if (!routes || value.is !== 'references') continue
    await alter({ routes, client, ids }, value.entries, change.live.fields[name])
  }
}

interface Routes {
  readonly kind: Kind
  readonly create: Operation
  readonly remove: Operation
  readonly nested: (field: string) => Routes | undefined
}

interface Writing {
  readonly routes: Routes
  readonly client: Client
  readonly ids: Readonly<Record<string, string>>
}

function routesFor(owner: KindName, name: string): Routes | undefined {
  const field = catalog[owner].fields[name]
  const referred = field && referredKind(field)
  return referred && routesOf(owner, referred)
}

function routesOf(owner: KindName, kind: KindName): Routes | undefined {
  const { [`create${kind}`]: create, [`delete${kind}`]: remove, update } = catalog[owner].operations
  if (!create || !remove || !update || !create.path.startsWith(update.path)) return undefined
  const nested = (field: string): Routes | undefined => {
    const child = catalog[kind].fields[field]
    const element = child && elementOf(child.type)
    return element?.is === 'child' ? routesOf(owner, element.kind) : undefined
  }
  return { kind: catalog[kind], create, remove, nested }
}

async function alter(writing: Writing, wanted: readonly ReferenceEntry[], answered: Json | undefined): Promise<void> {
  const { routes, client, ids } = writing
  const live = new Map(listOf(answered).flatMap((each) => (isObject(each) ? [[String(each.id), each] as const] : [])))
  for (const entry of wanted) {
    if (entry.target.is !== 'live') continue
    const present = live.get(entry.target.id)
    if (!present) await client.write(routes.create, ids, { id: entry.target.id })
    live.delete(entry.target.id)
    const inner = entry.nested && routes.nested(entry.nested.field)
    if (!entry.nested || !inner) continue
    const below = { ...ids, [routes.kind.idParameter]: entry.target.id }
    await alter({ routes: inner, client, ids: below }, entry.nested.entries, present?.[entry.nested.field])
  }
  for (const id of live.keys()) await client.write(routes.remove, { ...ids, [routes.kind.idParameter]: id }, undefined)
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])

/** The closing reading has seen everything by now: every id is known. */
function liveIds(change: UpdateChange): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(change.path).flatMap(([parameter, target]) =>
      target.is === 'live' ? [[parameter, target.id]] : [],
    ),
  )
}
