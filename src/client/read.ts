import { catalog } from '../catalog/catalog.js'
import type { Kind, KindName } from '../catalog/types.js'
import { type JsonObject, objectsIn } from '../json/json.js'
import type { Earlier, ReadSpec, TouchedObject } from '../live/live-object.js'
import { notThisInterface, otherVocabulary } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'
import { saysNone } from './answer.js'
import { type Listed, list, type ReadContext, type ReadingWire, rootList } from './collections.js'
import { findable, isPartial, splicedSnapshot } from './earlier.js'
import { documentedPaths, fieldPaths, pathGroups } from './fields.js'
import { itemForm } from './list-items.js'
import { joinedCollections, mergedById } from './merge.js'
import { complete } from './nested-lists.js'
import {
  collectionOf,
  filledPath,
  isRequested,
  listOperation,
  nestedIn,
  type Requested,
  requestedBelow,
  rootsOf,
  segmentOf,
} from './nesting.js'
import { normalize } from './normalize.js'
import { type Collected, isNoList } from './pages.js'
import type { Reading } from './types.js'
import { wordOfOther } from './vocabulary.js'

/** Reads the collections with the requested kinds: pages, not objects (design §5). */
export async function readArea(reader: ReadingWire, spec: ReadSpec, earlier?: Earlier): Promise<Reading> {
  const requested = await withUnknown(withLinks(spec.fields), spec, reader)
  const roots = rootsOf(requested)
  const collections = new Map<KindName, Promise<Collected>>()
  const found = earlier && findable(earlier)
  const context = (): ReadContext => ({
    ...reader,
    requested,
    spec,
    earlier: found,
    cost: [],
    notOffered: new Set(),
    unreported: new Set(),
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
        const { cost, notOffered, unreported, refused } = own
        return { kind, objects, isWhole: !single, cost, notOffered, unreported, refused }
      }),
  )
  // Many platforms lack what is not in the document.
  const documented = parts.filter(({ kind }) => kind.origin === 'document')
  if (documented.length > 0 && documented.every((part) => part.objects === undefined)) {
    throw new ProblemError([notThisInterface(reader.url)])
  }
  // What a run has written must be recorded first: the next complete reading reports the words.
  const answered = earlier ? [] : parts.map(({ kind, objects }) => ({ kind, objects: objects ?? [] }))
  const strange = wordOfOther(answered, reader.vocabulary)
  if (strange) throw new ProblemError([otherVocabulary(strange.word, strange.vocabulary, reader.vocabulary)])
  const raw = joinedCollections(parts.map(({ kind, objects }) => (objects ? { [collectionOf(kind)]: objects } : {})))
  const notOffered = [...new Set([...(earlier?.notOffered ?? []), ...parts.flatMap((part) => [...part.notOffered])])]
  const unknown = new Set([...notOffered, ...parts.flatMap((part) => [...part.unreported])])
  const kinds = roots.flatMap((kind) => requestedBelow(kind, requested)).filter((name) => !unknown.has(name))
  const fresh = normalize(raw, kinds, notOffered, earlier?.snapshot)
  const whole = new Set(parts.filter(({ isWhole }) => isWhole).map(({ kind }) => kind.name))
  const snapshot = earlier ? splicedSnapshot(earlier, fresh, roots, whole) : fresh
  const refused = new Map(parts.flatMap((part) => [...part.refused]))
  return { snapshot, raw, cost: parts.flatMap((part) => part.cost), notOffered, refused }
}

/**
 * The objects of a kind that were touched since the earlier reading, one by one. undefined if the pages must be read, because an
 * object cannot be read, or is answered with less than before.
 */
async function readTouched(kind: Kind, context: ReadContext): Promise<readonly JsonObject[] | undefined> {
  const { requested, earlier, cost, onProgress } = context
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
  return isPartial(kind, objects, earlier, requested) ? undefined : objects
}

interface ReadOne {
  readonly is: 'read' | 'gone' | 'unread'
  readonly object?: JsonObject
  readonly requests: number
}

