import type { Json, JsonObject } from '../../src/json/json.js'
import { isObject } from '../../src/json/json.js'
import { environment, type LoggedRequest, type Make } from '../kit/world.js'
import { answered, desiredIn } from './answer.js'
import { asList, Refused, refuse, Store, type Stored, type StoreOptions, usualOptions } from './store.js'
import { paged, roots, tableOf } from './tables.js'

/**
 * Another make of the interface, written only from the document. Where the document leaves a choice, it chooses differently,
 * partly by its options. It answers numeric ids, usually arrays with one object, no empty values, no totals, complaints as a bare
 * array, and lists with the newest object first. `fields` has an effect only in reads. It sets no defaults, and has no field and
 * no route that the document lacks.
 */
export interface OtherMake extends Make {
  /** Approves all domains, as the support staff does outside the interface. */
  readonly approveDomains: () => void
  readonly store: Store
}

export function createOtherMake(options: Partial<StoreOptions> = {}): OtherMake {
  const store = new Store({ ...usualOptions, ...options })
  const log: LoggedRequest[] = []
  return {
    store,
    log,
    approveDomains: () => {
      for (const domain of store.all('domains')) domain.values.status = 'active'
    },
    fetch: async (request) => {
      const { pathname, searchParams, search } = new URL(request.url)
      const response =
        pathname === '/v3/token'
          ? await token(request, store.options.vocabulary)
          : await rest(store, request, pathname, searchParams)
      log.push({ method: request.method, path: pathname, query: search, status: response.status })
      return response
    },
  }
}

const accessToken = 'other-token'

async function token(request: Request, vocabulary: 'document' | 'mashery'): Promise<Response> {
  const { GATEWRIGHT_API_KEY: key, GATEWRIGHT_API_SECRET: secret, GATEWRIGHT_AREA: scope } = environment
  const form = new URLSearchParams(await request.text())
  const isKnown = request.headers.get('authorization') === `Basic ${btoa(`${key}:${secret}`)}`
  if (!isKnown || form.get('scope') !== scope) return json(400, [{ property: 'credentials', message: 'unknown' }])
  const keyName = vocabulary === 'mashery' ? 'mapi' : 'svcapi'
  const answer = { token_type: 'bearer', [keyName]: key, access_token: accessToken, expires_in: 3600 }
  return json(200, { ...answer, refresh_token: 'other-refresh', scope })
}

async function rest(store: Store, request: Request, path: string, query: URLSearchParams): Promise<Response> {
  if (request.headers.get('authorization') !== `Bearer ${accessToken}`)
    return json(401, [{ property: '', message: 'no' }])
  const segments = path.replace('/v3/rest/', '').split('/').map(decodeURIComponent)
  try {
    const text = await request.text()
    const strange = strangeWord(text, store.options.vocabulary)
    if (strange !== undefined) refuse('', `${strange} is not one of the allowed options`)
    const body = text === '' ? {} : (JSON.parse(text) as JsonObject)
    const place = placeOf(store, segments)
    const answer = answerTo(store, request.method, place, body, query)
    const isList = request.method === 'GET' && isCollection(place)
    return json(200, isList || store.options.singles === 'in a list' ? answer : (answer[0] ?? null))
  } catch (error) {
    if (error instanceof Refused) return json(error.status, error.complaints)
    throw error
  }
}

/** A word in a body that only the other vocabulary has. */
const strangeWord = (text: string, vocabulary: 'document' | 'mashery'): string | undefined =>
  (vocabulary === 'mashery'
    ? /"(svc-(?:host|message-id|service-id|responder)|svcTokenApiEnabled)"/
    : /"(mashery-(?:host|message-id|service-id|responder)|masheryTokenApiEnabled)"/
  ).exec(text)?.[1]

const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

/** The object or list that a path names. */
type Place =
  | { readonly is: 'list'; readonly table: string; readonly objects: Stored[]; readonly owner: Stored | undefined }
  | {
      readonly is: 'object'
      readonly object: Stored
      readonly among: Stored[] | undefined
      readonly owner: Stored | undefined
    }
  | { readonly is: 'single'; readonly owner: Stored; readonly field: string }
  | { readonly is: 'roles'; readonly service: Stored }
  | { readonly is: 'event'; readonly endpoint: Stored }
  | { readonly is: 'use'; readonly link: Stored; readonly endpoint: string; readonly method: string }
  | { readonly is: 'included'; readonly event: Stored; readonly id: string | undefined }

const isCollection = (place: Place): boolean =>
  place.is === 'list' || place.is === 'roles' || (place.is === 'included' && place.id === undefined)

const missing = (): never => {
  throw new Refused(404, [{ property: 'path', message: 'there is nothing here' }])
}

