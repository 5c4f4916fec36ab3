import { catalog } from '../catalog/catalog.js'
import { elementOf, perKind } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import type { Json } from '../json/json.js'
import { isList, isObject } from '../json/json.js'
import type { Entity } from './entity.js'
import { entityText } from './entity.js'

/** Index keys, with which the store finds objects without a search through all of them. */

/** The key of all objects that refer to the object with that id. */
export const refersKey = (id: string): string => `refers:${id}`

export const domainKey = (host: string): string => `domain:${host.toLowerCase()}`

export const usernameKey = (username: string): string => `username:${username}`

export const apikeyKey = (packageId: string, apikey: string): string => `apikey:${packageId}:${apikey}`

/** One route of an endpoint: verb, public host and path must be unique in the area. */
interface RouteClaim {
  readonly method: string
  readonly host: string
  readonly path: string
}

export const routeKey = ({ method, host, path }: RouteClaim): string => `route:${method}|${host.toLowerCase()}|${path}`

/** The routes that an endpoint uses. An endpoint without verbs uses only the empty verb. */
export function routeClaims(endpoint: Entity): readonly RouteClaim[] {
  const path = entityText(endpoint, 'requestPathAlias')
  if (path === undefined) return []
  const methods = listedTexts(endpoint.fields.supportedHttpMethods)
  return listedTexts(endpoint.fields.publicDomains).flatMap((host) =>
    (methods.length > 0 ? methods : ['']).map((method) => ({ method, host, path })),
  )
}

/** All index keys of an object. */
export function indexKeys(entity: Entity): readonly string[] {
  const kind = catalog[entity.kind]
  const referred = referenceFields(kind).flatMap((field) => idsIn(entity.fields[field]))
  const linked = kind.association === undefined ? [] : [entity.id]
  return [...[...referred, ...linked].map(refersKey), ...(ownKeys[entity.kind]?.(entity) ?? [])]
}

/** Each kind has its own rules of uniqueness. The catalogue's identities do not give them: names are not unique. */
const ownKeys: Readonly<Partial<Record<KindName, (entity: Entity) => readonly string[]>>> = {
  Domain: (entity) => [domainKey(entityText(entity, 'domain') ?? '')],
  Member: (entity) => [usernameKey(entityText(entity, 'username') ?? '')],
  PackageKey: (entity) => idsIn(entity.fields.package).map((id) => apikeyKey(id, entityText(entity, 'apikey') ?? '')),
  Endpoint: (entity) => routeClaims(entity).map(routeKey),
}

const referenceFields = perKind((kind) =>
  Object.values(kind.fields)
    .filter((field) => elementOf(field.type).is === 'reference')
    .map((field) => field.name),
)

/** The ids in a reference or a list of references, including those of nested references. */
export function idsIn(value: Json | undefined): readonly string[] {
  if (isList(value)) return value.flatMap(idsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'id' && typeof inner === 'string' ? [inner] : idsIn(inner),
  )
}

/** The texts of a list. */
export function listedTexts(value: Json | undefined): readonly string[] {
  if (!isList(value)) return []
  return value.filter((each) => typeof each === 'string')
}
