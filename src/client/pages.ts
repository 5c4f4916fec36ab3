import { sortField } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { ReadProgress } from '../ports/progress.js'
import type { WireResponse } from '../ports/transport.js'
import type { ProblemCode } from '../problems/codes.js'
import { collectionEndless, collectionIncomplete } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'
import { pathGroups } from './fields.js'
import { type ItemForm, itemForm } from './list-items.js'
import { mergedById, unique } from './merge.js'
import type { Paging } from './types.js'

/** One page as answered; `total`: how many objects the collection has, if the platform says so. */
export interface Page {
  readonly objects: readonly JsonObject[]
  readonly total: number | undefined
}

/**
 * Gets one page, or 'not-offered' if the answer is `absent`; by default, an answer that means that there is no such collection.
 * Throws a ProblemError for every other failure, and if the objects do not have that form.
 */
export type GetPage = (
  path: string,
  form: ItemForm,
  absent?: (response: WireResponse) => boolean,
) => Promise<Page | 'not-offered'>

/** A collection to read. */
export interface CollectionQuery {
  readonly kind: Kind
  /** The path of the list operation, filled in. */
  readonly path: string
  /** Paths of the `fields` parameter. */
  readonly fields: readonly string[]
  /** `name:value`: only objects whose field contains the value. */
  readonly filter?: string
}

export type Collected =
  | {
      readonly is: 'listed'
      readonly objects: readonly JsonObject[]
      readonly requests: number
      readonly paging: Paging
    }
  | { readonly is: 'not-offered'; readonly requests: number }

/** Whether the platform answered a request with an error. */
export const isRefusedRequest = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.problems.some(({ code }) => code === 'request-refused')

/**
 * Whether a request for a list was answered, but with anything else: an error, no list, a page for people, or another address.
 * Platforms answer like this to requests that they do not know.
 */
export const isNoList = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && error.problems.some(({ code }) => noList.has(code))

const noList: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'request-refused',
  'answer-not-list',
  'answer-not-json',
  'request-redirected',
])

/** Objects per page: the document's default, which every platform accepts. */
export const pageSize = 100

type Onward = (progress: ReadProgress) => void

/** All objects of a collection, each once, page by page. */
export async function readCollection(get: GetPage, query: CollectionQuery, onward: Onward): Promise<Collected> {
  const groups = pathGroups(query.fields, queryText(query, [], 0, pageSize).length + query.path.length + 100)
  const parts: Extract<Collected, { is: 'listed' }>[] = []
  for (const fields of groups) {
    const part = await readTwiceIfMoving(get, { ...query, fields }, onward)
    if (part.is === 'not-offered') return part
    parts.push(part)
  }
  return {
    is: 'listed',
    objects: mergedById(parts.map((part) => part.objects)),
    requests: parts.reduce((sum, part) => sum + part.requests, 0),
    paging: { totals: 'missing', size: pageSize, ...parts[0]?.paging, parts: parts.length },
  }
}

async function readTwiceIfMoving(get: GetPage, query: CollectionQuery, onward: Onward): Promise<Collected> {
  const first = await readOnce(get, query, onward)
  if (first === 'not-offered') return { is: 'not-offered', requests: 1 }
  if (first.state === 'steady') return listed(first, 0)
  const second = await readOnce(get, query, onward)
  if (second === 'not-offered') return { is: 'not-offered', requests: first.requests + 1 }
  if (second.state === 'incomplete') {
    throw new ProblemError([collectionIncomplete(query.path, second.objects.length, second.total ?? 0)])
  }
  // If an object was deleted meanwhile, the object behind it may be missing in one of the readings, but hardly in both.
  const all = second.state === 'moving' ? unique([...second.objects, ...first.objects]) : second.objects
  return listed({ ...second, objects: all }, first.requests)
}

const listed = (reading: OneReading, before: number): Collected => ({
  is: 'listed',
  objects: reading.objects,
  requests: before + reading.requests,
  paging: { parts: 1, totals: reading.total === undefined ? 'missing' : 'sent', size: reading.size },
})