/** An object by its id, with everything that the pages of its kind would show of it. */
async function readOne(kind: Kind, { id, is }: TouchedObject, context: ReadContext): Promise<ReadOne> {
  const { requested, get, documentOnly } = context
  const { fetch } = kind.operations
  if (!fetch) return { is: 'unread', requests: 0 }
  const path = filledPath(fetch.path, { [kind.idParameter]: id })
  const parts: JsonObject[] = []
  let requests = 0
  const paths = documentOnly.has(kind.name) ? documentedPaths(kind, requested) : fieldPaths(kind, requested)
  for (const fields of pathGroups(paths, path.length + 100)) {
    requests += 1
    const query = `fields=${fields.map(encodeURIComponent).join(',')}`
    // If the pages fail as well, they report the error.
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
 * The requested fields together with unknown ones, if these are to be found: those of the first objects of each collection. A
 * platform that does not understand the request, or refuses it, has none (A223).
 */
async function withUnknown(requested: Requested, { unknown }: ReadSpec, { get }: ReadingWire): Promise<Requested> {
  if (unknown === undefined) return requested
  const isMeant = (name: KindName) => unknown === 'looked for' || catalog[name].extendedAttributes
  const more = new Map(requested)
  const look = async (kind: Kind): Promise<void> => {
    const operation = kind.within ? undefined : listOperation(kind, {})
    if (!operation) return
    const fields = everyPath(kind, requested).map(encodeURIComponent).join(',')
    const page = await get(`${operation.path}?fields=${fields}&limit=${looked}&offset=0`, anyForm).catch(
      (error: unknown) => {
        if (!isNoList(error)) throw error
        return undefined
      },
    )
    const objects = page && page !== 'not-offered' ? page.objects : []
    for (const [name, fields] of unknownNames(kind, objects)) {
      const own = isMeant(name) ? requested.get(name) : undefined
      if (own) more.set(name, [...new Set([...own, ...fields])])
    }
  }
  await Promise.all(rootsOf(new Map([...requested].filter(([name]) => isMeant(name)))).map(look))
  return more
}

/** How many objects of each collection are examined. */
const looked = 20

const anyForm = { id: false, name: undefined, lists: [] }

/** If a field of links is requested, the links are requested, too. */
function withLinks(fields: Requested): Requested {
  const requested = new Map(fields)
  for (const [name, own] of fields) {
    for (const nested of nestedIn(catalog[name])) {
      if (nested.holds === 'links' && own.includes(nested.field) && !requested.has(nested.kind.name)) {
        requested.set(nested.kind.name, [])
      }
    }
  }
  return requested
}

async function readRoot(kind: Kind, context: ReadContext): Promise<Listed> {
  const collection = collectionOf(kind)
  const collected = await rootList(kind, context)
  if (collected.is === 'not-offered') {
    for (const name of requestedBelow(kind, context.requested)) context.notOffered.add(name)
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

/** Kinds whose owner is not a resource are read owner by owner, and kept as if the owner's answer contained them. */
async function readOwners(kind: Kind, context: ReadContext): Promise<Listed> {
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

/** What recorded platforms show of unknown fields: all of them, if `fields` contains `*` (A223). */

/** The paths for all fields of a kind, and of every requested kind inside it; links show the fields of their targets. */
const everyPath = (kind: Kind, requested: Requested): readonly string[] => [
  '*',
  ...nestedIn(kind)
    .filter((nested) => nested.holds !== 'links' && isRequested(nested.kind, requested))
    .flatMap((nested) => everyPath(nested.kind, requested).map((path) => `${nested.field}.${path}`)),
]

/**
 * The names of fields in answered objects that no table has, by kind. Fields of links that belong to their targets are not
 * included.
 */
function unknownNames(kind: Kind, objects: readonly JsonObject[]): ReadonlyMap<KindName, ReadonlySet<string>> {
  const found = new Map<KindName, Set<string>>()
  collect(kind, objects, found)
  return found
}

function collect(kind: Kind, objects: readonly JsonObject[], found: Map<KindName, Set<string>>): void {
  const nested = nestedIn(kind)
  const known = new Set([
    ...Object.keys(kind.fields),
    ...nested.map(({ field }) => field),
    ...Object.values(kind.olderPaths).map((path) => path.split('.')[0] ?? path),
  ])
  for (const object of objects) {
    for (const { field, kind: inner } of nested) collect(inner, objectsIn(object[field]), found)
    if (kind.association !== undefined) continue
    for (const name of Object.keys(object)) {
      if (known.has(name) || !/^[\w-]+$/.test(name)) continue
      found.set(kind.name, (found.get(kind.name) ?? new Set()).add(name))
    }
  }
}
