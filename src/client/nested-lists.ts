import { catalog } from '../catalog/catalog.js'
import { ownFields, perKind, referredKind } from '../catalog/queries.js'
import type { Kind, Operation } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { asList, objectsIn } from '../json/json.js'
import type { Holder, ReadSpec } from '../live/live-object.js'
import { goneWhileRead } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'

import { type Listed, list, orLeftOut, type Placed, placedIds, type ReadContext, rootList } from './collections.js'
import { earlierLinks } from './earlier.js'
import { identifying } from './fields.js'
import { filledPath, isRequested, type Nested, nestedIn, type Requested, requestedBelow } from './nesting.js'
import { type Collected, isNoList, isRefusedRequest, pageSize, readCollection } from './pages.js'
import { mayPick, picksOf, withPicked } from './picked.js'

/** The objects with everything requested inside them: a platform may leave nested parts out of its answers. */
export async function complete(
  kind: Kind,
  way: string,
  parents: readonly Placed[],
  context: ReadContext,
): Promise<readonly JsonObject[]> {
  const parts: { readonly field: string; readonly lists: readonly Listed[] }[] = []
  for (const nested of listsRequested(kind, context.requested)) {
    const lists = await listsIn(nested, way, parents, context)
    const inner = await Promise.resolve(
      nested.holds === 'links' ? lists : completeLists(nested.kind, `${way}/${nested.field}`, parents, lists, context),
    )
    parts.push({ field: nested.field, lists: inner })
  }
  for (const own of ownLists(kind)) {
    if (!context.requested.get(kind.name)?.includes(own.field)) continue
    parts.push({ field: own.field, lists: await reportedSeparately(own, way, parents, context) })
  }
  const picked = mayPick(kind, context.requested) ? await pickedIn(kind, way, parents, context) : undefined
  return parents.map((parent, index) => {
    const object = picked?.[index] ?? parent.object
    // An object that was answered completely, as nearly all are, is not copied.
    let whole: Record<string, Json> | undefined
    for (const { field, lists } of parts) {
      const held = lists[index]
      if (!held || held === object[field]) continue
      whole ??= { ...object }
      whole[field] = held
    }
    return whole ?? object
  })
}

/** A list of references that has a path of its own in the document: the endpoints of a maintenance event. */
interface OwnList {
  readonly field: string
  readonly kind: Kind
  readonly operation: Operation
}

const ownLists = perKind((kind): readonly OwnList[] =>
  ownFields(kind).flatMap((field) => {
    const referred = referredKind(field)
    const operation = kind.operations[`list${field.name.charAt(0).toUpperCase()}${field.name.slice(1)}`]
    return referred && operation ? [{ field: field.name, kind: catalog[referred], operation }] : []
  }),
)

/**
 * The lists of these objects, requested by their own paths: all of them if no answer has any, otherwise those that may be
 * incomplete. undefined if the answers are right, or if the first request is refused.
 */
async function reportedSeparately(
  { field, kind, operation }: OwnList,
  way: string,
  parents: readonly Placed[],
  context: ReadContext,
): Promise<readonly Listed[]> {
  const listOf = (parent: Placed): Promise<Collected> => {
    const query = { kind, path: filledPath(operation.path, placedIds(parent)), fields: identifying(kind) }
    return readCollection(context.get, query, context.onProgress)
  }
  const [first, ...others] = parents
  if (!first) return []
  if (parents.some(({ object }) => object[field] !== undefined)) {
    const sizes = parents.map(({ object }) => asList(object[field]).length)
    return wholeLists(`${way}/${field}`, parents, sizes, listOf, context)
  }
  const one = await listOf(first).catch((error: unknown): Collected => {
    if (!isNoList(error)) throw error
    return { is: 'not-offered', requests: 1 }
  })
  const collected = one.is === 'listed' ? [one, ...(await Promise.all(others.map(listOf)))] : [one]
  countLists(`${way}/${field}`, collected, context)
  return parents.map((_, index) => {
    const each = collected[index]
    return each?.is === 'listed' ? each.objects : undefined
  })
}

/** Adds to links what only paths of their own show. */
async function pickedIn(
  kind: Kind,
  way: string,
  parents: readonly Placed[],
  { requested, get, spec, cost }: ReadContext,
): Promise<readonly JsonObject[]> {
  const links = parents.map((parent) => ({
    kind,
    object: parent.object,
    ids: placedIds(parent),
    holder: holderOf(parent),
  }))
  const isNeeded = (holder: Holder) => spec.extrasOf?.(holder) ?? false
  const { objects, requests } = await withPicked(links, { requested, get, isNeeded })
  if (requests > 0) cost.push({ collection: `${way}/${picksOf}`, objects: requests, requests })
  return objects
}

