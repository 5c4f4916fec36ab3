import { catalog } from '../catalog/catalog.js'
import { suffixesOf } from '../catalog/domains.js'
import { creationRank, isNamedByHost } from '../catalog/queries.js'
import { append, groupBy } from '../json/groups.js'
import { compareText } from '../json/order.js'
import { type LiveObject, withAllInside } from '../live/live-object.js'
import { referredObjects } from '../live/referred.js'
import { createdIn } from './block.js'
import type { Matches } from './match/match.js'
import { type Change, madeTargets, referencesOf, wantedBy } from './plan.js'
import { writtenHosts } from './refused-domains.js'
import { roomMakers } from './room.js'

/** States what each change needs, and puts the changes into an order in which each comes after what it needs. */
export function order(changes: readonly Change[], world: Matches): readonly Change[] {
  const needs = findNeeds(changes, world)
  const sorted = changes
    .map((change) => {
      const needed = needs.get(change.address)
      return needed ? { ...change, dependsOn: [...needed].sort() } : change
    })
    .sort(bySequence)
  const byAddress = new Map(sorted.map((change) => [change.address, change]))
  const placed = new Set<string>()
  const ordered: Change[] = []
  const place = (change: Change): void => {
    if (placed.has(change.address)) return
    placed.add(change.address)
    for (const address of change.dependsOn) {
      const needed = byAddress.get(address)
      if (needed) place(needed)
    }
    ordered.push(change)
  }
  for (const change of sorted) place(change)
  return ordered
}

function bySequence(left: Change, right: Change): number {
  const deletes = Number(isDelete(left)) - Number(isDelete(right))
  if (deletes !== 0) return deletes
  const ranks = creationRank(left.kind) - creationRank(right.kind)
  if (ranks !== 0) return isDelete(left) ? -ranks : ranks
  return compareText(left.address, right.address)
}

const isDelete = (change: Change): boolean => wantedBy(change) === 'delete'

type Needs = Map<string, Set<string>>

function findNeeds(changes: readonly Change[], world: Matches): Needs {
  const byAddress = new Map(changes.map((change) => [change.address, change]))
  // Most changes need nothing, or one thing.
  const needs: Needs = new Map()
  for (const { address, dependsOn } of changes) if (dependsOn.length > 0) needs.set(address, new Set(dependsOn))
  const need = (change: Change, address: string | undefined): void => {
    const known = address !== undefined && address !== change.address && byAddress.has(address)
    if (!known) return
    const found = needs.get(change.address)
    if (found) found.add(address)
    else needs.set(change.address, new Set([address]))
  }
  const domains = newDomains(changes)
  const referrers = referrersOf(changes, world)
  const deleted = new Set(changes.flatMap(({ action, address }) => (action === 'delete' ? [address] : [])))
  const created = createdIn(changes)
  const room = roomMakers(changes)

  for (const change of changes) {
    for (const address of room.get(change) ?? []) need(change, address)
    for (const target of Object.values(change.path)) if (target.is === 'desired') need(change, target.address)
    switch (change.action) {
      case 'create':
      case 'update':
      case 'replace':
        for (const address of madeTargets(referencesOf(change))) need(change, address)
        for (const address of domainsNeeded(change, domains)) need(change, address)
        break
      case 'delete':
        if (change.within !== undefined) need(change, change.within)
        else
          for (const address of mustPrecede(change.live, { referrers, deleted, created, world })) need(change, address)
        break
      case 'blocked':
        break
    }
  }
  breakCircles(changes, needs, byAddress)
  return needs
}

/**
 * An object that goes waits for whoever lets go of it, unless that one waits for it as well: for what is made in its place,
 * such as the next endpoint of a maintenance event at the same path. What goes then leaves the reference by itself.
 */
