import { catalog } from '../catalog/catalog.js'
import { ancestors } from '../catalog/queries.js'
import { siblingReferences } from '../catalog/reference-form.js'
import type { Kind, KindName, Operation } from '../catalog/types.js'
import { append, groupBy } from '../json/groups.js'
import { isObject } from '../json/json.js'
import { once } from '../json/once.js'
import type { LiveObject } from '../live/live-object.js'
import type { Resource } from '../manifest/resource.js'
import { placeOf } from '../manifest/source.js'
import { limitBreach, type UpdateOf } from './limit-breaches.js'
import type { Matches } from './match/match.js'
import { type BlockedChange, type Change, deletedIn, desiredAction, type PlanSettings, type Support } from './plan.js'

/** Marks changes as blocked if the interface has no operation for them. */
export function block(
  changes: readonly Change[],
  world: Matches,
  settings: PlanSettings,
  notOffered: readonly KindName[],
): readonly Change[] {
  const creates = new Map(changes.filter(isCreation).map((change) => [change.address, change]))
  const going: GoingObjects = {
    objects: deletedIn(changes),
    linksTo: once(() => linksIn(world)),
    holdersOf: once(() => holdersIn(changes, world)),
  }
  const leftWithoutErrorSet = lastOfTheirKind(changes, world, going)
  const blocked = new Map<string, string>()
  const updates = once(() => new Map(changes.flatMap((each) => (each.action === 'update' ? [[each.live, each]] : []))))
  const updateOf: UpdateOf = (live) => updates().get(live)

  return changes.map((change): Change => {
    const impossible = noCollection(change, notOffered) ?? noOperation(change, settings, creates, blocked)
    const used = impossible === undefined ? stillUsed(change, world, going) : undefined
    const reason = impossible ?? used ?? limitBreach(change, world, updateOf) ?? leftWithoutErrorSet.get(change)
    if (reason === undefined) {
      const support = supportOf(change, creates, settings)
      return support === change.support ? change : { ...change, support }
    }
    blocked.set(change.address, reason)
    return { ...asBlocked(change, reason), ...(used !== undefined && { isStillUsed: true }) }
  })
}

/** Also marks all changes as blocked that depend on blocked changes. Their dependencies must be known already. */
export function blockNeeding(changes: readonly Change[]): readonly Change[] {
  const causes = new Map(
    changes.flatMap(({ action, address }) => (action === 'blocked' ? [[address, address] as const] : [])),
  )
  if (causes.size === 0) return changes
  const users = new Map<string, string[]>()
  for (const { address, dependsOn, afterTemporary = [] } of changes) {
    for (const needed of [...dependsOn, ...afterTemporary]) append(users, needed, address)
  }
  // Needs that are added during the loop are visited too.
  for (const [address, cause] of causes) {
    for (const user of users.get(address) ?? []) if (!causes.has(user)) causes.set(user, cause)
  }
  return changes.map((change) => {
    const cause = causes.get(change.address)
    return cause === undefined || change.action === 'blocked'
      ? change
      : { ...asBlocked(change, `needs ${cause}, which is blocked`), needs: cause }
  })
}

const isCreation = (change: Change): boolean => change.action === 'create'

function rangesOf(change: Change): BlockedChange['ranges'] {
  if (change.action === 'blocked') return change.ranges
  return change.action === 'delete' ? undefined : change.resource.ranges
}

export function asBlocked(change: Change, reason: string): BlockedChange {
  const { address, kind, fields, verdict, source, dependsOn, precondition, hazards, path, siblings } = change
  const live = change.action === 'create' || change.action === 'blocked' ? undefined : change.live
  const wants = desiredAction(change)
  const ranges = rangesOf(change)
  const base = {
    address,
    kind,
    fields,
    verdict,
    source,
    dependsOn,
    precondition,
    hazards,
    path,
    siblings,
    support: undefined,
  }
  return { ...base, action: 'blocked', reason, wants, live, ...(ranges && { ranges }) }
}