function placeOf(store: Store, [root = '', ...rest]: readonly string[]): Place {
  if (root === 'emailTemplateSets') return emailPlace(rest)
  const objects = roots.includes(root) ? (store.roots[root] ?? []) : [...store.all(root)]
  if (!roots.includes(root) && root !== 'applications' && root !== 'packageKeys') return missing()
  return inList({ is: 'list', table: root, objects, owner: undefined }, rest, store)
}

/** There are email template sets, but they are empty. */
function emailPlace([, list, id]: readonly string[]): Place {
  return list === 'emailTemplates' && id === undefined
    ? { is: 'list', table: 'emailTemplates', objects: [], owner: undefined }
    : missing()
}

function inList(list: Extract<Place, { is: 'list' }>, [id, ...rest]: readonly string[], store: Store): Place {
  if (id === undefined) return list
  const object = list.objects.find((each) => each.id === id)
  if (!object) return missing()
  const [word, ...more] = rest
  if (word === undefined) return { is: 'object', object, among: homeOf(store, object, list), owner: list.owner }
  const table = tableOf(object.table)
  const hasFilters = store.options.filters !== 'none'
  if (word === 'responseFilters' && !hasFilters) return missing()
  const [endpoint = '', methods, method = '', use] = more
  if (object.table === 'planServices' && hasFilters && methods === 'methods' && use === 'responseFilter')
    return { is: 'use', link: object, endpoint, method }
  const inner = table.lists[word]
  if (inner !== undefined) {
    object.lists[word] ??= []
    return inList({ is: 'list', table: inner, objects: object.lists[word], owner: object }, more, store)
  }
  if (table.singles[word] !== undefined) return { is: 'single', owner: object, field: word }
  if (object.table === 'services' && word === 'roles') return { is: 'roles', service: object }
  if (object.table === 'endpoints' && word === 'scheduledMaintenanceEvent') return { is: 'event', endpoint: object }
  if (table.references[word] !== undefined && !more[1]) return { is: 'included', event: object, id: more[0] }
  return missing()
}

/** The list that owns an object. The collections of all applications and all keys only show them. */
function homeOf(store: Store, object: Stored, list: Extract<Place, { is: 'list' }>): Stored[] | undefined {
  if (list.owner || roots.includes(list.table)) return list.objects
  const owners = list.table === 'applications' ? store.all('members') : store.all('applications')
  return owners.map((owner) => owner.lists[list.table] ?? []).find((each) => each.includes(object))
}

const nothing = ['']

function answerTo(
  store: Store,
  method: string,
  place: Place,
  body: JsonObject,
  query: URLSearchParams,
): readonly Json[] {
  switch (place.is) {
    case 'list':
      return answerOfList(store, method, place, body, query)
    case 'object':
      return answerOfObject(store, method, place, body, query)
    case 'single':
      return answerOfSingle(store, method, place, body)
    case 'roles':
      return method === 'GET' ? store.rolesOf(place.service) : notOffered()
    case 'event':
      return answerOfEvent(store, method, place.endpoint, body)
    case 'use':
      return answerOfUse(store, method, place, body, query)
    case 'included':
      return answerOfIncluded(store, method, place, body, query)
  }
}

const notOffered = (): never => {
  throw new Refused(405, [{ property: 'method', message: 'not offered' }])
}

function answerOfList(
  store: Store,
  method: string,
  { table, objects, owner }: Extract<Place, { is: 'list' }>,
  body: JsonObject,
  query: URLSearchParams,
): readonly Json[] {
  if (method === 'GET') return page(store, table, objects, owner, query)
  const isOnlyListed = owner === undefined && !roots.includes(table)
  if (method !== 'POST' || isOnlyListed || table === 'errorMessages') return notOffered()
  if (table === 'planServices' && !store.find('services', String(body.id)))
    return refuse('id', 'there is no such service')
  if (table === 'planServices' && objects.some((each) => each.id === body.id))
    return refuse('id', 'this service already exists in the plan')
  const object = store.create(table, body, owner)
  objects.push(object)
  return [answered(store, object, undefined)]
}

function page(
  store: Store,
  table: string,
  objects: readonly Stored[],
  owner: Stored | undefined,
  query: URLSearchParams,
): readonly Json[] {
  const exact = table === 'applications' || (table === 'packageKeys' && owner !== undefined)
  const pairs = query.getAll('filter').flatMap((text) => text.split(/,(?=\w+:)/))
  const passing = objects.filter((object) =>
    pairs.every((pair) => {
      const [name = '', ...rest] = pair.split(':')
      const text = String(answered(store, object, new Map([[name, undefined]]))[name] ?? '')
      return exact ? text === rest.join(':') : text.includes(rest.join(':'))
    }),
  )
  const limit = Math.min(Number(query.get('limit') ?? 100), store.options.pageLimit)
  const offset = Number(query.get('offset') ?? 0) * (paged.has(table) ? limit : 1)
  // Newest first: the order of objects without the sort field is undefined.
  return [...passing]
    .reverse()
    .slice(offset, offset + limit)
    .map((object) => answered(store, object, desiredIn(query)))
}

