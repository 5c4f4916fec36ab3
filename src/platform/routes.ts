import { catalog } from '../catalog/catalog.js'
import { childField, elementOf, kinds, pickedFields } from '../catalog/queries.js'
import type { HttpMethod, Kind, KindName } from '../catalog/types.js'
import { isLinkField } from './body.js'
import type { HostList } from './hosts.js'
import type { Dialect } from './settings.js'

/** One step of a path, beginning at the root of the area. Routes are derived from the operations of the catalogue. */
export type RouteStep =
  /** An owner that is no resource; its identifier is not checked. */
  | { readonly is: 'owner'; readonly parameter: string }
  | { readonly is: 'root'; readonly kind: KindName; readonly parameter: string | undefined }
  | { readonly is: 'child'; readonly kind: KindName; readonly field: string; readonly parameter: string | undefined }
  | { readonly is: 'single'; readonly kind: KindName; readonly field: string }
  /** Referenced objects in a list of the object before. */
  | { readonly is: 'referred'; readonly kind: KindName; readonly field: string; readonly parameter: string | undefined }
  /** The single object that a reference selects from its target. */
  | { readonly is: 'picked'; readonly kind: KindName; readonly field: string }
  /** The single object that refers to the object before and is shown with it. */
  | { readonly is: 'inverseReference'; readonly kind: KindName; readonly field: string }
  /** A value of the object before that has its own path: a field, or a member of a field. */
  | { readonly is: 'value'; readonly trail: readonly [field: string, member?: string] }
  /** A list of the hosts that endpoints use. */
  | { readonly is: 'hosts'; readonly list: HostList }

export interface Route {
  readonly method: HttpMethod
  /** The path as it is in the document, such as /services/{serviceId}. */
  readonly path: string
  readonly steps: readonly RouteStep[]
}

/** Routes from the field notes that the catalogue does not have: the endpoints and methods that a plan service includes. */
const notedRoutes: readonly (readonly [readonly HttpMethod[], string])[] = withCollections(
  catalog.PlanService.operations.fetch?.path ?? '',
  ['endpoints/{endpointId}', 'endpoints/{endpointId}/methods/{methodId}'],
)

function withCollections(
  base: string,
  items: readonly string[],
): readonly (readonly [readonly HttpMethod[], string])[] {
  return items.flatMap((item): (readonly [readonly HttpMethod[], string])[] => [
    [['GET', 'POST'], `${base}/${item.replace(/\/\{\w+\}$/, '')}`],
    [['GET', 'DELETE'], `${base}/${item}`],
  ])
}

/**
 * Routes that public clients of recorded platforms use, although neither the document nor its conventions mention them (A231).
 */
const clientRoutes: readonly (readonly [readonly HttpMethod[], string])[] = [
  [['POST'], '/packageKeys'],
  [['POST', 'PUT', 'DELETE'], '/services/{serviceId}/roles'],
  [['GET', 'PUT', 'DELETE'], '/services/{serviceId}/roles/{roleId}'],
  [['PUT'], `${catalog.PlanService.operations.fetch?.path ?? ''}/endpoints/{endpointId}`],
]

/** Values with their own path, below the path of their object. */
const valueRoutes: readonly (readonly [string, readonly [field: string, member?: string]])[] = [
  ['/services/{serviceId}', ['cache']],
  ['/services/{serviceId}', ['securityProfile', 'oauth']],
  ['/services/{serviceId}/endpoints/{endpointId}', ['cors']],
]

const hostRoutes: readonly (readonly [string, HostList])[] = [
  ['/domains/public', { field: 'publicDomains', displayed: 'uses' }],
  ['/domains/public/hostnames', { field: 'publicDomains', displayed: 'names' }],
  ['/domains/system', { field: 'systemDomains', displayed: 'uses' }],
  ['/domains/system/hostnames', { field: 'systemDomains', displayed: 'names' }],
]

const known = new Map<Dialect, readonly Route[]>()

/**
 * All routes of the interface; in the dialect `recorded` also those of its clients. A route that several operations share is
 * listed once.
 */