interface OneReading {
  readonly objects: readonly JsonObject[]
  readonly total: number | undefined
  readonly requests: number
  /** Objects per page, as far as this is known. */
  readonly size: number
  /** Whether the collection did not change; 'incomplete' if its pages lack objects that the platform counts. */
  readonly state: 'steady' | 'moving' | 'incomplete'
}

async function readOnce(get: GetPage, query: CollectionQuery, onward: Onward): Promise<OneReading | 'not-offered'> {
  let pages: (Page | undefined)[] = []
  const collection = query.path.slice(1)
  const form = itemForm(query.kind, query.fields)
  let held = 0
  let limit = pageSize
  let requests = 0
  let offsets: 'count pages' | 'count objects' = query.kind.pageOffset ? 'count pages' : 'count objects'
  const page: PageAt = async (index, before) => {
    const known = pages[index]
    if (known) return known
    if (index >= mostPages) throw new ProblemError([collectionEndless(query.path, mostPages)])
    const offset = offsets === 'count pages' ? index : before
    requests += 1
    const answer = await get(`${query.path}?${queryText(query, query.fields, offset, limit)}`, form)
    if (answer !== 'not-offered') {
      pages[index] = answer
      held += answer.objects.length
      onward({ collection, objects: held, total: answer.total })
    }
    return answer
  }
  const first = await page(0, 0)
  if (first === 'not-offered') return first
  if (await countsItself(first, page)) {
    const reading = await readOnce(uncounted(get), query, onward)
    return reading === 'not-offered' ? reading : { ...reading, requests: requests + reading.requests }
  }
  // An index counts pages, of the requested size or of the size that the platform gives: both must be the same.
  if (offsets === 'count pages') {
    limit = first.objects.length
    if (await beginsOneLater(first, page)) {
      offsets = 'count objects'
      pages = [first]
      held = first.objects.length
    }
  }
  await theOtherPages(first, page)
  const objects = unique(pages.flatMap((each) => each?.objects ?? []))
  const isSeveral = objects.length > first.objects.length
  const reading = { objects, total: first.total, size: isSeveral ? first.objects.length : pageSize }
  if (pages.length === 1) {
    const state = (first.total ?? 0) > objects.length ? 'incomplete' : 'steady'
    return { ...reading, requests, state }
  }
  // Nothing comes behind a page that is not full; it was only requested because the platform might give smaller pages.
  const isEnd = first.total === undefined && !isSeveral && first.objects.length < pageSize
  if (isEnd || tallies(pages, objects.length)) return { ...reading, requests, state: 'steady' }
  const again = await get(`${query.path}?${queryText(query, ['id'], 0, pageSize)}`, itemForm(query.kind, ['id']))
  return { ...reading, requests: requests + 1, state: stateOf(pages, objects.length, again) }
}

/** Whether the total of a page is only the number of its own objects: one page is full, and another follows (A380). */
async function countsItself(first: Page, page: PageAt): Promise<boolean> {
  if (first.total !== pageSize || first.objects.length !== pageSize) return false
  const second = await page(1, pageSize)
  return second !== 'not-offered' && second.objects.length > 0 && second.objects.length === second.total
}

const uncounted =
  (get: GetPage): GetPage =>
  async (...requested) => {
    const page = await get(...requested)
    return page === 'not-offered' ? page : { ...page, total: undefined }
  }

/** Whether an index of 1 does not give the second page, but works as an offset of one object (A378). */
async function beginsOneLater(first: Page, page: PageAt): Promise<boolean> {
  const size = first.objects.length
  // With two objects, the second is also the last, and a page begins with it if an object was added meanwhile.
  if (size < 3 || (first.total ?? Number.POSITIVE_INFINITY) <= size) return false
  const next = await page(1, size)
  if (next === 'not-offered') return false
  const ids = new Set(first.objects.map(({ id }) => id))
  const [begin] = next.objects
  return begin?.id !== undefined && begin.id === first.objects[1]?.id && next.objects.some(({ id }) => !ids.has(id))
}

