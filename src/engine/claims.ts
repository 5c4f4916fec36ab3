import { catalog } from '../catalog/catalog.js'
import { childField, elementOf } from '../catalog/queries.js'
import { shapes } from '../catalog/shapes.js'
import type { FieldType } from '../catalog/types.js'
import { append, groupBy } from '../json/groups.js'
import { isObject, type Json } from '../json/json.js'
import { canonicalText } from '../json/order.js'
import { keysOf, pointerTo } from '../json/pointer.js'
import type { Project } from '../manifest/project.js'
import type { Resource } from '../manifest/resource.js'
import { placeOf } from '../manifest/source.js'
import { claimedDifferently, listedDifferently } from '../problems/compose.js'
import type { Problem } from '../problems/problem.js'

/** The desired objects of one environment, and its area. */
export interface Claims {
  readonly environment: string
  /** See `claimedArea`. Undefined if only variables name the area. */
  readonly area: string | undefined
  readonly resources: readonly Resource[]
}

/** The area of an environment according to the project file. */
export const claimedArea = ({ platform: { url = '', area } }: Pick<Project, 'platform'>): string | undefined =>
  area === undefined ? undefined : `${url} ${area}`

/**
 * Problems of objects that several environments of one area desire. Each environment may write the same, such as objects that are
 * shared by stages. But two environments may not desire different values of one field, and one may not write a whole list that
 * does not have an object of the other (A166).
 */
export function contradictions(all: readonly Claims[]): readonly Problem[] {
  const areas = groupBy(
    all.filter(({ area }) => area !== undefined),
    ({ area }) => area,
  )
  return [...areas.values()].flatMap((sharing) => (sharing.length > 1 ? contradictionsIn(sharing) : []))
}

interface EnvironmentClaim {
  readonly environment: string
  readonly resource: Resource
  readonly children: ReadonlySet<string>
}

/**
 * Compares each object in all environments that desire it. If one environment differs from several others in a field, only the
 * first difference is reported.
 */
function contradictionsIn(sharing: readonly Claims[]): readonly Problem[] {
  const known = new Map<string, EnvironmentClaim[]>()
  const found: Problem[] = []
  for (const { environment, resources } of sharing) {
    const children = groupBy(resources, ({ parent }) => parent)
    for (const resource of resources) {
      const claim = { environment, resource, children: addresses(children.get(resource.address)) }
      const reported = new Set<string>()
      for (const other of known.get(resource.address) ?? []) found.push(...differences(other, claim, reported))
      append(known, resource.address, claim)
    }
  }
  return found
}

const addresses = (resources: readonly Resource[] = []): ReadonlySet<string> =>
  new Set(resources.map(({ address }) => address))

function differences(one: EnvironmentClaim, other: EnvironmentClaim, reported: Set<string>): readonly Problem[] {
  const { kind, address, fields } = one.resource
  const known = new Set([...one.resource.unavailable, ...other.resource.unavailable].map((path) => keysOf(path)[0]))
  const paths = Object.entries(fields).flatMap(([name, value]) => {
    const written = other.resource.fields[name]
    const type = catalog[kind].fields[name]?.type
    return written === undefined || known.has(name) ? [] : differing([name], value, written, type)
  })
  return [
    ...paths.flatMap((path) => {
      if (reported.has(path)) return []
      reported.add(path)
      const places = [one, other].map(({ resource }) => placeOf(resource.ranges.at(path) ?? resource.range))
      return [claimedDifferently(`${address} ${path.slice(1)}`, [one.environment, other.environment], places)]
    }),
    ...listDifference(one, other),
  ]
}

/** The pointers of values that differ. Members of value objects are compared one by one, other values as a whole. */
function differing(path: readonly string[], value: Json, other: Json, type: FieldType | undefined): readonly string[] {
  const members = type?.is === 'shape' ? shapes[type.shape] : undefined
  if (members && isObject(value) && isObject(other)) {
    return Object.entries(value).flatMap(([key, inner]) => {
      const written = other[key]
      return written === undefined ? [] : differing([...path, key], inner, written, members[key]?.type)
    })
  }
  const lists = type && elementOf(type) !== type ? 'sets' : 'as written'
  return canonicalText(value, lists) === canonicalText(other, lists) ? [] : [pointerTo(...path)]
}

/** Problems of lists that one environment writes as a whole, without an object that the other environment declares. */
function listDifference(one: EnvironmentClaim, other: EnvironmentClaim): readonly Problem[] {
  return [
    [one, other],
    [other, one],
  ].flatMap(([whole, more]) => {
    if (!whole || !more) return []
    const { kind, wholeLists, address, range } = whole.resource
    return wholeLists.flatMap((field) => {
      const child = childField(catalog[kind], field)?.kind
      // The other members of a fixed set are not changed.
      if (!child || child.fixedSet) return []
      const extra = [...more.children].filter(
        (each) => !whole.children.has(each) && each.startsWith(`${address}/${child.name}/`),
      )
      if (extra.length === 0) return []
      const place = placeOf(whole.resource.ranges.at(`/${field}`) ?? range)
      return [listedDifferently(place, `${address} ${field}`, whole.environment, more.environment, extra)]
    })
  })
}
