import { catalog } from '../catalog/catalog.js'
import type { KindName } from '../catalog/types.js'
import type { Json } from '../json/json.js'
import { isList, isObject } from '../json/json.js'
import { compareText } from '../json/order.js'
import type { Entity } from './entity.js'
import { parsePaths } from './paths.js'
import { hasKeys, type Projection, project, projectedField } from './projection.js'
import { refuse } from './refusal.js'

/** The query parameters of a list: filter, search, sort, limit and offset. */
interface ListQuery {
  readonly filters: readonly QueryCondition[]
  readonly searches: readonly QueryCondition[]
  readonly sorts: readonly Sort[]
  readonly limit: number
  readonly offset: number
  /** Whether filters compare complete values: the document says so for two lists. */
  readonly match: 'part' | 'exact'
}

interface QueryCondition {
  readonly path: string
  readonly text: string
}

interface Sort {
  readonly name: string
  readonly order: 'asc' | 'desc'
}

/** The properties of the listed collection. */
interface ListTraits {
  /** The last word of its path. For some collections, the offset counts pages. */
  readonly segment: string
  readonly match: 'part' | 'exact'
  readonly search: 'offered' | 'ignored'
}

/** "For members, applications, packageKeys and roles collections it is documented as a page index". */
const pagedCollections: ReadonlySet<string> = new Set(['members', 'applications', 'packageKeys', 'roles'])

const searchable: ReadonlySet<string> = new Set([
  'name',
  'username',
  'description',
  'type',
  'usageModel',
  'tags',
  'preferredProtocol',
  'preferredOutput',
  'uri',
  'isPackaged',
])

/** Parses the parameters of a list. Refuses invalid numbers. No page has more objects than `pageCap`. */
export function parseListQuery(
  parameters: URLSearchParams,
  traits: ListTraits,
  pageCap = Number.POSITIVE_INFINITY,
): ListQuery {
  const limit = Math.min(numberIn(parameters, 'limit', 100, { least: 1, most: 9999 }), pageCap)
  const offset = numberIn(parameters, 'offset', 0, { least: 0, most: Number.MAX_SAFE_INTEGER })
  return {
    filters: parameters.getAll('filter').flatMap((each) => pairsIn('filter', each)),
    searches: traits.search === 'offered' ? parameters.getAll('search').flatMap(searchPairs) : [],
    sorts: parameters.getAll('sort').flatMap(sortsIn),
    limit,
    offset: pagedCollections.has(traits.segment) ? offset * limit : offset,
    match: traits.match,
  }
}

/**
 * The page of the matching objects, and how many match. They are sorted by age, oldest first, if the query has no other order.
 */
export function selectPage(
  reader: Projection,
  entities: readonly Entity[],
  query: ListQuery,
): { readonly page: readonly Entity[]; readonly total: number } {
  const filters = query.filters.map((pair) => testOf(reader, pair, query.match))
  const searches = query.searches.map((pair) => searchOf(reader, pair))
  const passing = entities.filter(
    (entity) =>
      filters.every((passes) => passes(entity)) && searches.every((isFound) => isFound(searchedEntity(entity))),
  )
  const sorted = sortEntities(reader, passing, query.sorts)
  return { page: sorted.slice(query.offset, query.offset + query.limit), total: sorted.length }
}

function numberIn(
  parameters: URLSearchParams,
  name: string,
  fallback: number,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  const text = parameters.get(name)
  if (text === null || text === '') return fallback
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  return refuse(name, `Parameter '${name}' must be an integer from ${least} to ${most}.`)
}

/** Several pairs are separated by commas. A comma without "name:" after it belongs to the value before it. */
function pairsIn(name: 'filter' | 'search', parameter: string): readonly QueryCondition[] {
  return parameter.split(/,(?=[A-Za-z][\w.]*:)/).map((pair) => {
    const colon = pair.indexOf(':')
    if (colon < 1) return refuse(name, `'${pair}' is not a name:value pair.`)
    return { path: pair.slice(0, colon).trim(), text: pair.slice(colon + 1) }
  })
}

