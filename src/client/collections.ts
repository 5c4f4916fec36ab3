import type { Kind, KindName } from '../catalog/types.js'
import type { Vocabulary } from '../catalog/vocabulary.js'
import type { JsonObject } from '../json/json.js'
import type { ReadSpec } from '../live/live-object.js'
import type { ReadProgress } from '../ports/progress.js'

import type { Found } from './earlier.js'
import { documentedPaths, fieldPaths } from './fields.js'
import { filledPath, listOperation, type Requested } from './nesting.js'
import { type Collected, type GetPage, isNoList, isRefusedRequest, readCollection } from './pages.js'
import type { ReadCost } from './types.js'

/** What a reading needs to send requests. */
export interface ReadingWire {
  readonly url: string
  readonly vocabulary: Vocabulary
  readonly get: GetPage
  readonly onProgress: (progress: ReadProgress) => void
  /** Kinds whose collections have refused fields outside the document: such fields are no longer requested (A220). */
  readonly documentOnly: Set<KindName>
}

/** One reading of a root kind: its input, and what it finds out. */
export interface ReadContext extends ReadingWire {
  readonly requested: Requested
  readonly spec: ReadSpec
  readonly earlier: Found | undefined
  readonly cost: ReadCost[]
  readonly notOffered: Set<KindName>
  /** Kinds that were requested but are in no answer. */
  readonly unreported: Set<KindName>
  /** Collections outside the document that the platform refused to list. */
  readonly refused: Map<KindName, string>
  /** The collections of root kinds, each read once. */
  readonly roots: Map<KindName, Promise<Collected>>
}

/** An object and its parents. The ids of parents are needed only if lists must be requested one by one. */
export interface Placed {
  readonly kind: Kind
  readonly object: JsonObject
  readonly within: Placed | undefined
}

/** The ids of an object and of its parents, by the parameter names of the paths. */
export function placedIds({ kind, object, within }: Placed): Readonly<Record<string, string>> {
  const ids = within ? placedIds(within) : {}
  return object.id === undefined ? ids : { ...ids, [kind.idParameter]: String(object.id) }
}

export type Listed = readonly JsonObject[] | undefined

/** The collection of a root kind, read once. */
export function rootList(kind: Kind, context: ReadContext): Promise<Collected> {
  const known = context.roots.get(kind.name) ?? list(kind, {}, context).catch(orLeftOut(kind, context))
  context.roots.set(kind.name, known)
  return known
}

/**
 * If a kind outside the document is refused, a reading that only looks around leaves it out; any other reading fails with the
 * reason.
 */
export const orLeftOut =
  (kind: Kind, { spec, refused }: ReadContext) =>
  (error: unknown): Collected => {
    if (kind.origin === 'document' || spec.refused === undefined) throw error
    if (!isNoList(error)) throw error
    refused.set(kind.name, error.message)
    return { is: 'not-offered', requests: 1 }
  }

/** A collection with the requested fields; without those outside the document, if they are refused. */
export function list(kind: Kind, ids: Readonly<Record<string, string>>, context: ReadContext): Promise<Collected> {
  const operation = listOperation(kind, ids)
  if (!operation) return Promise.resolve({ is: 'not-offered', requests: 0 })
  const path = filledPath(operation.path, ids)
  const { requested, get, onProgress, documentOnly } = context
  const read = (fields: readonly string[]) => readCollection(get, { kind, path, fields }, onProgress)
  if (documentOnly.has(kind.name)) return read(documentedPaths(kind, requested))
  const paths = fieldPaths(kind, requested)
  return read(paths).catch((error: unknown) => {
    if (!isRefusedRequest(error)) throw error
    const documented = documentedPaths(kind, requested)
    if (documented.length === paths.length) throw error
    documentOnly.add(kind.name)
    return read(documented)
  })
}
