import { catalog } from '../catalog/catalog.js'
import type { Kind, KindName } from '../catalog/types.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import type { Json, JsonObject } from '../json/json.js'
import { objectsIn } from '../json/json.js'
import type { Earlier, Holder, TouchedObject } from '../live/live-object.js'
import type { ReadProgress } from '../ports/progress.js'
import { goneWhileRead, notThisInterface, otherVocabulary } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'

import { saysNone } from './answer.js'
import { earlierLinks, type Found, findable, isPartial, spliced } from './earlier.js'
import { documentedPaths, fieldPaths, pathGroups } from './fields.js'
import { itemForm } from './list-items.js'
import { joinedCollections, mergedById } from './merge.js'
import {
  type Asked,
  askedBelow,
  collectionOf,
  filledPath,
  isAsked,
  listOperation,
  type Nested,
  nestedIn,
  rootsOf,
  segmentOf,
} from './nesting.js'
import { normalize } from './normalize.js'
import { type Collected, type GetPage, isNoList, isRefusal, pageSize, readCollection } from './pages.js'
import { mayPick, picksOf, withPicked } from './picked.js'
import type { ReadCost, Reading, ReadSpec } from './types.js'
import { everyPath, unknownNames } from './unknown-fields.js'
import { wordOfOther } from './vocabulary.js'

/** What reading needs of the wire. */
export interface ReadingWire {
  readonly url: string
  readonly vocabulary: Vocabulary
  readonly get: GetPage
  readonly onProgress: (progress: ReadProgress) => void
  /** Kinds whose collections were seen to refuse what the document does not know: they are asked for no more of it (A220). */
  readonly documentOnly: Set<KindName>
}

interface Context extends ReadingWire {
  readonly asked: Asked
  readonly spec: ReadSpec
  readonly earlier: Found | undefined
  readonly cost: ReadCost[]
  readonly notOffered: Set<KindName>
  /** Kinds that were asked for, of which no answer says anything. */
  readonly untold: Set<KindName>
  /** Collections that the document does not have, and that the platform refused to list. */
  readonly refused: Map<KindName, string>
  /** The collections of root kinds, each read once. */
  readonly roots: Map<KindName, Promise<Collected>>
}

/** An object and what it lies in: the ids on its way are desired only where its lists must be asked for one by one. */
interface Placed {
  readonly kind: Kind
  readonly object: JsonObject
  readonly within: Placed | undefined
}

/** The ids on the way to an object and its own, by the parameter names of the paths. */
function idsOf({ kind, object, within }: Placed): Readonly<Record<string, string>> {
  const ids = within ? idsOf(within) : {}
  return object.id === undefined ? ids : { ...ids, [kind.idParameter]: String(object.id) }
}

type Listed = readonly JsonObject[] | undefined

/** Reads the collections that hold the kinds asked for: pages, not objects (design §5). */
export async function readArea(reader: ReadingWire, spec: ReadSpec, earlier?: Earlier): Promise<Reading> {
  const asked = await withUnknown(withLinks(spec.fields), spec, reader)
  const roots = rootsOf(asked)
  const collections = new Map<KindName, Promise<Collected>>()
  const found = earlier && findable(earlier)
  const context = (): Context => ({
    ...reader,
    asked,
    spec,
    earlier: found,
    cost: [],
    notOffered: new Set(),
    untold: new Set(),
    refused: new Map(),
    roots: collections,
  })
  const parts = await Promise.all(
    roots
      .filter((kind) => !earlier || earlier.touched.has(kind.name))
      .map(async (kind) => {
        const own = context()
        const single = await readTouched(kind, own)
        const objects = single ?? (kind.within ? await readOwners(kind, own) : await readRoot(kind, own))
        const { cost, notOffered, untold, refused } = own
        return { kind, objects, isWhole: !single, cost, notOffered, untold, refused }
      }),
  )
  // What the document does not have is missing on many a platform.
  const documented = parts.filter(({ kind }) => kind.origin === 'document')
  if (documented.length > 0 && documented.every((part) => part.objects === undefined)) {
    throw new ProblemError([notThisInterface(reader.url)])
  }
  // What a run has written is first recorded: the next reading of everything tells of it.
  const answered = earlier ? [] : parts.map(({ kind, objects }) => ({ kind, objects: objects ?? [] }))
  const strange = wordOfOther(answered, reader.vocabulary)
  if (strange) throw new ProblemError([otherVocabulary(strange.word, strange.vocabulary, reader.vocabulary)])
  const raw = joinedCollections(parts.map(({ kind, objects }) => (objects ? { [collectionOf(kind)]: objects } : {})))
  const notOffered = [...new Set([...(earlier?.notOffered ?? []), ...parts.flatMap((part) => [...part.notOffered])])]
  const unknown = new Set([...notOffered, ...parts.flatMap((part) => [...part.untold])])
  const kinds = roots.flatMap((kind) => askedBelow(kind, asked)).filter((name) => !unknown.has(name))
  const fresh = normalize(raw, kinds, notOffered, earlier?.snapshot)
  const whole = new Set(parts.filter(({ isWhole }) => isWhole).map(({ kind }) => kind.name))
  const snapshot = earlier ? spliced(earlier, fresh, roots, whole) : fresh
  const refused = new Map(parts.flatMap((part) => [...part.refused]))
  return { snapshot, raw, cost: parts.flatMap((part) => part.cost), notOffered, refused }
}

