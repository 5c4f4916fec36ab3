import type { KindName } from '../catalog/types.js'
import { by } from '../json/order.js'
import type { LiveObject, Snapshot } from '../live/live-object.js'
import { problemsInOrder } from '../manifest/problems-in-order.js'
import type { Manifests, Resource } from '../manifest/resource.js'
import { placeOf } from '../manifest/source.js'
import { usedOneStays } from '../problems/planning.js'
import { hasErrors } from '../problems/problem.js'
import { secretsNotVerified } from '../problems/refusals.js'
import type { Fingerprint } from '../secrets/fingerprint.js'
import { type Base, objectsOfBase } from './base/base-object.js'
import { asApplied, todaysBase } from './base/todays-base.js'
import { asBlocked, block, blockNeeding } from './block.js'
import { draftCreate, draftReplace } from './changes/create.js'
import { deleteChange, type Going, withContents } from './changes/delete.js'
import type { DraftContext, Drafted } from './changes/draft.js'
import { draftUpdate } from './changes/update.js'
import { holderResource, type Withdrawal, withdrawalsIn } from './compare/withdrawals.js'
import { limited } from './limits.js'
import type { KeyName } from './match/live-address.js'
import { lookAlikes } from './match/look-alikes.js'
import { type Matches, match } from './match/match.js'
import { findPossibleRenames, type Leftover, type PossibleRename } from './match/possible-renames.js'
import { leadsNowhere, notRestoredIn } from './not-restored.js'
import { order } from './order.js'
import type { BlockedChange, Change, Plan, PlanSettings, Skipped } from './plan.js'
import { type Deletions, lostInside, planDeletions } from './prune/deletions.js'
import { isAdded, isPlatformOwned, ownedElsewhere, undeclaredIn } from './prune/ownership.js'
import { findReplaced } from './prune/replaced.js'
import { expandedIn } from './references/expanded.js'
import { brokenInverseReferences, referenceProblems } from './references/problems.js'
import { noRemovals, type PlannedRemovals } from './references/scope.js'
import { routed } from './routes.js'
import { Acceptances, acceptedAsGone, acceptedToday, goneTargetOf, lapsedFor } from './safety/accept.js'
import { type Acceptance, type Accepted, type Lapsed, nothingAccepted } from './safety/acceptance.js'

/** The input for a plan. */
export interface PlanInput {
  readonly manifests: Manifests
  readonly snapshot: Snapshot
  /** Kinds that the platform has no collection for: their live objects are not known. */
  readonly notOffered: readonly KindName[]
  readonly settings: PlanSettings
  /** What was last applied. Undefined if nothing is known. */
  readonly base: Base | undefined
  readonly fingerprint: Fingerprint
  /** Claim keys of objects that other projects have created or adopted. They are never pruned. */
  readonly ownedElsewhere: ReadonlySet<string>
  /** The other environments that declare objects of this area, by claim key. Absent: not known. */
  readonly declaredElsewhere?: ReadonlyMap<string, string>
  readonly keyName: KeyName
  /** Drift that is left alone. Default: none. */
  readonly accepted?: Accepted
  /** A digest of a text, "sha256:…". */
  readonly digest: (text: string) => string
}

