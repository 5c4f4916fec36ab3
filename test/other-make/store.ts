import type { Json, JsonObject } from '../../src/json/json.js'
import { isObject } from '../../src/json/json.js'
import { roots, tableOf, tables } from './tables.js'

/** An object with the objects that it owns. */
export interface Stored {
  readonly id: string
  readonly table: string
  readonly values: Record<string, Json>
  readonly lists: Record<string, Stored[]>
  readonly singles: Record<string, Stored>
  readonly created: string
  updated: string
}

/** One complaint. The answer to a refused request is a list of them. */
export interface Complaint {
  readonly property: string
  readonly message: string
}

/** A refusal with its status. Nothing is written. */
export class Refused extends Error {
  readonly status: number
  readonly complaints: readonly Complaint[]

  constructor(status: number, complaints: readonly Complaint[]) {
    super(complaints.map((each) => each.message).join(' '))
    this.status = status
    this.complaints = complaints
  }
}

export const refuse = (property: string, message: string): never => {
  throw new Refused(400, [{ property, message }])
}

export interface StoreOptions {
  /** The status of a new domain. */
  readonly domains: 'active' | 'waiting'
  /** When a new service gets an error set "Default": never, if the request has none with that name, or always. */
  readonly defaultErrorSet: 'never' | 'unless given' | 'always'
  /** The name of that error set. */
  readonly errorSetName: string
  /** The form of an answer with a single object. */
  readonly singles: 'in a list' | 'bare'
  readonly booleans: 'words' | 'zero and one' | 'texts'
  readonly numbers: 'numbers' | 'texts'
  /** The form of datetimes: "2027-01-01T02:00:00.000+0200", "2027-01-01T02:00+0200", or other forms of the same time. */
  readonly datetimes:
    | 'to the millisecond'
    | 'to the minute'
    | '2027-01-01 02:00:00 +02'
    | '2027-01-01t00:00:00z'
    | '2027-01-01T00:00:00'
  /**
   * The form of passwords, secrets and certificates: in clear text, as "****", as signs of the same length, or with only the end
   * visible.
   */
  readonly secrets: 'in clear' | 'hidden' | 'hidden by length' | 'but for the end'
  /** The effect of an update on fields that it does not contain. */
  readonly updates: 'merge' | 'replace'
  /** Fields that a create ignores but an update accepts. */
  readonly ignoredOnCreate: readonly string[]
  /** Longer names are cut. */
  readonly longestName: number
  /** Where the roles of services are answered: only at their own route, or also nested in services. */
  readonly roles: 'apart' | 'nested'
  /** The id in the answer for the role of a service: that of the role, or an id of the link. */
  readonly linkIds: 'of roles' | 'of links'
  /** Numbers; or UUIDs, in small letters in lists, paths and requests, and in capitals in references. */
  readonly ids: 'numbers' | 'UUIDs, in capitals in references'
  /** The maximum number of objects on a page, whatever the request says. The answer does not contain the total. */
  readonly pageLimit: number
  /** The vocabulary: the document's, or that of the vendor's own platforms. Words of the other one are refused. */
  readonly vocabulary: 'document' | 'mashery'
  /** Response filters, which the document does not have: not at all, only at their own routes, or also nested. */
  readonly filters: 'none' | 'apart' | 'nested'
  /** Changes a value before it is stored, by the name of its field. */
  readonly stored: (value: Json, name: string) => Json
}

export const usualOptions: StoreOptions = {
  domains: 'active',
  defaultErrorSet: 'never',
  errorSetName: 'Default',
  singles: 'in a list',
  booleans: 'words',
  numbers: 'numbers',
  datetimes: 'to the millisecond',
  secrets: 'in clear',
  updates: 'merge',
  ignoredOnCreate: [],
  longestName: Number.POSITIVE_INFINITY,
  roles: 'apart',
  linkIds: 'of roles',
  ids: 'numbers',
  pageLimit: 100,
  vocabulary: 'document',
  filters: 'none',
  stored: (value) => value,
}

/** The objects of the area, and the few rules that the document states. */
export class Store {
  readonly roots: Record<string, Stored[]> = Object.fromEntries(roots.map((name) => [name, []]))
  readonly options: StoreOptions
  #next = 1000

  constructor(options: StoreOptions) {
    this.options = options
  }