/**
 * The objects of a kind that were touched since the earlier reading, one by one; undefined where its pages are to be read:
 * one cannot be had, or is answered with less than before.
 */
async function readTouched(kind: Kind, context: Context): Promise<readonly JsonObject[] | undefined> {
  const { asked, earlier, cost, onProgress } = context
  const touched = earlier?.touched.get(kind.name)
  if (!earlier || !touched || touched === 'pages') return undefined
  const collection = collectionOf(kind)
  const single = await Promise.all(touched.map((each) => readOne(kind, each, context)))
  const requests = single.reduce((sum, each) => sum + each.requests, 0)
  cost.push({ collection, objects: touched.length, requests })
  if (single.some(({ is }) => is === 'unread')) return undefined
  const answered = single.flatMap(({ object }) => (object ? [object] : []))
  onProgress({ collection, objects: answered.length, total: answered.length })
  const placed = answered.map((object) => ({ kind, object, within: undefined }))
  const objects = await complete(kind, collection, placed, context)
  return isPartial(kind, objects, earlier, asked) ? undefined : objects
}

interface ReadOne {
  readonly is: 'read' | 'gone' | 'unread'
  readonly object?: JsonObject
  readonly requests: number
}

/** An object by its id, with all that the pages of its kind would bring of it. */
async function readOne(kind: Kind, { id, is }: TouchedObject, context: Context): Promise<ReadOne> {
  const { asked, get, documentOnly } = context
  const { fetch } = kind.operations
  if (!fetch) return { is: 'unread', requests: 0 }
  const path = filledPath(fetch.path, { [kind.idParameter]: id })
  const parts: JsonObject[] = []
  let requests = 0
  const paths = documentOnly.has(kind.name) ? documentedPaths(kind, asked) : fieldPaths(kind, asked)
  for (const fields of pathGroups(paths, path.length + 100)) {
    requests += 1
    const query = `fields=${fields.map(encodeURIComponent).join(',')}`
    // What went wrong is told by the pages if it goes wrong there as well.
    const page = await get(`${path}?${query}`, itemForm(kind, fields), saysNone).catch(() => undefined)
    if (page === 'not-offered' && is === 'deleted') return { is: 'gone', requests }
    const [object] = page && page !== 'not-offered' ? page.objects : []
    if (object === undefined || String(object.id ?? '') !== id) return { is: 'unread', requests }
    parts.push(object)
  }
  const [object] = mergedById(parts.map((part) => [part]))
  return object ? { is: 'read', object, requests } : { is: 'unread', requests }
}

/**
 * What is asked for with the names of fields that nobody knows, if they are to be looked for: those of the first objects of
 * each collection. A platform that does not understand the question, or refuses it, has none (A223).
 */
