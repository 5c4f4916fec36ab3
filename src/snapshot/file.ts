import { kinds } from '../catalog/queries.js'
import { answeredList } from '../client/answer.js'
import { collectionOf } from '../client/nesting.js'
import { normalize, type RawCollections, unknownCollections } from '../client/normalize.js'
import { pageSize } from '../client/pages.js'
import type { Client, ReadCost, Reading } from '../client/types.js'
import { readDocumentText } from '../files/files.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject, parseJson } from '../json/json.js'
import type { Snapshot } from '../live/live-object.js'
import { ProblemError } from '../problems/problem.js'
import { snapshotUnknownCollection, snapshotUnreadable } from '../problems/records.js'
import { type KeyFinder, withKeys } from './keys.js'
import { nestUnnested, unnestedCollections } from './unnested.js'

interface SnapshotFileInput {
  /** The file name as the user typed it, for messages. */
  readonly displayed?: string
  /** Finds the value of a key of which the file has only a mark; without it such keys stay unknown. */
  readonly keyOf?: KeyFinder
}

/**
 * Reads a snapshot file as if it were a reading of its area: every missing collection is empty. Secrets that it leaves out are
 * unknown (`Snapshot.secrets`). Throws a ProblemError if it is not a snapshot.
 */
export function readSnapshotFile(path: string, options: SnapshotFileInput): Reading {
  const { displayed = path, keyOf } = options
  const given = collectionsIn(readSnapshotText(path, displayed), displayed)
  const nested = nestUnnested(given)
  const raw = keyOf ? withKeys(nested, keyOf) : nested
  const snapshot: Snapshot = { ...normalize(raw, allKindNames), secrets: 'left out' }
  return { snapshot, raw, cost: costOf(raw), notOffered: [] }
}

/** A client of an area that is only a file: it answers every reading with the file, and can do nothing else. */
export function offlineClient(reading: Reading): Client {
  const refuse = (): never => {
    throw new Error('a snapshot file cannot be asked or changed')
  }
  return {
    read: () => Promise.resolve(reading),
    write: refuse,
    findById: refuse,
    findByName: refuse,
    list: refuse,
    listIds: refuse,
    isFailing: () => false,
    stats: () => ({ requests: 0, tokenRequests: 0, throttled: 0, waitedMs: 0 }),
    close: () => Promise.resolve(),
  }
}

const allKindNames = kinds.map((kind) => kind.name)

function readSnapshotText(path: string, displayed: string): string {
  const read = readDocumentText(path)
  if ('text' in read) return read.text
  throw new ProblemError([snapshotUnreadable(displayed, read.failure, 'gatewright snapshot --out FILE writes one')])
}

function collectionsIn(text: string, displayed: string): Readonly<Record<string, readonly JsonObject[]>> {
  const value = parseJson(text)
  if (!isObject(value)) {
    const reason = value === undefined ? `it is not JSON${placeWords(text)}` : 'it is not an object of collections'
    throw new ProblemError([
      snapshotUnreadable(displayed, reason, 'a snapshot is {"services": […], "packages": […], …}'),
    ])
  }
  // A member that is not a list is not a collection: it is a header from the author of the file.
  const lists = Object.entries(value).filter(([, held]) => Array.isArray(held))
  const raw = Object.fromEntries(lists.map(([name, held]) => [name, answeredList(held)]))
  const problems = [
    ...unknownLists(raw, displayed),
    ...lists.flatMap(([name, held]) => strayEntries(name, held, displayed)),
  ]
  if (lists.length === 0) problems.push(snapshotUnreadable(displayed, 'it has no collection', 'is it another file?'))
  if (problems.length > 0) throw new ProblemError(problems)
  return Object.fromEntries(lists.map(([name, held]) => [name, answeredList(held).filter(isObject)]))
}

function unknownLists(raw: RawCollections, displayed: string) {
  const known = [
    ...kinds.filter((kind) => kind.parent === undefined).map(collectionOf),
    ...unnestedCollections.map(({ collection }) => collection),
  ]
  return unknownCollections(raw)
    .filter((name) => !known.includes(name))
    .map((name) => snapshotUnknownCollection(displayed, name, known))
}

function strayEntries(name: string, held: Json, displayed: string) {
  const index = answeredList(held).findIndex((each) => !isObject(each))
  if (index === -1) return []
  return [
    snapshotUnreadable(
      displayed,
      `${name}[${index}] is not an object`,
      'collections hold objects, as the interface answers',
    ),
  ]
}

/** Line and column of a JSON error, if the parser gives its position. */
function placeWords(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    const words = error instanceof Error ? error.message : ''
    const [, at] = /at position (\d+)/.exec(words) ?? []
    if (at === undefined) return ' (it ends too early)'
    const before = text.slice(0, Number(at)).split('\n')
    return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`
  }
}

/** The cost of reading the area: its pages. */
function costOf(raw: RawCollections): readonly ReadCost[] {
  return Object.entries(raw).map(([collection, held]) => {
    const objects = answeredList(held).length
    const requests = Math.max(1, Math.ceil(objects / pageSize))
    return { collection, objects, requests, paging: { parts: 1, totals: 'sent' as const, size: pageSize } }
  })
}