  /** Creates an object with all objects nested in its body. It is not in a list yet. */
  create(tableName: string, body: JsonObject, owner: Stored | undefined): Stored {
    const table = tableOf(tableName)
    const given = this.#given(tableName, body, owner)
    for (const name of table.required) {
      if (isEmpty(given[name])) refuse(name, `${name} must be given`)
    }
    const now = this.#now()
    const id = table.ownId === 'given' ? this.#givenId(given) : this.#newId()
    const stored: Stored = { id, table: tableName, values: {}, lists: {}, singles: {}, created: now, updated: now }
    if (tableName === 'domains') stored.values.status = this.options.domains
    const ignored = this.options.ignoredOnCreate
    const taken = Object.entries(given).filter(([name]) => !ignored.includes(`${tableName}.${name}`))
    this.write(stored, Object.fromEntries(taken), 'create')
    if (tableName === 'packageKeys' && stored.values.apikey === undefined) stored.values.apikey = `generated${id}`
    return stored
  }

  /** Merges a body into an object: missing fields are unchanged, lists are replaced, and empty values clear fields. */
  write(stored: Stored, body: JsonObject, occasion: 'create' | 'update'): void {
    const table = tableOf(stored.table)
    if (occasion === 'update' && this.options.updates === 'replace') {
      const isLost = (name: string) =>
        body[name] === undefined &&
        !table.onCreate.includes(name) &&
        !table.required.includes(name) &&
        name !== 'status'
      for (const name of Object.keys(stored.values)) if (isLost(name)) delete stored.values[name]
      for (const name of Object.keys(stored.singles)) if (isLost(name)) delete stored.singles[name]
    }
    for (const [name, value] of Object.entries(body)) {
      const inner = table.lists[name]
      const single = table.singles[name]
      if (occasion === 'update' && table.onCreate.includes(name)) continue
      if (name === 'responseFilters' && this.options.filters !== 'nested') continue
      if (inner !== undefined) stored.lists[name] = this.#replaced(inner, stored, stored.lists[name] ?? [], value)
      else if (single !== undefined) this.writeSingle(stored, name, value)
      else if (table.references[name] !== undefined || table.reference[name] !== undefined) {
        stored.values[name] = this.#references(table.references[name] ?? table.reference[name] ?? '', value, name)
      } else if (isOwn(stored, name, occasion)) this.#set(stored, name, value)
    }
    if (stored.table === 'services' && occasion === 'update') this.#assignRoles(stored, body.roles)
    stored.updated = this.#now()
  }

  writeSingle(stored: Stored, field: string, value: Json): Stored | undefined {
    const tableName = tableOf(stored.table).singles[field]
    if (tableName === undefined) return undefined
    const { [field]: before } = stored.singles
    if (!isObject(value)) {
      delete stored.singles[field]
      return undefined
    }
    const object = before ?? this.create(tableName, {}, stored)
    this.write(object, value, 'update')
    stored.singles[field] = object
    return object
  }

  /** The roles of a service with their names. */
  rolesOf(service: Stored): readonly JsonObject[] {
    return asList(service.values.roles)
      .filter(isObject)
      .map((each) => ({
        ...each,
        id: this.inReferences(String(each.id)),
        ...(this.options.linkIds === 'of links' && { id: `${service.id}-${String(each.id)}` }),
        name: this.find('roles', String(each.id))?.values.name ?? '',
      }))
  }

  /** The id of an object in the form of references. */
  inReferences(id: string): string {
    return this.options.ids === 'numbers' ? id : id.toUpperCase()
  }

  /** All objects of a table, wherever they are. */
  all(tableName: string): readonly Stored[] {
    const found: Stored[] = []
    const visit = (stored: Stored): void => {
      if (stored.table === tableName) found.push(stored)
      for (const list of Object.values(stored.lists)) list.forEach(visit)
    }
    for (const list of Object.values(this.roots)) list.forEach(visit)
    return found
  }

  find(tableName: string, id: string): Stored | undefined {
    return this.all(tableName).find((each) => each.id === id)
  }

  /** Removes an object with its contents from a list, and from everything that refers to it. */
  remove(among: Stored[], object: Stored): void {
    among.splice(among.indexOf(object), 1)
    const gone = new Set<string>()
    const visit = (stored: Stored): void => {
      if (tableOf(stored.table).ownId === 'made') gone.add(stored.id)
      for (const list of Object.values(stored.lists)) list.forEach(visit)
    }
    visit(object)
    for (const table of Object.keys(tables)) {
      for (const stored of this.all(table)) {
        for (const [name, value] of Object.entries(stored.values)) {
          if (isReference(stored, name)) stored.values[name] = without(value, gone)
        }
      }
    }
  }

