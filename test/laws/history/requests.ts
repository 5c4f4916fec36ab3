import { catalog } from '../../../src/catalog/catalog.js'
import { elementOf } from '../../../src/catalog/queries.js'
import type { Field, Kind, KindName } from '../../../src/catalog/types.js'
import type { Json, JsonObject } from '../../../src/json/json.js'
import { isObject } from '../../../src/json/json.js'
import type { Make } from '../../kit/world.js'

/** A write as it was sent. */
export interface SentWrite {
  readonly method: string
  readonly path: string
  readonly body: JsonObject
  /** 0 if there was no answer. */
  readonly status: number
  /** The body of a refusal. */
  readonly refusal: string
}

/** A make that keeps its writes; requests that tests send to the make itself are not included. */
export function recording(make: Make): { readonly make: Make; readonly writes: readonly SentWrite[] } {
  const writes: SentWrite[] = []
  const fetch = async (request: Request): Promise<Response> => {
    const path = new URL(request.url).pathname
    if (request.method === 'GET' || path.endsWith('/token')) return make.fetch(request)
    const text = await request.clone().text()
    const body = text === '' ? {} : (JSON.parse(text) as JsonObject)
    const sent = { method: request.method, path: decodeURI(path.replace('/v3/rest', '')), body }
    try {
      const response = await make.fetch(request)
      const refusal = response.status >= 400 ? await response.clone().text() : ''
      writes.push({ ...sent, status: response.status, refusal })
      return response
    } catch (error) {
      writes.push({ ...sent, status: 0, refusal: String(error) })
      throw error
    }
  }
  return { make: { log: make.log, fetch }, writes }
}

/** Checks bodies with the C and U rules of the document's tables: nothing ignored is sent, nothing required is missing. */
export function brokenRules(writes: readonly SentWrite[]): readonly string[] {
  return writes.flatMap(({ method, path, body }) => {
    const kind = method === 'DELETE' ? undefined : kindAt(path)
    if (!kind) return []
    return ruleFindings(kind, body, method === 'POST' ? 'create' : 'update').map((each) => `${method} ${path}: ${each}`)
  })
}

const segments: Readonly<Record<string, KindName>> = {
  services: 'Service',
  endpoints: 'Endpoint',
  methods: 'Method',
  cache: 'Cache',
  systemDomainAuthentication: 'SystemDomainAuthentication',
  errorSets: 'ErrorSet',
  errorMessages: 'ErrorMessage',
  scheduledMaintenanceEvents: 'ScheduledMaintenanceEvent',
  domains: 'Domain',
  packages: 'Package',
  plans: 'Plan',
  roles: 'Role',
  members: 'Member',
  applications: 'Application',
  packageKeys: 'PackageKey',
}

/** The kind of the object in a request; undefined for links, whose bodies are references. */
function kindAt(path: string): Kind | undefined {
  const words = path.split('/').slice(1)
  const isPlanService = words[0] === 'packages' && words.includes('services')
  const isEvent = words[0] === 'scheduledMaintenanceEvents' && words.length > 2
  const named = words.filter((word) => segments[word] !== undefined).at(-1) ?? ''
  if (isPlanService) return named === 'services' ? catalog.PlanService : undefined
  const kind = segments[named]
  return kind && !isEvent ? catalog[kind] : undefined
}

function ruleFindings(kind: Kind, body: JsonObject, occasion: 'create' | 'update'): readonly string[] {
  const missing = Object.values(kind.fields).filter(
    (field) => field[occasion] === 'Req' && !isExcused(kind, field) && isEmpty(body[field.name]),
  )
  return [
    ...missing.map((field) => `${kind.name}.${field.name} is required, and missing`),
    ...Object.entries(body).flatMap(([name, value]) => fieldFindings(kind, name, value, occasion)),
  ]
}

/** A link has the id of its target: the rules of that kind do not apply to it. */
const isExcused = (kind: Kind, field: Field): boolean => kind.association !== undefined && field.name === kind.naming

const isEmpty = (value: Json | undefined): boolean => value === undefined || value === null || value === ''

function fieldFindings(kind: Kind, name: string, value: Json, occasion: 'create' | 'update'): readonly string[] {
  const field = kind.fields[name]
  if (!field) return [`${kind.name} has no field ${name}`]
  // The id of a link is that of its target.
  if (kind.association !== undefined && name === 'id') return []
  if (field[occasion] === 'Ign') return [`${kind.name}.${name} is ignored, and was sent`]
  if (field[occasion] === 'Ctx' && occasion === 'create') return [`${kind.name}.${name} was sent with a create`]
  const element = elementOf(field.type)
  const entries: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value]
  if (element.is === 'reference')
    return entries.filter((each) => isObject(each) && isEmpty(each.id)).map(() => `${kind.name}.${name}: no id`)
  if (element.is !== 'child') return []
  const inner = catalog[element.kind]
  // Nested objects are new, except the messages of a set, which exist as soon as the set does.
  const nested = inner.fixedSet ? occasion : 'create'
  return entries.filter(isObject).flatMap((each) => ruleFindings(inner, each, nested))
}
