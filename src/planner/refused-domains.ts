import { catalog } from '../catalog/catalog.js'
import { coveredBy, isHostName } from '../catalog/domains.js'
import { domainFields, isNamedByHost, kinds } from '../catalog/queries.js'
import { domainOf } from '../catalog/value.js'
import { groupBy } from '../json/groups.js'
import { asList } from '../json/json.js'
import { type LiveObject, type ReadSpec, type Snapshot, withAllInside } from '../live/live-object.js'
import { domainUses } from '../manifest/domains.js'
import { rangeAt } from '../manifest/reference-use.js'
import type { Manifests } from '../manifest/resource.js'
import { placeOf, type SourceRange } from '../manifest/source.js'
import { refusedDomain } from '../problems/planning.js'
import type { Problem } from '../problems/problem.js'
import type { Change, Plan } from './plan.js'

/** A host name in changes of a plan that the platform will probably refuse for everybody. */
interface DoubtfulDomain {
  readonly name: string
  /** The changes that write it, with its position in each. The position is found only when it is needed. */
  readonly uses: readonly { readonly address: string; readonly range: () => SourceRange }[]
}

/**
 * The host names in a plan that the platform would check, without those that a declared domain covers or a live object already
 * has (A142). If there are none, no domains have to be read.
 */
export function doubtfulDomains(
  { changes }: Plan,
  manifests: Manifests,
  snapshot: Snapshot,
): readonly DoubtfulDomain[] {
  const written = changes.flatMap(usesIn)
  if (written.length === 0) return []
  const isDeclared = coveredBy(
    manifests.resources.filter(({ kind }) => isNamedByHost(catalog[kind])).map(({ key }) => key),
  )
  const undeclared = [...groupBy(written, ({ value }) => value)].filter(([name]) => !isDeclared(name))
  if (undeclared.length === 0) return []
  const inUse = domainsInUse(snapshot.objects)
  return undeclared.filter(([name]) => !inUse.has(name.toLowerCase())).map(([name, uses]) => ({ name, uses }))
}

/** What must be read to get the names of the area's domains. */
export const domainSpec = (): ReadSpec => ({
  fields: new Map(kinds.filter(isNamedByHost).map((kind) => [kind.name, []])),
  linksOf: 'none',
})

/** Warnings about doubtful host names that no live domain covers either. `domains` is the result of reading `domainSpec`. */
export function refusedDomains(
  doubtful: readonly DoubtfulDomain[],
  domains: Snapshot,
  { changes }: Plan,
): readonly Problem[] {
  const going = new Set(
    changes.flatMap((change) => (change.action === 'delete' ? [`${change.kind} ${change.live.id}`] : [])),
  )
  const names = domains.objects
    .filter(({ kind, id }) => isNamedByHost(catalog[kind]) && !going.has(`${kind} ${id}`))
    .map(({ key }) => key)
    .sort()
  const isCovered = coveredBy(names)
  return doubtful
    .filter(({ name }) => !isCovered(name))
    .map(({ name, uses }) =>
      refusedDomain(
        name,
        uses.map(({ address, range }) => ({ address, place: placeOf(range()) })),
        names,
      ),
    )
}

interface WrittenDomain {
  readonly value: string
  readonly address: string
  readonly range: () => SourceRange
}

/** The host names that a change writes. The platform checks a host only if its field changes (A49). */
function usesIn(change: Change): readonly WrittenDomain[] {
  if (change.action !== 'create' && change.action !== 'update' && change.action !== 'replace') return []
  const { resource, address } = change
  if (domainFields(catalog[resource.kind]).length === 0) return []
  return domainUses(resource)
    .filter(
      // A text that is no host name has a problem in its manifest already.
      ({ field, value }) => isHostName(value) && Object.hasOwn(change.values, field) && isWritten(change, field),
    )
    .map(({ value, pointer }) => ({ value, address, range: () => rangeAt(resource, pointer) }))
}

const isWritten = ({ action, fields }: Change, field: string): boolean =>
  action !== 'update' || fields.some(({ path }) => path === `/${field}`)

/** The host names of a live object, in fields that accept only the area's domains. */
export const hostsOf = ({ kind, fields }: Pick<LiveObject, 'kind' | 'fields'>): readonly string[] =>
  domainFields(catalog[kind]).flatMap(({ name }) =>
    asList(fields[name] ?? [])
      .map(domainOf)
      .filter((host) => typeof host === 'string'),
  )

/** The host names of all live objects. */
const domainsInUse = (objects: readonly LiveObject[]): ReadonlySet<string> =>
  new Set(
    withAllInside(objects)
      .flatMap(hostsOf)
      .map((host) => host.toLowerCase()),
  )

/** The host names that a change writes, in fields that accept only the area's domains. */
export function writtenHosts(change: Change): readonly { readonly field: string; readonly host: string }[] {
  if (!('values' in change)) return []
  return domainFields(catalog[change.kind]).flatMap(({ name: field }) => {
    const value = change.values[field]
    return value?.is === 'value' ? asList(value.value).map((host) => ({ field, host: String(host).toLowerCase() })) : []
  })
}