/** The lists of objects inside objects of a kind that are requested. */
const listsRequested = (kind: Kind, requested: Requested): readonly Nested[] =>
  nestedIn(kind).filter((nested) => nested.holds !== 'single' && isRequested(nested.kind, requested))

/** The lists of all parents are taken together as one level, completed, and given back to their parents. */
async function completeLists(
  kind: Kind,
  way: string,
  parents: readonly Placed[],
  lists: readonly Listed[],
  context: ReadContext,
): Promise<readonly Listed[]> {
  if (listsRequested(kind, context.requested).length === 0 && !mayPick(kind, context.requested)) return lists
  const flat = parents.flatMap((within, index) => (lists[index] ?? []).map((object) => ({ kind, object, within })))
  const completed = await complete(kind, way, flat, context)
  let taken = 0
  return lists.map((held) => {
    if (!held) return undefined
    const whole = completed.slice(taken, taken + held.length)
    taken += held.length
    return whole.every((object, index) => object === held[index]) ? held : whole
  })
}

/** The value of a field in each parent. If no answer has the field at all, it is read parent by parent. */
function listsIn(
  nested: Nested,
  way: string,
  parents: readonly Placed[],
  context: ReadContext,
): Promise<readonly Listed[]> {
  return nested.isExtra ? extrasIn(nested, way, parents, context) : ownListsIn(nested, way, parents, context)
}

/**
 * If an answer has a part that is not in the document, the answer is used; the other parts are requested if they are needed. A
 * platform that nests none, and has no such list for the first object, does not have them at all (A313).
 */
async function extrasIn(
  nested: Nested,
  way: string,
  parents: readonly Placed[],
  context: ReadContext,
): Promise<readonly Listed[]> {
  const { notOffered, unreported, requested, spec } = context
  const collection = `${way}/${nested.field}`
  const answered = parents.map(({ object }) => object[nested.field])
  const isNested = answered.some((value) => value !== undefined)
  const silent = parents.filter(({ object }) => object[nested.field] === undefined)
  // A reading of everything assumes that an object without the part has none, if other objects have it. A reading before a create
  // does not.
  const isNone = isNested && spec.unknown === 'looked for'
  const none = isNone ? [] : undefined
  const needed = isNone ? [] : silent.filter((parent) => spec.extrasOf?.(holderOf(parent)) ?? false)
  const isLookedFor = needed.length === 0 && !isNested && spec.unknown === 'looked for'
  const [first, ...others] = isLookedFor ? silent.slice(0, 1) : needed
  if (!first && !isNested && parents.length > 0) unreported.add(nested.kind.name)
  if (!first) return answered.map((value) => (value === undefined ? none : objectsIn(value)))
  const one = await list(nested.kind, placedIds(first), context).catch(orLeftOut(nested.kind, context))
  if (one.is === 'not-offered' && !isNested) {
    countLists(collection, [one], context)
    for (const name of requestedBelow(nested.kind, requested)) notOffered.add(name)
    return parents.map(() => undefined)
  }
  const collected = [one, ...(await listEach(nested, others, context))]
  countLists(
    collection,
    collected.filter((each) => each !== undefined),
    context,
  )
  if (!isNested) requireAll(nested, [first, ...others], collected)
  const lists = new Map([first, ...others].map((parent, index) => [parent, collected[index]]))
  return parents.map((parent, index) => {
    const list = lists.get(parent)
    const value = list?.is === 'listed' ? list.objects : answered[index]
    if (value !== undefined) return objectsIn(value)
    // If other objects have it nested, an object without a list has none.
    return list ? [] : none
  })
}

/** The lists of these parents, one by one. */
const listEach = (
  { kind }: Nested,
  parents: readonly (Placed | undefined)[],
  context: ReadContext,
): Promise<readonly (Collected | undefined)[]> =>
  Promise.all(parents.map((parent) => (parent ? list(kind, placedIds(parent), context) : undefined)))

function countLists(collection: string, sent: readonly Collected[], { cost }: ReadContext): void {
  cost.push({ collection, objects: sent.length, requests: sent.reduce((sum, each) => sum + each.requests, 0) })
}