/** The operation of a change, or the update of the parent if that carries the change. */
export function operationFor(kind: Kind, action: 'create' | 'update' | 'delete'): Operation | undefined {
  return kind.operations[action] ?? throughParent(kind, action)
}

/**
 * If a kind has no operation of its own, it is written by an update of its parent: a service's roles, or an error message that
 * its set does not have.
 */
export function throughParent(kind: Kind, action: 'create' | 'update' | 'delete'): Operation | undefined {
  if (!kind.parent || kind.operations[action] || kind.blocked[action] !== undefined) return undefined
  return catalog[kind.parent.kind].operations.update
}

/** If a kind cannot be listed, its objects may exist already, and a create could make them twice. */
function noCollection(change: Change, notOffered: readonly KindName[]): string | undefined {
  if (notOffered.length === 0) return undefined
  const kind = catalog[change.kind]
  const missing = [...ancestors(kind), kind].find((each) => notOffered.includes(each.name))
  return missing && `this platform does not offer objects of kind ${missing.name}`
}

function noOperation(
  change: Change,
  settings: PlanSettings,
  creates: ReadonlyMap<string, Change>,
  blocked: ReadonlyMap<string, string>,
): string | undefined {
  if (change.action === 'blocked') return change.reason
  if (change.action === 'delete' && change.within !== undefined) return undefined
  if (isNested(change, creates, settings) && !blocked.has(parentAddress(change) ?? '')) return undefined
  const kind = catalog[change.kind]
  const actions = change.action === 'replace' ? (['delete', 'create'] as const) : ([change.action] as const)
  for (const action of actions) {
    const stated = kind.blocked[action]
    if (stated !== undefined) return stated
    const operation = operationFor(kind, action)
    if (!operation) return `the interface has no operation that ${action}s a ${kind.name}`
    if (!operation.documented && settings.conventionalOperations === 'refuse') {
      return `${operation.method} ${operation.path} is conventional, and conventionalOperations is "refuse"`
    }
  }
  return undefined
}

/**
 * Whether an object is created in the request of its parent: if the catalogue says so, or if its own request would be
 * conventional and conventional operations are refused.
 */
export function isNested(
  change: Change,
  creates: ReadonlyMap<string, Change>,
  { conventionalOperations }: Pick<PlanSettings, 'conventionalOperations'>,
): boolean {
  const parent = parentAddress(change)
  const { parent: row, operations } = catalog[change.kind]
  if (change.action !== 'create' || parent === undefined || !row || !creates.has(parent)) return false
  const { nestedOnCreate, fields } = catalog[row.kind]
  if (nestedOnCreate.includes(row.field)) return true
  const isRefused = conventionalOperations === 'refuse' && operations.create?.documented === false
  return isRefused && fields[row.field]?.create !== 'Ign'
}

export function parentAddress(change: Change): string | undefined {
  return change.action === 'create' ? change.resource.parent : undefined
}

/** The live objects that the plan deletes, and the links to each object. */
interface GoingObjects {
  readonly objects: ReadonlySet<LiveObject>
  /** Live links that are separate objects, by the kind and id of their linked object. */
  readonly linksTo: () => ReadonlyMap<string, readonly LiveObject[]>
  /**
   * Live objects that keep a reference to an object in the same parent, by the kind and id of that object. Example: the endpoints
   * that use an error set.
   */
  readonly holdersOf: () => ReadonlyMap<string, readonly LiveObject[]>
}

/** Live links by the kind and id of their linked object: the plan services of a service. */
const linksIn = ({ live }: Matches): ReadonlyMap<string, readonly LiveObject[]> =>
  groupBy(
    live.all.filter(({ kind }) => isDeletedAlone(catalog[kind])),
    ({ kind, id }) => `${catalog[kind].association} ${id}`,
  )

const isDeletedAlone = ({ association, operations }: Kind): boolean =>
  association !== undefined && operations.delete !== undefined

