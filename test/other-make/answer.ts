import type { Json, JsonObject } from '../../src/json/json.js'
import { isObject } from '../../src/json/json.js'
import { asList, documentDate, isEmpty, type Store, type Stored, type StoreOptions } from './store.js'
import { tableOf } from './tables.js'

/** The requested members of an answer by name, each with its own members; undefined: the default set. */
type Desired = ReadonlyMap<string, Desired> | undefined

/** The paths of all `fields` parameters as a tree; undefined if there is none. */
export function desiredIn(query: URLSearchParams): Desired {
  const paths = query.getAll('fields').flatMap((text) => text.split(','))
  return paths.length === 0 ? undefined : treeOf(paths.map((path) => path.split('.')))
}

function treeOf(paths: readonly (readonly string[])[]): ReadonlyMap<string, Desired> {
  const names = new Set(paths.map(([name = '']) => name))
  return new Map(
    [...names].map((name) => {
      const inner = paths.filter((path) => path[0] === name).map((path) => path.slice(1))
      return [name, inner.some((path) => path.length === 0) ? undefined : treeOf(inner)]
    }),
  )
}

/** An object as an answer: without empty values, and only with the requested members. */
export function answered(store: Store, stored: Stored, desired: Desired): JsonObject {
  const all: Record<string, Json> = {}
  const table = tableOf(stored.table)
  const linked = stored.table === 'planServices' ? store.find('services', stored.id) : undefined
  const names = desired
    ? [...desired.keys()]
    : [
        'created',
        ...table.plain,
        'id',
        'updated',
        ...Object.keys(table.reference),
        ...(linked ? ['name'] : []),
        ...(stored.table === 'scheduledMaintenanceEvents' ? ['endpoints'] : []),
      ]
  for (const name of names) {
    const value = memberOf(store, stored, linked, name, desired?.get(name))
    if (value !== undefined && !isEmpty(value)) all[name] = value
  }
  return all
}

function memberOf(
  store: Store,
  stored: Stored,
  linked: Stored | undefined,
  name: string,
  inner: Desired,
): Json | undefined {
  const table = tableOf(stored.table)
  const isSingle = stored.table === 'cache' || stored.table === 'systemDomainAuthentication'
  if (name === 'id' && linked) return store.inReferences(stored.id)
  if (name === 'id') return isSingle ? undefined : stored.id
  if (name === 'created' || name === 'updated')
    return isSingle || stored.table.startsWith('error') ? undefined : stored[name]
  // Newest first, because the order of lists has no meaning.
  if (name === 'responseFilters' && store.options.filters !== 'nested') return undefined
  if (table.lists[name] !== undefined)
    return [...(stored.lists[name] ?? [])].reverse().map((each) => answered(store, each, inner))
  const single = stored.singles[name]
  if (single) return answered(store, single, inner)
  const many = table.references[name]
  if (many !== undefined) return asList(stored.values[name]).map((each) => referred(store, many, each, inner))
  const one = table.reference[name]
  if (one !== undefined) return asList(stored.values[name]).map((each) => referred(store, one, each, inner))[0]
  if (linked && (name === 'name' || name === 'version')) return linked.values[name]
  if (name === 'scheduledMaintenanceEvent' && stored.table === 'endpoints') return eventOf(store, stored)
  if (name === 'roles' && stored.table === 'services' && store.options.roles === 'nested') return store.rolesOf(stored)
  if (!table.plain.includes(name) && !table.onRequest.includes(name)) return undefined
  const value = spelt(name, stored.values[name])
  if (value === undefined) return undefined
  if (typeof value === 'string' && secretNames.has(name)) return hidden(value, store.options.secrets)
  if (/DateTime$/.test(name)) return datetimeAs(String(value), store.options.datetimes)
  return scalarsAs(value, store.options)
}

function datetimeAs(text: string, form: StoreOptions['datetimes']): string {
  const inUtc = new Date(text.replace('+0200', '+02:00')).toISOString().slice(0, 19)
  switch (form) {
    case 'to the millisecond':
      return text
    case 'to the minute':
      return text.replace(/:\d\d\.\d{3}/, '')
    case '2027-01-01 02:00:00 +02':
      return text.replace('T', ' ').replace('.000+0200', ' +02')
    case '2027-01-01t00:00:00z':
      return `${inUtc.toLowerCase()}z`
    case '2027-01-01T00:00:00':
      return inUtc
  }
}

const secretNames: ReadonlySet<string> = new Set(
  'password certificate secret systemDomainCredentialKey systemDomainCredentialSecret'.split(' '),
)

function hidden(value: string, secrets: StoreOptions['secrets']): string {
  switch (secrets) {
    case 'in clear':
      return value
    case 'hidden':
      return '****'
    case 'hidden by length':
      return '*'.repeat(value.length)
    case 'but for the end':
      return `${'*'.repeat(8)}${value.slice(-4)}`
  }
}

function referred(store: Store, table: string, value: Json, inner: Desired): Json {
  if (!isObject(value)) return value
  const target = store.find(table, String(value.id))
  if (!target) return { id: value.id ?? '' }
  const own: JsonObject = {
    ...answered(store, target, inner),
    ...((!inner || inner.has('id')) && { id: store.inReferences(target.id) }),
    ...useIn(store, value, inner),
  }
  if (table !== 'endpoints' || !inner?.has('methods')) return own
  const { methods: _all, ...rest } = own
  const included = asList(value.methods).map((each) => referred(store, 'methods', each, inner.get('methods')))
  return included.length === 0 ? rest : { ...rest, methods: included }
}

/** The filter of a plan's method. */
function useIn(store: Store, value: JsonObject, inner: Desired): JsonObject {
  const { responseFilter: use } = value
  if (store.options.filters !== 'nested' || !inner?.has('responseFilter') || !isObject(use)) return {}
  const filter = store.find('responseFilters', String(use.id))
  return filter ? { responseFilter: answered(store, filter, inner.get('responseFilter')) } : {}
}

function eventOf(store: Store, endpoint: Stored): Json | undefined {
  const event = store
    .all('scheduledMaintenanceEvents')
    .find((each) => asList(each.values.endpoints).some((one) => isObject(one) && one.id === endpoint.id))
  return event && { id: store.inReferences(event.id), name: event.values.name ?? '' }
}

/** Flags and numbers in the form of this make, at any depth. */
function scalarsAs(value: Json, options: StoreOptions): Json {
  const { booleans, numbers } = options
  if (typeof value === 'boolean' && booleans !== 'words') {
    if (booleans === 'texts') return String(value)
    return value ? 1 : 0
  }
  if (typeof value === 'number' && numbers === 'texts') return String(value)
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => scalarsAs(each, options))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, scalarsAs(each, options)]))
}

/** "Single-valued array fields are rendered as a bare string", and flags "stored as 0 or 1" are answered in that form. */
function spelt(name: string, value: Json | undefined): Json | undefined {
  if (name === 'inboundSslRequired' && typeof value === 'boolean') return value ? 1 : 0
  if (/DateTime$/.test(name) && typeof value === 'string')
    return documentDate(Date.parse(value.replace(/(\d\d)(\d\d)$/, '$1:$2')))
  if (!Array.isArray(value)) return value
  const list = [...(value as readonly Json[])].reverse()
  return list.length === 1 && typeof list[0] === 'string' ? list[0] : list
}