/** Requests the page with that index; `before`: how many objects come before it. */
type PageAt = (index: number, before: number) => Promise<Page | 'not-offered'>

/** More pages than any area has: a collection that gives new objects for ever must end, too. */
const mostPages = 10_000

/** All pages at once if the platform gives the total; otherwise one by one, until nothing new comes. */
async function theOtherPages(first: Page, page: PageAt): Promise<void> {
  // A platform may give fewer objects than requested: then that is the size of its pages, and not a sign of the end.
  const size = first.objects.length
  if (size === 0) return
  if (first.total !== undefined) {
    await countedPages(Math.ceil(first.total / size), first, (index) => page(index, index * size))
    return
  }
  const seen = new Set(first.objects.map((object) => object.id))
  for (let index = 1, before = size; ; index += 1) {
    const next = await page(index, before)
    if (next === 'not-offered') return
    const fresh = next.objects.filter((object) => !seen.has(object.id))
    // A page without anything new comes after the last one, or the platform has no offset.
    if (fresh.length === 0) return
    for (const object of fresh) seen.add(object.id)
    before += next.objects.length
  }
}

/** If all pages were requested at the same time, a wrong total could cost any number of requests, and all memory. */
const mostAtOnce = 50

/**
 * The pages from the second on. A page with nothing new ends the reading: then the total is wrong, or the platform has no offset,
 * and the rest will not come.
 */
async function countedPages(
  count: number,
  first: Page,
  page: (index: number) => Promise<Page | 'not-offered'>,
): Promise<void> {
  const seen = new Set(first.objects.map((object) => object.id))
  let next = 1
  let hasEnded = false
  const readNext = async (): Promise<void> => {
    while (next < count && !hasEnded) {
      const index = next
      next += 1
      const answer = await page(index).catch((error: unknown) => {
        hasEnded = true
        throw error
      })
      const fresh = answer === 'not-offered' ? [] : answer.objects.filter(({ id }) => id === undefined || !seen.has(id))
      if (fresh.length === 0) hasEnded = true
      for (const object of fresh) seen.add(object.id)
    }
  }
  await Promise.all(Array.from({ length: Math.min(count - 1, mostAtOnce) }, readNext))
}

/** Whether every page has the same total, and exactly so many objects came: then the first page is not requested again. */
const tallies = (pages: readonly (Page | undefined)[], count: number): boolean =>
  pages.every((page) => page?.total === count)

/** If there are fewer objects than the platform counted at any moment, some are missing, whatever has changed. */
function stateOf(
  pages: readonly (Page | undefined)[],
  count: number,
  again: Page | 'not-offered',
): OneReading['state'] {
  const [first] = pages
  if (!first || again === 'not-offered') return 'incomplete'
  const answered = [...pages, again]
  if (answered.some((page) => page === undefined)) return 'incomplete'
  const totals = answered.map((page) => page?.total)
  if (count < Math.min(...totals.map((total) => total ?? 0))) return 'incomplete'
  const sameTotal = totals.every((total) => total === first.total)
  const ids = new Set(again.objects.map((object) => object.id))
  const sameFirst = ids.size === first.objects.length && first.objects.every((object) => ids.has(object.id))
  return sameTotal && sameFirst ? 'steady' : 'moving'
}

function queryText(
  { kind, filter }: CollectionQuery,
  fields: readonly string[],
  offset: number,
  limit: number,
): string {
  const sort = sortField(kind)
  return [
    `fields=${fields.map(encodeURIComponent).join(',')}`,
    ...(filter === undefined ? [] : [`filter=${encodeURIComponent(filter)}`]),
    ...(sort === undefined ? [] : [`sort=${sort}:asc`]),
    `limit=${limit}`,
    `offset=${offset}`,
  ].join('&')
}