/** Live objects that remain, and whose reference no change of the plan writes. */
function holdersIn(changes: readonly Change[], { live }: Matches): ReadonlyMap<string, readonly LiveObject[]> {
  const holders = new Map<string, LiveObject[]>()
  const written = new Map(
    changes.flatMap((change) => (change.action === 'update' ? [[change.live, change.values] as const] : [])),
  )
  const recreated = new Set(changes.flatMap((change) => (change.action === 'replace' ? [change.live] : [])))
  for (const object of live.all) {
    if (recreated.has(object)) continue
    for (const { field, target } of siblingReferences(catalog[object.kind])) {
      const value = object.fields[field]
      if (!isObject(value) || written.get(object)?.[field] !== undefined) continue
      append(holders, `${target.name} ${String(value.id)}`, object)
    }
  }
  return holders
}

/**
 * Why an object that is in use cannot be deleted. A service that plans use is not deleted, because nobody knows what would happen
 * to those plans (field notes, Writing). An error set that a remaining endpoint uses is not deleted either: the endpoint would
 * use another set, or the platform would refuse.
 */
function stillUsed(change: Change, world: Matches, going: GoingObjects): string | undefined {
  if (change.action !== 'delete' || change.within !== undefined) return undefined
  const key = `${change.kind} ${change.live.id}`
  const users = [
    ...(going.linksTo().get(key) ?? []).flatMap((link) => (link.parent ? [{ link, user: link.parent }] : [])),
    ...(going.holdersOf().get(key) ?? []).map((user) => ({ link: user, user })),
  ]
  const staying = users.filter(({ link }) => !going.objects.has(link))
  const [first] = staying
  if (!first) return undefined
  const more = staying.length > 1 ? ` and ${staying.length - 1} more` : ''
  const verb = staying.length > 1 ? 'still use it' : 'still uses it'
  return `${world.addressOfLive(first.user)}${more} ${verb}${writtenAt(world.claimed.get(first.link))}`
}

/** Where the manifests write the object, in brackets. */
function writtenAt(resource: Resource | undefined): string {
  if (resource === undefined) return ''
  const { file, line } = placeOf(resource.range)
  return ` (${file}:${line})`
}

/** The addresses of the creates of a plan, by kind and by the address of the parent. */
export const createdIn = (changes: readonly Change[]): ((kind: KindName, parent?: string) => readonly string[]) => {
  const created = new Map<string, string[]>()
  for (const change of changes) {
    if (change.action === 'create') append(created, `${change.kind} ${change.resource.parent}`, change.address)
  }
  return (kind, parent) => created.get(`${kind} ${parent}`) ?? []
}

/**
 * Deletes that would leave a parent without any object of a kind, with the reason. The document says: "A service must have at
 * least one error set".
 */
function lastOfTheirKind(changes: readonly Change[], world: Matches, going: GoingObjects): ReadonlyMap<Change, string> {
  const reasons = new Map<Change, string>()
  const created = createdIn(changes)
  const deletes = changes.flatMap((change) =>
    change.action === 'delete' && change.within === undefined ? [change] : [],
  )
  for (const [parent, siblings] of groupBy(deletes, ({ live }) => live.parent)) {
    if (!parent) continue
    for (const [name, same] of groupBy(siblings, ({ kind }) => kind)) {
      const kind = catalog[name]
      const row = kind.parent
      if (!row || !catalog[row.kind].atLeastOne.includes(row.field)) continue
      const isReplaced = created(name, world.addressOfLive(parent)).length > 0
      if (isReplaced || !world.live.among(name, parent).every((object) => going.objects.has(object))) continue
      for (const change of same) reasons.set(change, `a ${row.kind} keeps at least one ${name}`)
    }
  }
  return reasons
}

function supportOf(change: Change, creates: ReadonlyMap<string, Change>, settings: PlanSettings): Support | undefined {
  if (change.action === 'blocked' || isNested(change, creates, settings)) return undefined
  if (change.action === 'delete' && change.within !== undefined) return undefined
  const operation = operationFor(catalog[change.kind], change.action === 'replace' ? 'create' : change.action)
  if (!operation) return undefined
  if (operation.caveat) return { is: 'caveat', text: operation.caveat }
  if (operation.documented) return undefined
  return { is: 'conventional', text: `${operation.method} ${operation.path}` }
}
