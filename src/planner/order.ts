import { catalog } from '../catalog/catalog.js'
import { suffixesOf } from '../catalog/domains.js'
import { creationRank, hasSecretName, isNamedByHost } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import { append, groupBy } from '../json/groups.js'
import { compareText } from '../json/order.js'
import { type LiveObject, withAllInside } from '../live/live-object.js'
import { referredObjects } from '../live/referred.js'
import { createdIn } from './block.js'
import { idNow, idThen } from './limits.js'
import type { Matches } from './match/match.js'
import { type Change, desiredAction, madeTargets, referencesOf, requestedAt } from './plan.js'
import { targetKey } from './references/scope.js'
import { writtenHosts } from './refused-domains.js'

/** Finds the dependencies of each change, and sorts the changes so that each comes after its dependencies. */
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

const isDelete = (change: Change): boolean => desiredAction(change) === 'delete'

type Needs = Map<string, Set<string>>

function findNeeds(changes: readonly Change[], world: Matches): Needs {
  const byAddress = new Map(changes.map((change) => [change.address, change]))
  // Most changes have no dependency, or only one.
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
 * Removes cycles. A delete waits for the updates that remove references to the object. But if such an update itself waits for the
 * delete, the delete does not wait: the update may need what is created in its place, such as the next endpoint of a maintenance
 * event at the same path. The platform then removes the reference with the object.
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
  // One referrer may remove references to thousands of objects, so its dependencies are collected once for all of them. An edge
  // that is in no cycle now is in none after other edges are removed.
  const inCircles = new Set(
    [...groupBy(letGo, ({ referrer }) => referrer)].flatMap(([referrer, edges]) => {
      const needed = neededBy(referrer)
      return edges.filter(({ gone }) => needed.has(gone))
    }),
  )
  let walked: { readonly from: string; readonly needed: ReadonlySet<string> } | undefined
  for (const { gone, referrer } of letGo.filter((each) => inCircles.has(each))) {
    // Removing an edge to this referrer does not change the dependencies of the referrer.
    if (walked?.from !== referrer) walked = { from: referrer, needed: neededBy(referrer) }
    if (walked.needed.has(gone)) needs.get(gone)?.delete(referrer)
  }
}

/**
 * Creates inside each created parent, by address. One request may create a whole tree, so each create in it waits for the
 * dependencies of all.
 */
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

/** The domains that this plan creates, or renames to that name, by their name. */
function newDomains(changes: readonly Change[]): ReadonlyMap<string, string> {
  const made = new Map<string, string>()
  for (const change of changes) {
    if (change.action !== 'create' && change.action !== 'update') continue
    const isNew = change.action === 'create' || change.resource.key !== change.live.key
    if (isNew && isNamedByHost(catalog[change.kind])) made.set(change.resource.key.toLowerCase(), change.address)
  }
  return made
}

/** Those domains that are equal to a host of an endpoint, or a suffix of it. */
function domainsNeeded(change: Change, domains: ReadonlyMap<string, string>): readonly string[] {
  if (domains.size === 0) return []
  return writtenHosts(change).flatMap(({ host }) => suffixesOf(host).flatMap((suffix) => domains.get(suffix) ?? []))
}

/** The live objects that refer to an object, by the kind and id of that object. */
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

/**
 * Whether an object is deleted before one that refers to it. If two deleted objects refer to each other, each would wait for the
 * other; the one whose kind is created later is deleted first.
 */
function goesFirst(object: LiveObject, referrer: LiveObject): boolean {
  if (creationRank(referrer.kind) >= creationRank(object.kind)) return false
  return referredObjects(object).some(([kind, id]) => kind === referrer.kind && id === referrer.id)
}

interface Deleting {
  readonly referrers: ReadonlyMap<string, readonly LiveObject[]>
  /** The addresses of all deleted objects. */
  readonly deleted: ReadonlySet<string>
  readonly created: ReturnType<typeof createdIn>
  readonly world: Matches
}

/**
 * The changes that must precede a delete: all references to the object and its contents are removed, and a required substitute is
 * created.
 */
function mustPrecede(object: LiveObject, { referrers, deleted, created, world }: Deleting): readonly string[] {
  // The id of a link is the id of its linked object. Others may refer to that object too, and it is not deleted with the link.
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

/** The changes that must be made before each change, because they make room for it. */
function roomMakers(changes: readonly Change[]): ReadonlyMap<Change, readonly string[]> {
  const [inPlans, forValues] = [roomInPlans(changes), roomForValues(changes)]
  if (forValues.size === 0) return inPlans
  const all = new Set([...inPlans.keys(), ...forValues.keys()])
  return new Map([...all].map((change) => [change, [...(inPlans.get(change) ?? []), ...(forValues.get(change) ?? [])]]))
}

/** If a key is created again for another developer, it has the same value as the deleted key, so the delete comes first. */
function roomForValues(changes: readonly Change[]): ReadonlyMap<Change, readonly string[]> {
  const going = new Map<string, string[]>()
  const valueIn = (kind: KindName, key: string) =>
    key !== '' && hasSecretName(catalog[kind]) ? `${kind} ${key}` : undefined
  for (const change of changes) {
    const value = change.action === 'delete' ? valueIn(change.kind, change.live.key) : undefined
    if (value !== undefined) append(going, value, requestedAt(change))
  }
  const needs = new Map<Change, readonly string[]>()
  for (const change of going.size === 0 ? [] : changes) {
    const value = change.action === 'create' ? valueIn(change.kind, change.resource.key) : undefined
    const before = going.get(value ?? '')
    if (before) needs.set(change, before)
  }
  return needs
}

/**
 * A developer may have only a limited number of keys of a plan, so creates of such keys wait for the deletes. They wait even if
 * there is room, because the limit may not be known (A103). There is no cycle: deletes wait for nothing here, and only creates
 * wait.
 */
function roomInPlans(changes: readonly Change[]): ReadonlyMap<Change, readonly string[]> {
  const going = new Map<string, Change[]>()
  for (const change of changes) {
    const [now, then] = sharesOf(change)
    if (now !== undefined && now !== then) append(going, now, change)
  }
  const needs = new Map<Change, readonly string[]>()
  if (going.size === 0) return needs
  for (const change of changes) {
    const [now, then] = sharesOf(change)
    if (then === undefined || now === then) continue
    const before = (going.get(then) ?? []).filter(({ action }) => action === 'delete' || change.action === 'create')
    if (before.length > 0) needs.set(change, before.map(requestedAt))
  }
  return needs
}

/** The count to which an object belongs before and after its change. Objects that are counted together have the same text. */
function sharesOf(change: Change): readonly [now: string | undefined, then: string | undefined] {
  const { limited } = catalog[change.kind]
  const holder = limited && change.path[catalog[limited.per].idParameter]
  if (!holder || change.action === 'blocked') return [undefined, undefined]
  const share = (id: string) => (id === '' ? undefined : `${id} ${targetKey(holder)}`)
  return [share(idNow(change, limited.by)), share(idThen(change, limited.by))]
}