export function allRoutes(dialect: Dialect = 'document'): readonly Route[] {
  const routes = known.get(dialect) ?? [...(dialect === 'recorded' ? recordedRoutes() : []), ...documentRoutes(dialect)]
  known.set(dialect, routes)
  return routes
}

/** These routes come first, so that /domains/public is not the domain with the id `public`. */
function recordedRoutes(): readonly Route[] {
  const client = clientRoutes.flatMap(([methods, path]) =>
    methods.map((method): Route => ({ method, path, steps: stepsOf(path) })),
  )
  const values = valueRoutes.flatMap(([holder, trail]) =>
    valueMethods.map(
      (method): Route => ({
        method,
        path: `${holder}/${trail.join('/')}`,
        steps: [...stepsOf(holder), { is: 'value', trail }],
      }),
    ),
  )
  const hosts = hostRoutes.map(([path, list]): Route => ({ method: 'GET', path, steps: [{ is: 'hosts', list }] }))
  return [...client, ...values, ...hosts]
}

const valueMethods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'DELETE']

function documentRoutes(dialect: Dialect): readonly Route[] {
  const routes = new Map<string, Route>()
  const add = (method: HttpMethod, path: string) => {
    routes.set(`${method} ${path}`, { method, path, steps: stepsOf(path) })
  }
  for (const kind of kinds) {
    for (const { method, path } of Object.values(kind.operations)) {
      const isBeyond = stepsOf(path).some((step) => 'kind' in step && catalog[step.kind].origin === 'notes')
      if (dialect === 'recorded' || !isBeyond) add(method, path)
    }
  }
  for (const [methods, path] of notedRoutes) for (const method of methods) add(method, path)
  return [...routes.values()]
}

interface Segment {
  readonly word: string
  readonly parameter: string | undefined
}

function segmentsOf(path: string): readonly Segment[] {
  return [...path.matchAll(/\/(\w+)(?:\/\{(\w+)\})?/g)].map(([, word = '', parameter]) => ({ word, parameter }))
}

function stepsOf(path: string): readonly RouteStep[] {
  const steps: RouteStep[] = []
  let at: Kind | 'owner' | undefined
  const segments = segmentsOf(path)
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    const step = at === undefined || at === 'owner' ? rootStep(segment, isLast) : innerStep(at, segment)
    steps.push(step)
    at = 'kind' in step ? catalog[step.kind] : 'owner'
  }
  return steps
}

function rootStep({ word, parameter }: Segment, isLast: boolean): RouteStep {
  const owner = kinds.find((kind) => kind.within && kind.within.parameter === parameter)
  if (owner && !isLast && parameter !== undefined) return { is: 'owner', parameter }
  const kind = kinds.find((each) => Object.values(each.operations).some(({ path }) => lastWord(path, each) === word))
  if (!kind) throw new Error(`no kind has a collection '${word}'`)
  return { is: 'root', kind: kind.name, parameter }
}

/** The name of the collection that lists a kind without a parent in its path. */
function lastWord(path: string, kind: Kind): string | undefined {
  const outside = kind.within ? path.replace(`{${kind.within.parameter}}`, '').replace(/^\/\w+\//, '') : path
  return /^\/(\w+)$/.exec(outside)?.[1]
}

function innerStep(kind: Kind, { word, parameter }: Segment): RouteStep {
  const one = pickedFields(kind).find((picked) => picked.picks === 'one' && picked.field === word)
  if (one) return { is: 'picked', kind: one.kind.name, field: word }
  const field = kind.fields[word]
  const element = field && elementOf(field.type)
  if (!field || !element || (element.is !== 'child' && element.is !== 'reference')) {
    throw new Error(`a ${kind.name} has no collection '${word}'`)
  }
  const base = { kind: element.kind, field: word }
  if (element.is === 'child' || isLinkField(kind, field)) {
    const single = childField(kind, word)?.single
    return single ? { is: 'single', ...base } : { is: 'child', ...base, parameter }
  }
  return field.type.is === 'list' ? { is: 'referred', ...base, parameter } : { is: 'inverseReference', ...base }
}