/** Compares the desired with the live objects. Returns the complete, ordered list of changes. Pure. */
export function makePlan(input: PlanInput): Plan {
  const { manifests, settings } = input
  const acceptances = acceptedToday(input.accepted ?? nothingAccepted, manifests.resources)
  const { context, found, going } = decided(input, acceptances)
  const { world, base, gone } = context
  const { drafts, skipped } = draftsOf(context)
  const deletes = going.map((each) => deleteChange(each, context))
  const broken = drafts.flatMap((each) => each.broken)
  const isRollback = settings.madeFor === 'rollback'
  // In a rollback, an object that the run deleted comes back as another one, even if a similar object has replaced it.
  const mayBeRenamed = isRollback ? [] : drafts
  const renames = findPossibleRenames(
    mayBeRenamed.flatMap(({ change }) => (change?.action === 'create' ? [change] : [])),
    leftovers(found, { ...input, base }, world),
    world,
  )
  const problems = [
    ...(isRollback ? world.problems.filter(({ code }) => code !== 'parent-not-found') : world.problems),
    ...found.problems,
    ...referenceProblems(
      [
        ...(isRollback ? broken.filter((each) => !leadsNowhere(each)) : broken),
        ...brokenInverseReferences(world, context.references.removals),
      ],
      renames,
      context.references,
    ),
    ...drafts.flatMap((each) => each.problems),
  ]
  const desired = drafts
    .flatMap(({ change }) => (change ? [withoutGoneTargets(change, gone)] : []))
    .map((change) => withSuspicion(change, renames, world))
  // A drift report shows the differences that can be compared, even if other parts have errors (A360).
  const canBePlanned = !hasErrors(problems) || settings.madeFor === 'report'
  const planned = canBePlanned ? blockedAndOrdered([...desired, ...deletes], world, input) : []
  const staying = isRollback ? [] : usedAdditions(planned, { world, base, manifests })
  const stay = new Set<Change>(staying)
  const changes = planned.filter((each) => !stay.has(each))
  const kept = [...drafts.flatMap((each) => each.accepted), ...found.accepted]
  const touched = new Set([...changes, ...kept].map(({ address }) => address))
  const withBroken = new Set(broken.map(({ from }) => from.address))
  const isInSync = ({ implicit, address }: Resource) =>
    !implicit && ![touched, gone, world.unclear, withBroken].some((known) => known.has(address))
  const lapsed = (address: string, paths: readonly string[] | 'object') => lapsedFor({ address, paths }, acceptances)
  return {
    changes: changes.map((change) => withLapsed(change, lapsed(change.address, pathsOf(change)))),
    accepted: kept.sort(by(({ address, field }) => `${address} ${field?.path ?? ''}`)),
    matched: world.matched,
    skipped: [...skipped, ...drafts.flatMap((each) => each.skipped)],
    base,
    expanded: expandedIn(world.resources.values(), context.references),
    undeclared: base ? undeclaredIn(world).filter((address) => !found.released.has(address)) : [],
    unmanaged: found.unmanaged.map((each) =>
      each.inList && !touched.has(each.address) ? withLapsed(each, lapsed(each.address, 'object')) : each,
    ),
    unchanged: [...world.resources.values()].filter(isInSync).length,
    ...(isRollback && { notRestored: notRestoredIn(broken, world) }),
    problems: problemsInOrder([...problems, ...staying.map(usedOneStays), ...lookAlikes(changes, world)]),
  }
}

/** The decisions that must be made before the first change is drafted: the matches, the deletions and the replacements. */
interface Decided {
  readonly context: DraftContext
  readonly found: Deletions
  /** The deleted objects with everything inside them. */
  readonly going: readonly Going[]
}

function decided(input: PlanInput, acceptances: Accepted): Decided {
  const { manifests, snapshot, settings, fingerprint, digest } = input
  const accepted = new Acceptances(acceptances, fingerprint)
  const isKnownById = settings.madeFor === 'report'
  const world = match(manifests, snapshot, input.keyName, {
    idOf: (address) => input.base?.objects.get(address)?.id,
    isFoundById: (address) => isKnownById || accepted.mayBeRenamed(address),
    isKnown: objectsOfBase(input.base),
  })
  const base = input.base && todaysBase(input.base, world)
  const gone = acceptedAsGone(world, accepted)
  const different = findReplaced(world, accepted)
  const found = planDeletions(world, { ...input, base, accepted })
  const forbidden = new Map(
    [...different].flatMap(([address, names]) => {
      const reason = whyNotReplaced(address, names, { world, found, input: { ...input, base } })
      return reason === undefined ? [] : [[address, reason]]
    }),
  )
  const replaced = new Map([...different].filter(([address]) => !forbidden.has(address)))
  const replacedLive = new Set([...replaced.keys()].flatMap((address) => world.matched.get(address) ?? []))
  const going = found.deletions.flatMap((each) => withContents(each, world, replacedLive))
  const removals: PlannedRemovals = {
    deleted: new Set(going.map((each) => each.object)),
    replaced: withDescendants(replaced, world),
    leftDeleted: new Set(gone.keys()),
  }
  // The base is read without objects that this plan deletes or replaces.
  const earlier = { scope: { names: asApplied(world, base), removals: noRemovals }, fingerprint }
  const references = { names: world, removals }
  const known = { world, base, settings, fingerprint, digest, references, earlier }
  return { context: { ...known, accepted, gone, different, forbidden, replaced }, found, going }
}

