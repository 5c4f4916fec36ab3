import { catalog } from '../../../src/catalog/catalog.js'
import { childFields, ownFields } from '../../../src/catalog/queries.js'
import type { Kind, KindName } from '../../../src/catalog/types.js'
import type { Json, JsonObject } from '../../../src/json/json.js'
import { isObject } from '../../../src/json/json.js'
import { type Rest, restOf } from '../../kit/rest.js'
import type { Make } from '../../kit/world.js'

/** An object as the platform answers it alone, list by list: the program reads in other ways. */
export interface LiveObject {
  readonly kind: Kind
  readonly id: string
  readonly name: string
  readonly value: JsonObject
  readonly parent: LiveObject | undefined
  readonly children: readonly LiveObject[]
}

/** All objects of a make. */
export async function liveArea(make: Make): Promise<readonly LiveObject[]> {
  const rest = await restOf(make)
  const found: LiveObject[] = []
  for (const [name, path] of collections) found.push(...(await listed(rest, catalog[name], path, undefined)))
  return found
}

const collections: readonly (readonly [KindName, string])[] = [
  ['Domain', '/domains'],
  ['Role', '/roles'],
  ['Service', '/services'],
  ['Package', '/packages'],
  ['ScheduledMaintenanceEvent', '/scheduledMaintenanceEvents'],
  ['Member', '/members'],
]

/** The fields with which references and their children are requested. */
const parts: Readonly<Record<string, readonly string[]>> = {
  'PlanService.endpoints': ['endpoints.id', 'endpoints.methods.id'],
  'ScheduledMaintenanceEvent.endpoints': ['endpoints.id'],
  'Endpoint.scheduledMaintenanceEvent': ['scheduledMaintenanceEvent.id'],
  'Endpoint.errorSet': ['errorSet.id'],
  'Member.roles': ['roles.id'],
  'PackageKey.package': ['package.id'],
  'PackageKey.plan': ['plan.id'],
  'Service.roles': [],
  'Member.packageKeys': [],
  'PlanService.errorSets': [],
}

const fieldsOf = (kind: Kind): string =>
  ['id', ...ownFields(kind).flatMap((field) => parts[`${kind.name}.${field.name}`] ?? [field.name])].join(',')

/** Reads until a page has nothing more, whatever its length is. */
async function listed(
  rest: Rest,
  kind: Kind,
  path: string,
  parent: LiveObject | undefined,
): Promise<readonly LiveObject[]> {
  const values = new Map<string, JsonObject>()
  for (let offset = 0; ; offset = kind.pageOffset ? offset + 1 : values.size) {
    const before = values.size
    for (const value of await rest.get(`${path}?limit=100&offset=${offset}&fields=${fieldsOf(kind)}`))
      values.set(String(value.id), value)
    if (values.size === before) break
  }
  const objects: LiveObject[] = []
  for (const value of values.values())
    objects.push(await completed(rest, kind, value, `${path}/${String(value.id)}`, parent))
  return objects
}

async function completed(
  rest: Rest,
  kind: Kind,
  value: JsonObject,
  path: string,
  parent: LiveObject | undefined,
): Promise<LiveObject> {
  const children: LiveObject[] = []
  const roles = kind.name === 'Service' ? { roles: await rest.get(`${path}/roles`) } : {}
  const object: LiveObject = {
    kind,
    id: String(value.id),
    name: String(value[kind.naming ?? ''] ?? ''),
    value: { ...value, ...roles },
    parent,
    children,
  }
  for (const child of childFields(kind)) {
    if (child.kind.name === 'ServiceRole' || child.kind.origin === 'notes') continue
    if (child.single) children.push(...(await single(rest, child.kind, `${path}/${child.field}`, object)))
    else children.push(...(await listed(rest, child.kind, pathOf(child.kind, path, child.field), object)))
  }
  return object
}

/** Keys are read where the document lists them. */
const pathOf = (kind: Kind, path: string, field: string): string =>
  kind.name === 'PackageKey' ? `/applications/${path.split('/').at(-1) ?? ''}/${field}` : `${path}/${field}`

/** 404 means none. */
async function single(rest: Rest, kind: Kind, path: string, parent: LiveObject): Promise<readonly LiveObject[]> {
  const [value] = await rest.get(`${path}?fields=${fieldsOf(kind)}`).catch(() => [])
  if (!value) return []
  return [{ kind, id: '', name: '', value, parent, children: [] }]
}

/** Whether an object is empty: recorded platforms answer such a cache if there is none. */
export const isBlank = ({ value }: LiveObject): boolean => Object.values(value).every(isNothing)

const isNothing = (value: Json): boolean =>
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0)

/** Objects with all their descendants. */
export const allLive = (objects: readonly LiveObject[]): readonly LiveObject[] =>
  objects.flatMap((object) => [object, ...allLive(object.children)])
