import { isNamedByHost, keyOfName } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import { noSuchList } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'
import { saysNoObject } from './answer.js'
import { identifying } from './fields.js'
import { itemForm } from './list-items.js'
import { filledPath, listOperation } from './nesting.js'
import { type CollectionQuery, type GetPage, isRefusedRequest, readCollection } from './pages.js'
import type { Client } from './types.js'

type LookUp = Pick<Client, 'findById' | 'findByName' | 'list' | 'listIds'>

/** Small queries of the current state of one collection. A collection that is not listed is not an empty one (A102). */
export function createLookUp(get: GetPage): LookUp {
  const listed = async (
    kind: Kind,
    ids: Readonly<Record<string, string>>,
    query: Pick<CollectionQuery, 'fields' | 'filter'>,
  ): Promise<readonly JsonObject[] | undefined> => {
    const operation = listOperation(kind, ids)
    if (!operation) return undefined
    const collected = await readCollection(
      get,
      { kind, path: filledPath(operation.path, ids), ...query },
      () => undefined,
    )
    return collected.is === 'listed' ? collected.objects : undefined
  }

  const known = (kind: Kind, objects: readonly JsonObject[] | undefined): readonly JsonObject[] => {
    if (!objects) throw new ProblemError([noSuchList(kind.name)])
    return objects
  }

  return {
    async findById(kind, ids) {
      const { fetch } = kind.operations
      if (!fetch) return 'not-offered'
      const fields = identifying(kind).map(encodeURIComponent).join(',')
      const path = `${filledPath(fetch.path, ids)}?fields=${fields}`
      const page = await get(path, itemForm(kind, identifying(kind)), saysNoObject)
      // An interface without such a route and one without such an object give the same answer.
      return page === 'not-offered' ? 'gone' : (page.objects[0] ?? 'gone')
    },
    async findByName(kind, ids, name) {
      const { naming } = kind
      if (naming === undefined) return []
      // A new object is also read to see whether it is approved by now.
      const fields = [...identifying(kind), ...(kind.approval ? [kind.approval.field] : [])]
      const filter = filterFor(kind, naming, name)
      const all = () => listed(kind, ids, { fields })
      const objects =
        filter === undefined ? await all() : await listed(kind, ids, { fields, filter }).catch(insteadOf(all))
      const key = keyOfName(kind, name)
      return known(kind, objects).filter((object) => keyOfName(kind, String(object[naming] ?? '')) === key)
    },
    list: async (kind, ids) => known(kind, await listed(kind, ids, { fields: telling(kind) })),
    async listIds(kind, ids) {
      const objects = await listed(kind, ids, { fields: ['id'] })
      return objects?.map((object) => String(object.id ?? '')) ?? 'not-offered'
    },
  }
}

/** What identifies objects of a kind. If the name of a kind is secret, the id of the object that it is named by is included. */
const telling = (kind: Kind): readonly string[] => [
  ...identifying(kind),
  ...(kind.namedBy === undefined ? [] : [`${kind.namedBy}.id`]),
]

/**
 * Some names cannot be used in a filter: a comma separates pairs, a secret would be in the URL, and a host name may have another
 * case. The whole collection is read instead.
 */
const filterFor = (kind: Kind, naming: string, name: string): string | undefined =>
  name.includes(',') || kind.fields[naming]?.secret || isNamedByHost(kind) ? undefined : `${naming}:${name}`

/** Whether one request can find an object by its name without reading all other objects. */
export const isRequestedByName = (kind: Kind, name: string): boolean =>
  kind.naming !== undefined && filterFor(kind, kind.naming, name) !== undefined

/** If a platform refuses such a filter, the whole collection is read. */
const insteadOf =
  <Answer>(other: () => Promise<Answer>) =>
  (error: unknown): Promise<Answer> => {
    if (!isRefusedRequest(error)) throw error
    return other()
  }