function answerOfObject(
  store: Store,
  method: string,
  { object, among, owner }: Extract<Place, { is: 'object' }>,
  body: JsonObject,
  query: URLSearchParams,
): readonly Json[] {
  if (method === 'GET') return [answered(store, object, desiredIn(query))]
  if (method === 'PUT') {
    store.write(object, body, 'update')
    return [answered(store, object, undefined)]
  }
  if (method !== 'DELETE' || !among || object.table === 'errorMessages') return notOffered()
  if (object.table === 'errorSets' && owner?.lists.errorSets?.length === 1) refuse('errorSets', 'one must stay')
  if (store.all('planServices').some((each) => each.id === object.id)) {
    if (object.table === 'services') refuse('id', 'a plan uses it')
  }
  store.remove(among, object)
  return nothing
}

function answerOfSingle(
  store: Store,
  method: string,
  { owner, field }: Extract<Place, { is: 'single' }>,
  body: JsonObject,
): readonly Json[] {
  const object = owner.singles[field]
  if (method === 'POST') {
    const made = store.writeSingle(owner, field, body)
    return made ? [answered(store, made, undefined)] : missing()
  }
  if (!object) return missing()
  if (method === 'DELETE') {
    delete owner.singles[field]
    return nothing
  }
  if (method === 'PUT') store.write(object, body, 'update')
  return [answered(store, object, undefined)]
}

function answerOfEvent(store: Store, method: string, endpoint: Stored, body: JsonObject): readonly Json[] {
  const [current] = store
    .all('scheduledMaintenanceEvents')
    .filter((each) => asList(each.values.endpoints).some((one) => isObject(one) && one.id === endpoint.id))
  if (method === 'GET') return current ? [answered(store, current, undefined)] : missing()
  if (current) include(current, (list) => list.filter((each) => !isObject(each) || each.id !== endpoint.id))
  if (method === 'DELETE') return current ? nothing : missing()
  const event = store.all('scheduledMaintenanceEvents').find((each) => each.id === body.id)
  if (!event) return refuse('id', 'there is no such event')
  include(event, (list) => [...list, { id: endpoint.id }])
  return [answered(store, event, undefined)]
}

/** The filter of a plan's method. There is at most one. */
function answerOfUse(
  store: Store,
  verb: string,
  { link, endpoint, method }: Extract<Place, { is: 'use' }>,
  body: JsonObject,
  query: URLSearchParams,
): readonly Json[] {
  const picked = asList(link.values.endpoints).filter(isObject)
  const within = picked.find((each) => each.id === endpoint)
  const entry = asList(within?.methods)
    .filter(isObject)
    .find((each) => each.id === method)
  if (!entry) return missing()
  const put = (next: JsonObject): void => {
    const methods = asList(within?.methods).map((each) => (each === entry ? next : each))
    link.values.endpoints = picked.map((each) => (each === within ? { ...each, methods } : each))
  }
  const { responseFilter: used, ...rest } = entry
  if (verb === 'POST') {
    const filter = store.find('responseFilters', String(body.id ?? ''))
    if (!filter || used !== undefined) return refuse('id', 'there is one already, or no such filter')
    put({ ...rest, responseFilter: { id: filter.id } })
    return [answered(store, filter, desiredIn(query))]
  }
  if (!isObject(used)) return missing()
  if (verb === 'DELETE') put(rest)
  const filter = store.find('responseFilters', String(used.id))
  return verb === 'GET' && filter ? [answered(store, filter, desiredIn(query))] : nothing
}

const include = (event: Stored, change: (list: readonly Json[]) => readonly Json[]): void => {
  event.values.endpoints = change(asList(event.values.endpoints))
}

function answerOfIncluded(
  store: Store,
  method: string,
  { event, id }: Extract<Place, { is: 'included' }>,
  body: JsonObject,
  query: URLSearchParams,
): readonly Json[] {
  if (event.table !== 'scheduledMaintenanceEvents') return missing()
  const list = asList(event.values.endpoints).filter(isObject)
  const shown = (object: Stored | undefined) => (object ? [answered(store, object, desiredIn(query))] : [])
  if (method === 'GET' && id === undefined)
    return list.flatMap((each) => shown(store.find('endpoints', String(each.id))))
  if (method === 'POST' && id === undefined) {
    const endpoint = store.find('endpoints', String(body.id))
    if (!endpoint) return refuse('id', 'there is no such endpoint')
    include(event, (all) => [...all, { id: endpoint.id }])
    return shown(endpoint)
  }
  if (id === undefined || !list.some((each) => each.id === id)) return missing()
  if (method === 'GET') return shown(store.find('endpoints', id))
  if (method !== 'DELETE') return notOffered()
  include(event, (all) => all.filter((each) => !isObject(each) || each.id !== id))
  return nothing
}
