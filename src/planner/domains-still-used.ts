import { catalog } from '../catalog/catalog.js'
import { coveredBy } from '../catalog/domains.js'
import { isNamedByHost } from '../catalog/queries.js'
import type { LiveObject, Snapshot } from '../live/live-object.js'
import { addressOfLive } from '../live/names.js'
import { domainUses } from '../manifest/domains.js'
import { rangeAt } from '../manifest/reference-use.js'
import type { Manifests } from '../manifest/resource.js'
import { placeOf } from '../manifest/source.js'
import { domainStillUsed, type HostUse } from '../problems/planning.js'
import type { Problem } from '../problems/problem.js'
import { type Change, deletedIn, type Plan } from './plan.js'
import { hostsOf } from './refused-domains.js'

/** Warnings about Domains that a plan deletes or renames although remaining objects have hosts in them. */
export function domainsStillUsed(plan: Plan, { resources }: Manifests, snapshot: Snapshot): readonly Problem[] {
  const going = plan.changes.filter(takesDomainAway)
  if (going.length === 0) return []
  const ids = new Set(going.map(({ live }) => live.id))
  const isDomain = ({ kind }: Pick<LiveObject, 'kind'>) => isNamedByHost(catalog[kind])
  const live = snapshot.objects.filter((object) => isDomain(object) && !ids.has(object.id))
  const isCovered = coveredBy([...live, ...resources.filter(isDomain)].map(({ key }) => key))
  const left = [...desiredUses(resources), ...liveUses(plan, resources, snapshot)].filter(
    ({ host }) => !isCovered(host),
  )
  return going.flatMap(({ address, live: { key }, source }) => {
    const isOfIt = coveredBy([key])
    const uses = left.filter(({ host }) => isOfIt(host))
    return uses.length === 0 ? [] : [domainStillUsed(address, uses, source && placeOf(source))]
  })
}

type GoingChange = Extract<Change, { readonly live: LiveObject }>

const takesDomainAway = (change: Change): change is GoingChange =>
  'live' in change &&
  isNamedByHost(catalog[change.kind]) &&
  (change.action === 'delete' || ('resource' in change && change.resource.key !== change.live.key))

const desiredUses = (resources: Manifests['resources']): readonly HostUse[] =>
  resources.flatMap((resource) =>
    domainUses(resource).map(({ value, pointer }) => ({
      address: resource.address,
      host: value,
      place: () => placeOf(rangeAt(resource, pointer)),
    })),
  )

/** The hosts of live objects that remain, without those that a manifest writes. */
function liveUses(
  { changes, matched }: Plan,
  resources: Manifests['resources'],
  { objects }: Snapshot,
): readonly HostUse[] {
  const deleted = deletedIn(changes)
  const changed = new Map(changes.flatMap((change) => ('live' in change && change.live ? [[change.live, change]] : [])))
  const declared = new Map(
    resources.map((resource) => [
      matched.get(resource.address),
      new Set(domainUses(resource).map(({ value }) => value.toLowerCase())),
    ]),
  )
  const usesIn = (object: LiveObject): readonly HostUse[] => {
    if (deleted.has(object)) return []
    const written = declared.get(object)
    const hosts = hostsOf(withoutWritten(object, changed.get(object))).filter(
      (host) => !written?.has(host.toLowerCase()),
    )
    return [...hosts.map((host) => ({ address: addressOfLive(object), host })), ...object.children.flatMap(usesIn)]
  }
  return objects.flatMap(usesIn)
}

/** The object with the fields that keep their values. A rollback leaves fields that somebody has changed since. */
function withoutWritten({ kind, fields }: LiveObject, change: Change | undefined): Pick<LiveObject, 'kind' | 'fields'> {
  if (change?.action === 'replace') return { kind, fields: {} }
  const written = new Set(change?.action === 'update' ? change.fields.map(({ path }) => path) : [])
  return { kind, fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !written.has(`/${name}`))) }
}