async function ownListsIn(
  nested: Nested,
  way: string,
  parents: readonly Placed[],
  context: ReadContext,
): Promise<readonly Listed[]> {
  const answered = parents.map(({ object }) => object[nested.field])
  if (parents.length === 0 || answered.some((value) => value !== undefined)) {
    // Links that were not read are unknown. If answers have them, an object without them has none.
    const none = nested.holds === 'links' ? [] : undefined
    const lists = answered.map((value) => (value === undefined ? none : objectsIn(value)))
    return withCutLists(nested, way, parents, lists, context)
  }
  if (
    nested.holds === 'links' &&
    context.spec.linksOf === 'if made' &&
    (await hasNothingToLink(nested.kind, context))
  ) {
    return parents.map(() => undefined)
  }
  const earlier = parents.map((parent) => earlierLinks(nested, parent.kind, placedId(parent), context.earlier))
  const needed = parents.map(
    (parent, index) => nested.holds !== 'links' || (!earlier[index] && isNeeded(parent, context.spec)),
  )
  const requested = parents.map((parent, index) => (needed[index] ? parent : undefined))
  const collected = await listEach(nested, requested, context)
  const sent = collected.filter((each) => each !== undefined)
  if (sent.length === 0) return earlier
  countLists(`${way}/${nested.field}`, sent, context)
  if (sent.every((each) => each.is === 'not-offered')) {
    for (const name of requestedBelow(nested.kind, context.requested)) context.notOffered.add(name)
    return earlier
  }
  if (nested.holds === 'links') requireAll(nested, parents, collected)
  return collected.map((each, index) => (each?.is === 'listed' ? each.objects : earlier[index]))
}

/** A list with exactly as many objects as a page may be only its first page: it is requested by itself (A378). */
async function withCutLists(
  nested: Nested,
  way: string,
  parents: readonly Placed[],
  lists: readonly Listed[],
  context: ReadContext,
): Promise<readonly Listed[]> {
  const sizes = lists.map((held) => held?.length ?? 0)
  const listOf = (parent: Placed) => list(nested.kind, placedIds(parent), context)
  const whole = await wholeLists(`${way}/${nested.field}`, parents, sizes, listOf, context)
  return lists.map((held, index) => whole[index] ?? held)
}

/** Most interfaces have pages of one of these sizes. */
const usualSizes: ReadonlySet<number> = new Set([10, 20, 25, 30, 50, pageSize, 200, 250, 500, 1000])

/** How many lists of the same size are requested by themselves before all count as complete. */
const looksFor = (size: number): number => (size === pageSize ? 3 : 1)

/** The lists of these parents that are longer than in the answer (`sizes`); undefined for all others. */
async function wholeLists(
  collection: string,
  parents: readonly Placed[],
  sizes: readonly number[],
  listOf: (parent: Placed) => Promise<Collected>,
  context: ReadContext,
): Promise<readonly Listed[]> {
  // If any list is longer, this is not the size at which the platform cuts lists.
  const longest = sizes.reduce((most, size) => Math.max(most, size), 0)
  if (!usualSizes.has(longest)) return []
  const full = parents.filter((_, index) => sizes[index] === longest)
  const reported = new Map<Placed, Collected>()
  const look = async (some: readonly Placed[]): Promise<void> => {
    const lists = await Promise.all(some.map(async (parent) => [parent, await listOf(parent)] as const))
    for (const [parent, own] of lists) reported.set(parent, own)
  }
  const wholeOf = (parent: Placed): Listed => {
    const own = reported.get(parent)
    return own?.is === 'listed' && own.objects.length > longest ? own.objects : undefined
  }
  const looks = looksFor(longest)
  try {
    await look(full.slice(0, looks))
    if (full.some(wholeOf)) await look(full.slice(looks))
  } catch (error) {
    // If a platform refuses the list, the answers are all that there is.
    if (!isRefusedRequest(error)) throw error
    return []
  }
  countLists(collection, [...reported.values()], context)
  return parents.map(wholeOf)
}

const placedId = ({ object }: Placed): string => String(object.id ?? '')

/**
 * Whether an area has only the platform's own targets of links: then nobody has created a role that a service could have.
 * Requesting the links of every service would cost one request each, for nothing that a manifest manages.
 */
async function hasNothingToLink({ association }: Kind, context: ReadContext): Promise<boolean> {
  const target = association && catalog[association]
  const own = target?.platformOwned
  if (!target || !own || !context.requested.get(target.name)?.includes(own.field)) return false
  const collected = await rootList(target, context)
  return collected.is === 'listed' && collected.objects.every((object) => object[own.field] === own.value)
}

/** Links cost a request for each object that has them: only those that are needed are read. */
function isNeeded(holder: Placed, { linksOf }: ReadSpec): boolean {
  if (typeof linksOf !== 'function') return linksOf !== 'none'
  return linksOf(holderOf(holder))
}

const holderOf = (placed: Placed): Holder => ({
  kind: placed.kind.name,
  id: placedId(placed),
  name: String(placed.object[placed.kind.naming ?? ''] ?? ''),
})

/** If one object has links and another has no list of them, the other was deleted meanwhile. Throws a ProblemError. */
function requireAll(
  { field }: Nested,
  parents: readonly Placed[],
  collected: readonly (Collected | undefined)[],
): void {
  const lost = parents.find((_, index) => collected[index]?.is === 'not-offered')
  if (lost) throw new ProblemError([goneWhileRead(lost.kind.name, String(lost.object.id ?? ''), field)])
}