function searchPairs(parameter: string): readonly QueryCondition[] {
  const pairs = pairsIn('search', parameter)
  const unknown = pairs.find((pair) => !searchable.has(pair.path))
  return unknown ? refuse('search', `'${unknown.path}' cannot be searched for.`) : pairs
}

function sortsIn(parameter: string): readonly Sort[] {
  return parameter
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [name = '', order = 'asc'] = part.trim().split(':')
      if (order !== 'asc' && order !== 'desc') return refuse('sort', `'${order}' is not a sort order.`)
      return { name, order }
    })
}

/** Whether an object has the text at the path. */
type Test = (entity: Entity) => boolean

function testOf(reader: Projection, { path, text }: QueryCondition, match: 'part' | 'exact'): Test {
  const paths = parsePaths([path], reader.spelling.dialect)
  if (!paths) return () => false
  const steps = path.split('.')
  const fits = (found: string): boolean => (match === 'exact' ? found === text : found.includes(text))
  return (entity) => textsAt(project(reader, entity, paths), steps).some(fits)
}

/** isPackaged can be searched, although the document's dialect does not show it. */
const searchOf = (reader: Projection, pair: QueryCondition): Test =>
  pair.path === 'isPackaged'
    ? (entity) => String(hasKeys(reader, entity)).includes(pair.text)
    : testOf(reader, pair, 'part')

/** Keys have none of the searchable fields, so the fields of their application are searched. */
const searchedEntity = (entity: Entity): Entity =>
  Object.hasOwn(catalog[entity.kind].fields, 'name') ? entity : (entity.parent ?? entity)

function textsAt(value: Json | undefined, steps: readonly string[]): readonly string[] {
  if (isList(value)) return value.flatMap((each) => textsAt(each, steps))
  const [step, ...rest] = steps
  if (step === undefined) return value === null || value === undefined ? [] : textsOfScalar(value)
  return isObject(value) ? textsAt(value[step], rest) : []
}

/** Domains are objects with one member: a filter with only the field's name looks into them. */
const textsOfScalar = (value: Json): readonly string[] =>
  isObject(value) ? Object.values(value).flatMap((inner) => textsAt(inner, [])) : [String(value)]

function sortEntities(reader: Projection, entities: readonly Entity[], sorts: readonly Sort[]): readonly Entity[] {
  if (sorts.length === 0) return [...entities].sort(byAge)
  const keys = new Map(entities.map((entity) => [entity, sorts.map((sort) => sortKey(reader, entity, sort.name))]))
  return [...entities].sort((left, right) => {
    for (const [index, sort] of sorts.entries()) {
      const order = compare(keys.get(left)?.[index], keys.get(right)?.[index])
      if (order !== 0) return sort.order === 'asc' ? order : -order
    }
    return byAge(left, right)
  })
}

const byAge = (left: Entity, right: Entity): number => left.created - right.created || left.uid - right.uid

function sortKey(reader: Projection, entity: Entity, name: string): Json | undefined {
  if (name === 'created') return entity.created
  if (name === 'updated') return entity.updated
  return projectedField(reader, entity, name)
}

/** Numbers are compared by value, everything else as text. Missing values come first. */
function compare(left: Json | undefined, right: Json | undefined): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return compareText(textOrEmpty(left), textOrEmpty(right))
}

function textOrEmpty(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** For a list: whether filters compare complete values, and whether it takes `search`. Both follow the document. */
export function traitsOf(segment: string, kind: KindName, parent: KindName | undefined): ListTraits {
  const isApplicationList = kind === 'Application' && parent === undefined
  const isKeysOfApplication = kind === 'PackageKey' && parent === 'Application'
  const isSpecial = isApplicationList || isKeysOfApplication
  return { segment, match: isSpecial ? 'exact' : 'part', search: isSpecial ? 'offered' : 'ignored' }
}