function breakCircles(changes: readonly Change[], needs: Needs, byAddress: ReadonlyMap<string, Change>): void {
  const letGo = changes.flatMap(({ action, address }) =>
    action === 'delete'
      ? [...(needs.get(address) ?? [])].flatMap((each) =>
          byAddress.get(each)?.action === 'update' ? [{ gone: address, referrer: each }] : [],
        )
      : [],
  )
  if (letGo.length === 0) return
  const treeOf = createdTrees(changes, byAddress)
  const neededBy = (address: string): ReadonlySet<string> => {
    const seen = new Set([address])
    for (const each of seen) {
      for (const next of [...(needs.get(each) ?? []), ...(treeOf.get(each) ?? [])]) seen.add(next)
    }
    return seen
  }
  // One referrer may let go of thousands: what it needs is walked through once for all of them. What is in no circle now will
  // not be when others are broken.
  const inCircles = new Set(
    [...groupBy(letGo, ({ referrer }) => referrer)].flatMap(([referrer, edges]) => {
      const needed = neededBy(referrer)
      return edges.filter(({ gone }) => needed.has(gone))
    }),
  )
  let walked: { readonly from: string; readonly needed: ReadonlySet<string> } | undefined
  for (const { gone, referrer } of letGo.filter((each) => inCircles.has(each))) {
    // To break a circle of a referrer takes nothing from what it needs.
    if (walked?.from !== referrer) walked = { from: referrer, needed: neededBy(referrer) }
    if (walked.needed.has(gone)) needs.get(gone)?.delete(referrer)
  }
}

/** One request may make all of a tree: each waits for what any other waits for. */
function createdTrees(
  changes: readonly Change[],
  byAddress: ReadonlyMap<string, Change>,
): ReadonlyMap<string, readonly string[]> {
  const trees = new Map<string, string[]>()
  for (const change of changes) {
    if (change.action !== 'create') continue
    const { parent } = change.resource
    const isInside = parent !== undefined && byAddress.get(parent)?.action === 'create'
    if (!isInside) continue
    append(trees, parent, change.address)
    append(trees, change.address, parent)
  }
  return trees
}

/** Domains that this plan creates, or gives that name, by their name. */
function newDomains(changes: readonly Change[]): ReadonlyMap<string, string> {
  const made = new Map<string, string>()
  for (const change of changes) {
    if (change.action !== 'create' && change.action !== 'update') continue
    const isNew = change.action === 'create' || change.resource.key !== change.live.key
    if (isNew && isNamedByHost(catalog[change.kind])) made.set(change.resource.key.toLowerCase(), change.address)
  }
  return made
}

/** Those of them that an endpoint's host names equal or end in. */
function domainsNeeded(change: Change, domains: ReadonlyMap<string, string>): readonly string[] {
  if (domains.size === 0) return []
  return writtenHosts(change).flatMap(({ host }) => suffixesOf(host).flatMap((suffix) => domains.get(suffix) ?? []))
}

/** The live objects that refer to an object, by kind and id of that object. */
function referrersOf(changes: readonly Change[], world: Matches): ReadonlyMap<string, readonly LiveObject[]> {
  const referrers = new Map<string, LiveObject[]>()
  if (!changes.some((change) => change.action === 'delete')) return referrers
  for (const object of world.live.all) {
    const kind = catalog[object.kind]
    if (kind.association) append(referrers, `${kind.association}|${object.id}`, object)
    for (const [referred, id] of referredObjects(object)) append(referrers, `${referred}|${id}`, object)
  }
  return referrers
}

/** Objects that refer to each other and both go would wait for one another: that of the kind that is made later goes first. */
function goesFirst(object: LiveObject, referrer: LiveObject): boolean {
  if (creationRank(referrer.kind) >= creationRank(object.kind)) return false
  return referredObjects(object).some(([kind, id]) => kind === referrer.kind && id === referrer.id)
}

interface Deleting {
  readonly referrers: ReadonlyMap<string, readonly LiveObject[]>
  /** The addresses of all that goes. */
  readonly deleted: ReadonlySet<string>
  readonly created: ReturnType<typeof createdIn>
  readonly world: Matches
}

/** What must be done before an object goes: whoever refers to it or to something in it lets go, a substitute stands. */
function mustPrecede(object: LiveObject, { referrers, deleted, created, world }: Deleting): readonly string[] {
  // A link has the id of what it links to, which somebody else may refer to as well: that does not go with it.
  const inside = withAllInside([object]).filter(({ kind }) => !catalog[kind].association)
  const own = new Set(inside)
  const letGo = inside.flatMap((each) =>
    (referrers.get(`${each.kind}|${each.id}`) ?? []).flatMap((referrer) => {
      const address = world.addressOfLive(referrer)
      const mayWait = deleted.has(address) && goesFirst(each, referrer)
      return own.has(referrer) || mayWait ? [] : [address]
    }),
  )
  const parent = object.parent && world.addressOfLive(object.parent)
  const row = catalog[object.kind].parent
  const keepsOne = row !== undefined && catalog[row.kind].atLeastOne.includes(row.field)
  return keepsOne ? [...letGo, ...created(object.kind, parent)] : letGo
}