async function withUnknown(asked: Asked, { unknown }: ReadSpec, { get }: ReadingWire): Promise<Asked> {
  if (unknown === undefined) return asked
  const isMeant = (name: KindName) => unknown === 'looked for' || catalog[name].extendedAttributes
  const more = new Map(asked)
  const look = async (kind: Kind): Promise<void> => {
    const operation = kind.within ? undefined : listOperation(kind, {})
    if (!operation) return
    const fields = everyPath(kind, asked).map(encodeURIComponent).join(',')
    const page = await get(`${operation.path}?fields=${fields}&limit=${looked}&offset=0`, anyForm).catch(
      (error: unknown) => {
        if (!isRefusal(error)) throw error
        return undefined
      },
    )
    const objects = page && page !== 'not-offered' ? page.objects : []
    for (const [name, fields] of unknownNames(kind, objects)) {
      const own = isMeant(name) ? asked.get(name) : undefined
      if (own) more.set(name, [...new Set([...own, ...fields])])
    }
  }
  await Promise.all(rootsOf(new Map([...asked].filter(([name]) => isMeant(name)))).map(look))
  return more
}

/** How many objects of each collection are looked at. */
const looked = 20

const anyForm = { id: false, name: undefined, lists: [] }

/** A field of links that is asked for asks for the links too. */
function withLinks(fields: Asked): Asked {
  const asked = new Map(fields)
  for (const [name, own] of fields) {
    for (const nested of nestedIn(catalog[name])) {
      if (nested.holds === 'links' && own.includes(nested.field) && !asked.has(nested.kind.name)) {
        asked.set(nested.kind.name, [])
      }
    }
  }
  return asked
}

async function readRoot(kind: Kind, context: Context): Promise<Listed> {
  const collection = collectionOf(kind)
  const collected = await rootList(kind, context)
  if (collected.is === 'not-offered') {
    for (const name of askedBelow(kind, context.asked)) context.notOffered.add(name)
    context.cost.push({ collection, objects: 0, requests: collected.requests })
    return undefined
  }
  const { objects, requests, paging } = collected
  context.cost.push({ collection, objects: objects.length, requests, paging })
  return complete(
    kind,
    collection,
    objects.map((object) => ({ kind, object, within: undefined })),
    context,
  )
}

function rootList(kind: Kind, context: Context): Promise<Collected> {
  const known = context.roots.get(kind.name) ?? list(kind, {}, context).catch(orLeftOut(kind, context))
  context.roots.set(kind.name, known)
  return known
}

/** Who looks around does without what the document does not have where it is refused; who needs it is told why. */
const orLeftOut =
  (kind: Kind, { spec, refused }: Context) =>
  (error: unknown): Collected => {
    if (kind.origin === 'document' || spec.refused === undefined) throw error
    if (!isRefusal(error) && !isNoList(error)) throw error
    refused.set(kind.name, error.message)
    return { is: 'not-offered', requests: 1 }
  }

/** Kinds whose owner is no resource are read owner by owner, and kept as if the owner had answered them. */
async function readOwners(kind: Kind, context: Context): Promise<Listed> {
  const { within } = kind
  if (!within) return undefined
  const owners = await Promise.all(
    (context.spec.containers?.[kind.name] ?? []).map(async (id) => {
      const collected = await list(kind, { [within.parameter]: id }, context)
      return { id, collected }
    }),
  )
  const requests = owners.reduce((sum, { collected }) => sum + collected.requests, 0)
  context.cost.push({ collection: collectionOf(kind), objects: owners.length, requests })
  return owners.flatMap(({ id, collected }) =>
    collected.is === 'listed' ? [{ id, [segmentOf(kind)]: collected.objects }] : [],
  )
}

function list(kind: Kind, ids: Readonly<Record<string, string>>, context: Context): Promise<Collected> {
  const operation = listOperation(kind, ids)
  if (!operation) return Promise.resolve({ is: 'not-offered', requests: 0 })
  const path = filledPath(operation.path, ids)
  const { asked, get, onProgress, documentOnly } = context
  const read = (fields: readonly string[]) => readCollection(get, { kind, path, fields }, onProgress)
  if (documentOnly.has(kind.name)) return read(documentedPaths(kind, asked))
  const paths = fieldPaths(kind, asked)
  return read(paths).catch((error: unknown) => {
    if (!isRefusal(error)) throw error
    const documented = documentedPaths(kind, asked)
    if (documented.length === paths.length) throw error
    documentOnly.add(kind.name)
    return read(documented)
  })
}