/** The drafts for every declared object, and for every live object from whose list a declared object is withdrawn. */
function draftsOf(context: DraftContext): {
  readonly drafts: readonly Drafted[]
  readonly skipped: readonly Skipped[]
} {
  const { world, base, references, earlier } = context
  const withdrawals = withdrawalsIn({ world, base, names: earlier.scope.names, deleted: references.removals.deleted })
  const adjusted = withWithdrawals(withdrawals, world)
  const ofResources = [...world.resources.values()].flatMap(
    (each) => draft(adjusted.resources.get(each.address) ?? each, context) ?? [],
  )
  const ofHolders = withdrawals
    .filter(({ holder }) => !world.claimed.has(holder))
    .flatMap((each) => draftUpdate(holderResource(each, world), each.holder, context) ?? [])
  return { drafts: [...ofResources, ...ofHolders], skipped: adjusted.skipped }
}

/**
 * The changes in an order in which they can be made. If a change cannot be made, it is blocked together with all changes that
 * depend on it.
 */
function blockedAndOrdered(
  changes: readonly Change[],
  world: Matches,
  { settings, notOffered, digest }: PlanInput,
): readonly Change[] {
  const blocked = block(limited(routed(changes, digest)), world, settings, notOffered)
  return blockNeeding(order(blocked, world))
}

/**
 * Blocked deletes of objects that the platform added by itself and that are in use. These objects are kept, unless a document of
 * kind Removed names them.
 */
const usedAdditions = (
  changes: readonly Change[],
  { world, base, manifests }: Pick<PlanInput, 'base' | 'manifests'> & { readonly world: Matches },
): readonly BlockedChange[] =>
  changes.flatMap((change) => {
    if (change.action !== 'blocked' || !change.isStillUsed || !change.live) return []
    const isNamed = manifests.removals.some(({ address }) => address === change.address)
    return isAdded(change.live, base, world) && !isNamed ? [change] : []
  })

/** Blocks a change that would refer to an object that remains deleted. */
function withoutGoneTargets(change: Change, gone: DraftContext['gone']): Change {
  const target = goneTargetOf(change, gone)
  return target === undefined
    ? change
    : asBlocked(change, `it refers to ${target}, which was deleted on the platform, and that is accepted`)
}

const pathsOf = (change: Change): readonly string[] | 'object' =>
  change.action === 'create' || change.action === 'delete' ? 'object' : change.fields.map(({ path }) => path)

const withLapsed = <Entry extends object>(entry: Entry, lapsed: readonly Lapsed[]): Entry =>
  lapsed.length === 0 ? entry : { ...entry, lapsed }

/** Returns what a live object that no manifest declares is to this plan. */
function leftovers(
  { deletions, unmanaged }: Deletions,
  { base, ownedElsewhere: claims }: Pick<PlanInput, 'base' | 'ownedElsewhere'>,
  world: Matches,
): (object: LiveObject) => Leftover {
  const others = ownedElsewhere(world, claims)
  const going = new Set(deletions.map((each) => each.object))
  // The id of a link is the id of its linked object.
  const extra = new Set(unmanaged.filter((each) => each.inList).map(({ kind, id }) => `${kind} ${id}`))
  return (object) => {
    if (others.has(object) || isPlatformOwned(object)) return 'not ours'
    const isExtra = going.has(object) || extra.has(`${object.kind} ${object.id}`)
    const known = base?.objects.get(world.addressOfLive(object))
    // No manifest has ever named an object that the platform created with its parent, even if a run announced it.
    const isGone = isAdded(object, base, world) ? known && !known.announced : isExtra || known
    return isGone ? 'vanished' : 'unmanaged'
  }
}

function withSuspicion(change: Change, renames: ReadonlyMap<string, PossibleRename>, world: Matches): Change {
  const rename = change.action === 'create' ? renames.get(change.address) : undefined
  if (change.action !== 'create' || !rename) return change
  const { live, similarity, leftover } = rename
  return { ...change, possibleRename: { address: world.addressOfLive(live), name: live.key, leftover, similarity } }
}

