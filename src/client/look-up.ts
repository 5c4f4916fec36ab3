import { isNamedByHost, keyOfName } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import { noSuchList } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'
import { saysNoObject } from './answer.js'
import { identifying } from './fields.js'
import { itemForm } from './list-items.js'
import { filledPath, listOperation } from './nesting.js'
import { type CollectionQuery, type GetPage, isRefusal, readCollection } from './pages.js'
import type { Client } from './types.js'

type LookUp = Pick<Client, 'findById' | 'findByName' | 'list' | 'listIds'>

/** Small questions to one collection, as it is now. One that is not listed is not one that holds nothing (A102). */
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
      // Whether it is approved by now is the other thing that a new object is looked for.
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

/** What tells objects of a kind apart: what one is named by, if its own name is a secret, is its id here. */
const telling = (kind: Kind): readonly string[] => [
  ...identifying(kind),
  ...(kind.namedBy === undefined ? [] : [`${kind.namedBy}.id`]),
]

/**
 * A filter joins several pairs with commas, so a name that holds one cannot be asked for; a secret one would stand in the
 * URL; a host name may be there in another case. The whole collection is read instead.
 */
const filterFor = (kind: Kind, naming: string, name: string): string | undefined =>
  name.includes(',') || kind.fields[naming]?.secret || isNamedByHost(kind) ? undefined : `${naming}:${name}`

/** Whether one request asks for an object of that name, and not for all objects beside it. */
export const isAskedByName = (kind: Kind, name: string): boolean =>
  kind.naming !== undefined && filterFor(kind, kind.naming, name) !== undefined

/** A platform that refuses such a filter has the whole collection all the same. */
const insteadOf =
  <Answer>(other: () => Promise<Answer>) =>
  (error: unknown): Promise<Answer> => {
    if (!isRefusal(error)) throw error
    return other()
  }