/** The objects with all that was asked for inside them: a platform may leave nested parts out of its answers. */
async function complete(
  kind: Kind,
  way: string,
  parents: readonly Placed[],
  context: Context,
): Promise<readonly JsonObject[]> {
  const parts: { readonly field: string; readonly lists: readonly Listed[] }[] = []
  for (const nested of listsAsked(kind, context.asked)) {
    const lists = await listsIn(nested, way, parents, context)
    const inner = await Promise.resolve(
      nested.holds === 'links' ? lists : completeLists(nested.kind, `${way}/${nested.field}`, parents, lists, context),
    )
    parts.push({ field: nested.field, lists: inner })
  }
  const picked = mayPick(kind, context.asked) ? await pickedIn(kind, way, parents, context) : undefined
  return parents.map((parent, index) => {
    const object = picked?.[index] ?? parent.object
    // What was answered whole, as it nearly always is, need not be copied.
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

/** Links with what only paths of their own tell of them. */
async function pickedIn(
  kind: Kind,
  way: string,
  parents: readonly Placed[],
  { asked, get, spec, cost }: Context,
): Promise<readonly JsonObject[]> {
  const links = parents.map((parent) => ({ kind, object: parent.object, ids: idsOf(parent), holder: holderOf(parent) }))
  const isNeeded = (holder: Holder) => spec.extrasOf?.(holder) ?? false
  const { objects, requests } = await withPicked(links, { asked, get, isNeeded })
  if (requests > 0) cost.push({ collection: `${way}/${picksOf}`, objects: requests, requests })
  return objects
}

/** The lists of objects that objects of a kind hold, as far as they are asked for. */
const listsAsked = (kind: Kind, asked: Asked): readonly Nested[] =>
  nestedIn(kind).filter((nested) => nested.holds !== 'single' && isAsked(nested.kind, asked))

/** The lists of all parents taken together as one level, completed, and given back to their parents. */
async function completeLists(
  kind: Kind,
  way: string,
  parents: readonly Placed[],
  lists: readonly Listed[],
  context: Context,
): Promise<readonly Listed[]> {
  if (listsAsked(kind, context.asked).length === 0 && !mayPick(kind, context.asked)) return lists
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

/** What each parent holds in a field; read parent by parent if no answer has the field at all. */
function listsIn(
  nested: Nested,
  way: string,
  parents: readonly Placed[],
  context: Context,
): Promise<readonly Listed[]> {
  return nested.isExtra ? extrasIn(nested, way, parents, context) : ownListsIn(nested, way, parents, context)
}

/**
 * What the document does not have is believed of each answer that tells it, and asked for where it is needed. A platform
 * that nests none and has no list of the first one has none at all (A313).
 */
async function extrasIn(
  nested: Nested,
  way: string,
  parents: readonly Placed[],
  context: Context,
): Promise<readonly Listed[]> {
  const { notOffered, untold, asked, spec } = context
  const collection = `${way}/${nested.field}`
  const answered = parents.map(({ object }) => object[nested.field])
  const isNested = answered.some((value) => value !== undefined)
  const silent = parents.filter(({ object }) => object[nested.field] === undefined)
  // Who looks for everything takes what others have and one lacks for none; who may create does not.
  const isNone = isNested && spec.unknown === 'looked for'
  const none = isNone ? [] : undefined
  const needed = isNone ? [] : silent.filter((parent) => spec.extrasOf?.(holderOf(parent)) ?? false)
  const isLookedFor = needed.length === 0 && !isNested && spec.unknown === 'looked for'
  const [first, ...others] = isLookedFor ? silent.slice(0, 1) : needed
  if (!first && !isNested && parents.length > 0) untold.add(nested.kind.name)
  if (!first) return answered.map((value) => (value === undefined ? none : objectsIn(value)))
  const one = await list(nested.kind, idsOf(first), context).catch(orLeftOut(nested.kind, context))
  if (one.is === 'not-offered' && !isNested) {
    countLists(collection, [one], context)
    for (const name of askedBelow(nested.kind, asked)) notOffered.add(name)
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
    // Where others have them nested, one that has no list has none.
    return list ? [] : none
  })
}

/** The lists of these parents, one by one. */
const listEach = (
  { kind }: Nested,
  parents: readonly (Placed | undefined)[],
  context: Context,
): Promise<readonly (Collected | undefined)[]> =>
  Promise.all(parents.map((parent) => (parent ? list(kind, idsOf(parent), context) : undefined)))

function countLists(collection: string, sent: readonly Collected[], { cost }: Context): void {
  cost.push({ collection, objects: sent.length, requests: sent.reduce((sum, each) => sum + each.requests, 0) })
}

async function ownListsIn(
  nested: Nested,
  way: string,
  parents: readonly Placed[],
  context: Context,
): Promise<readonly Listed[]> {
  const answered = parents.map(({ object }) => object[nested.field])
  if (parents.length === 0 || answered.some((value) => value !== undefined)) {
    // Links that nobody has read are unknown; where answers have them, one without them has none.
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
  const earlier = parents.map((parent) => earlierLinks(nested, parent.kind, idOf(parent), context.earlier))
  const needed = parents.map(
    (parent, index) => nested.holds !== 'links' || (!earlier[index] && isNeeded(parent, context.spec)),
  )
  const asked = parents.map((parent, index) => (needed[index] ? parent : undefined))
  const collected = await listEach(nested, asked, context)
  const sent = collected.filter((each) => each !== undefined)
  if (sent.length === 0) return earlier
  countLists(`${way}/${nested.field}`, sent, context)
  if (sent.every((each) => each.is === 'not-offered')) {
    for (const name of askedBelow(nested.kind, context.asked)) context.notOffered.add(name)
    return earlier
  }
  if (nested.holds === 'links') requireAll(nested, parents, collected)
  return collected.map((each, index) => (each?.is === 'listed' ? each.objects : earlier[index]))
}

/** Lists that hold just as much as a page may be the first page of theirs: these are asked for by themselves (A378). */
async function withCutLists(
  nested: Nested,
  way: string,
  parents: readonly Placed[],
  lists: readonly Listed[],
  context: Context,
): Promise<readonly Listed[]> {
  const full = parents.map((parent, index) => (lists[index]?.length === pageSize ? parent : undefined))
  if (full.every((parent) => parent === undefined)) return lists
  // A platform that refuses the list has told all that it tells.
  const collected = await listEach(nested, full, context).catch(
    (error: unknown): readonly (Collected | undefined)[] => {
      if (!isRefusal(error)) throw error
      return []
    },
  )
  countLists(
    `${way}/${nested.field}`,
    collected.filter((each) => each !== undefined),
    context,
  )
  return lists.map((held, index) => {
    const own = collected[index]
    return own?.is === 'listed' && own.objects.length > pageSize ? own.objects : held
  })
}

const idOf = ({ object }: Placed): string => String(object.id ?? '')

/**
 * Whether an area holds only the platform's own of what links lead to: then nobody has made a role that a service could
 * have, and asking every service for its links would cost a request each for nothing that a manifest is to manage.
 */
async function hasNothingToLink({ association }: Kind, context: Context): Promise<boolean> {
  const target = association && catalog[association]
  const own = target?.platformOwned
  if (!target || !own || !context.asked.get(target.name)?.includes(own.field)) return false
  const collected = await rootList(target, context)
  return collected.is === 'listed' && collected.objects.every((object) => object[own.field] === own.value)
}

/** Links cost a request for each object that has them: only those that somebody needs are read. */
function isNeeded(holder: Placed, { linksOf }: ReadSpec): boolean {
  if (typeof linksOf !== 'function') return linksOf !== 'none'
  return linksOf(holderOf(holder))
}

const holderOf = (placed: Placed): Holder => ({
  kind: placed.kind.name,
  id: idOf(placed),
  name: String(placed.object[placed.kind.naming ?? ''] ?? ''),
})

/** What has links in one object and none in another has lost the other meanwhile. Throws a ProblemError. */
function requireAll(
  { field }: Nested,
  parents: readonly Placed[],
  collected: readonly (Collected | undefined)[],
): void {
  const lost = parents.find((_, index) => collected[index]?.is === 'not-offered')
  if (lost) throw new ProblemError([goneWhileRead(lost.kind.name, String(lost.object.id ?? ''), field)])
}