/**
 * Why an object may not be replaced. Only the object that a recorded run created or adopted is replaced, unless the user allows
 * more. An object is not replaced if that would also delete an object inside it that is neither created again nor to be deleted
 * (A350).
 */
function whyNotReplaced(
  address: string,
  names: readonly string[],
  { world, found, input }: { readonly world: Matches; readonly found: Deletions; readonly input: PlanInput },
): string | undefined {
  const { base, settings } = input
  const live = world.matched.get(address)
  if (!live) return undefined
  // The object is searched for by its id, because a field that cannot be changed may be part of its address, such as the package
  // of a key.
  const fields = `${names.join(', ')} cannot be changed`
  if (world.resources.get(address)?.id === live.id) {
    return `${fields}, and if it is created again, it gets another id: leave metadata.id out, which pins it to the deleted one`
  }
  if (!settings.allowReplace && !objectsOfBase(base)(live)) {
    return `${fields}, and no record says that this project created the object: --allow-replace lets it be deleted and created again`
  }
  const lost = lostInside(live, { world, base, found })
  return (
    lost &&
    `${fields}, and if it is created again, it loses ${world.addressOfLive(lost)}, which no manifest declares: declare that, or name it in a document of kind Removed`
  )
}

/** The addresses of the replaced objects and of all declared objects inside them. */
function withDescendants(replaced: ReadonlyMap<string, unknown>, world: Matches): ReadonlySet<string> {
  const all = new Set(replaced.keys())
  for (const resource of world.resources.values()) {
    if (resource.parent !== undefined && all.has(resource.parent)) all.add(resource.address)
  }
  return all
}

/** The change that a resource needs, if any. */
function draft(resource: Resource, context: DraftContext): Drafted | undefined {
  const { address } = resource
  if (context.world.unclear.has(address)) return undefined
  if (context.world.uncertain.has(address)) return uncertain(resource)
  const live = context.world.matched.get(address)
  if (context.gone.has(address)) return leftDeleted(resource, context.gone.get(address))
  const replaced = context.replaced.get(address)
  if (live && replaced) return draftReplace(resource, live, replaced, context)
  if (!live || context.references.removals.replaced.has(address)) return draftCreate(resource, live, context)
  return context.forbidden.has(address) ? forbid(resource, live, context) : draftUpdate(resource, live, context)
}

/** If the deletion of an object is accepted, or that of one of its parents, it gets no change. */
const leftDeleted = ({ address, kind }: Resource, acceptance: Acceptance | undefined): Drafted => ({
  problems: [],
  broken: [],
  skipped: [{ address, paths: 'all' }],
  accepted: acceptance ? [{ address, kind, acceptance, field: undefined }] : [],
})

/** It is not known which live object the resource is, so nothing is compared. */
const uncertain = ({ address, unavailable, range }: Resource): Drafted => ({
  problems: [secretsNotVerified(address, unavailable, placeOf(range))],
  broken: [],
  skipped: [{ address, paths: 'all' }],
  accepted: [],
})

/** A replace that is not allowed becomes blocked. */
function forbid(resource: Resource, live: LiveObject, context: DraftContext): Drafted {
  const { different, forbidden } = context
  const drafted = draftReplace(resource, live, different.get(resource.address) ?? [], context)
  return { ...drafted, change: drafted.change && asBlocked(drafted.change, forbidden.get(resource.address) ?? '') }
}

/**
 * The declared resources that withdrawals concern, in the form for comparison: lists without the leaving entries, and the leaving
 * objects without the field that names the list. The base of that field is kept until the list is written.
 */
function withWithdrawals(
  withdrawals: readonly Withdrawal[],
  world: Matches,
): { readonly resources: ReadonlyMap<string, Resource>; readonly skipped: readonly Skipped[] } {
  const resources = new Map<string, Resource>()
  const skipped: Skipped[] = []
  for (const each of withdrawals) {
    const declared = world.claimed.get(each.holder)
    if (declared) resources.set(declared.address, holderResource(each, world))
    for (const { resource, field } of each.leaving) {
      const path = `/${field}`
      skipped.push({ address: resource.address, paths: [path] })
      resources.set(resource.address, { ...resource, ignore: [...resource.ignore, path] })
    }
  }
  return { resources, skipped }
}