  #given(tableName: string, body: JsonObject, owner: Stored | undefined): JsonObject {
    if (tableName === 'applications' && owner) return { username: owner.values.username ?? null, ...body }
    if (tableName !== 'services') return body
    const sets = asList(body.errorSets)
    const { defaultErrorSet, errorSetName } = this.options
    const hasDefault = sets.some((each) => isObject(each) && each.name === errorSetName)
    const adds = defaultErrorSet === 'always' || (defaultErrorSet === 'unless given' && !hasDefault)
    return adds ? { ...body, errorSets: [...sets, { name: errorSetName, type: 'text/xml' }] } : body
  }

  /** The id of a link's target, or an id that is a name. Both come from the request. */
  #givenId(body: JsonObject): string {
    return isEmpty(body.id) ? refuse('id', 'id must be given') : String(body.id)
  }

  #replaced(tableName: string, owner: Stored, before: readonly Stored[], value: Json): Stored[] {
    return asList(value)
      .filter(isObject)
      .map((each) => {
        const known = before.find((stored) => stored.id === String(each.id ?? ''))
        if (!known) return this.create(tableName, each, owner)
        this.write(known, each, 'update')
        return known
      })
  }

  #references(tableName: string, value: Json, at: string): Json {
    return asList(value)
      .filter(isObject)
      .map((each) => {
        const target = this.find(tableName, String(each.id ?? ''))
        if (!target) return refuse(at, `there is no such ${tableName}: ${String(each.id)}`)
        const methods = each.methods === undefined ? {} : { methods: this.#references('methods', each.methods, at) }
        return { id: target.id, ...methods, ...this.#use(each, at) }
      })
  }

  /** The filter of a plan's method, if filters can be nested. */
  #use({ responseFilter: use }: JsonObject, at: string): JsonObject {
    if (this.options.filters !== 'nested' || !isObject(use)) return {}
    const filter = this.find('responseFilters', String(use.id ?? ''))
    return filter ? { responseFilter: { id: filter.id } } : refuse(at, 'there is no such filter')
  }

  #assignRoles(service: Stored, given: Json | undefined): void {
    if (given === undefined) return
    service.values.roles = asList(given)
      .filter(isObject)
      .map((each) => {
        const role = this.find('roles', String(each.id ?? ''))
        if (!role || isEmpty(each.action)) return refuse('roles', 'a role needs an id and an action')
        return { id: role.id, action: each.action ?? null }
      })
  }

  #set(stored: Stored, name: string, sent: Json): void {
    const value = isEmpty(sent) ? sent : this.options.stored(sent, name)
    if (name === 'publicDomains' || name === 'systemDomains') this.#checkDomains(name, value)
    const { longestName } = this.options
    if (isEmpty(value)) delete stored.values[name]
    else stored.values[name] = name === 'name' && typeof value === 'string' ? value.slice(0, longestName) : value
  }

  /** "A domain controls which public or system endpoint addresses may be created", and "cannot be used until approved". */
  #checkDomains(name: string, value: Json): void {
    const active = this.all('domains').filter((each) => each.values.status === 'active')
    for (const each of asList(value)) {
      const host = isObject(each) ? String(each.domain) : String(each)
      // Host names have no case in any make.
      const isAllowed = active.some(({ values }) =>
        `.${host}`.toLowerCase().endsWith(`.${String(values.domain)}`.toLowerCase()),
      )
      if (!isAllowed) refuse(name, `${host} has not been approved`)
    }
  }

  #newId(): string {
    this.#next += 7
    const number = String(this.#next)
    return this.options.ids === 'numbers' ? number : `3f2b8c1d-77aa-4e5b-9d0c-${number.padStart(12, 'a')}`
  }

  #now(): string {
    this.#next += 1
    return documentDate(this.#next * 1000)
  }
}

const isReference = (stored: Stored, name: string): boolean =>
  tableOf(stored.table).references[name] !== undefined || (stored.table === 'services' && name === 'roles')

function without(value: Json, gone: ReadonlySet<string>): Json {
  return asList(value).flatMap((each): readonly Json[] => {
    if (!isObject(each)) return [each]
    if (gone.has(String(each.id))) return []
    const { responseFilter: use, ...rest } = each
    const left = isObject(use) && !gone.has(String(use.id)) ? each : rest
    return [left.methods === undefined ? left : { ...left, methods: without(left.methods, gone) }]
  })
}

/** A date in the form of this make, with another offset than in the request. */
export function documentDate(milliseconds: number): string {
  return new Date(milliseconds + 7_200_000).toISOString().replace('Z', '+0200')
}

export function asList(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null || value === '') return []
  return Array.isArray(value) ? (value as readonly Json[]) : [value]
}

export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Only fields in the document's tables are stored. Requests cannot set a status, except for that of a key. */
function isOwn(stored: Stored, name: string, occasion: 'create' | 'update'): boolean {
  const { plain, onRequest } = tableOf(stored.table)
  if (stored.table === 'domains' && name === 'status') return false
  if (stored.table === 'errorMessages' && name === 'id') return occasion === 'create'
  return plain.includes(name) || onRequest.includes(name)
}
