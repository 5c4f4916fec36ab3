import { catalog } from '../catalog/catalog.js'
import { keyOfName, rootOf } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import { estimateRead } from '../client/estimate.js'
import { isRequestedByName } from '../client/look-up.js'
import { collectionOf } from '../client/nesting.js'
import type { Client, ReadCost } from '../client/types.js'
import { groupBy } from '../json/groups.js'
import type { Planned } from './area.js'

/**
 * Whether a plan may create objects that exist already: an object may have moved from one page of a reading to another between
 * two requests (A44). A few names are looked up one by one. For more names, the names of the collection are read again. For many,
 * the result is true without a check, and the pages are read again, which costs no more.
 */
export async function mayMissSome({ plan, cost }: Planned, client: MissedLookUp): Promise<boolean> {
  const doubtful = plan.changes.flatMap((change) => {
    const kind = catalog[change.kind]
    return change.action === 'create' && isReadInPages(kind, cost) ? [{ kind, name: change.resource.key }] : []
  })
  if (doubtful.some(({ kind }) => kind.parent)) return true
  const looks = [...groupBy(doubtful, ({ kind }) => kind)].map(([kind, same]) =>
    cheapest(
      kind,
      same.map(({ name }) => name),
      cost,
    ),
  )
  const requests = looks.reduce((sum, look) => sum + look.requests, 0)
  if (requests >= estimateRead(cost)) return true
  // If a look-up fails, the pages are read again, which shows the reason.
  const isThere = await Promise.all(looks.map((look) => look.isThere(client).catch(() => true)))
  return isThere.includes(true)
}

type MissedLookUp = Pick<Client, 'findByName' | 'list'>

/** A way to find out whether a collection has any of some names. */
interface Look {
  readonly requests: number
  readonly isThere: (client: MissedLookUp) => Promise<boolean>
}

function cheapest(kind: Kind, names: readonly string[], cost: readonly ReadCost[]): Look {
  const pages = estimateRead(cost.filter(({ collection }) => collection === collectionOf(kind)))
  const requests = names.reduce((sum, name) => sum + (isRequestedByName(kind, name) ? 1 : pages), 0)
  if (requests > pages) return { requests: pages, isThere: (client) => isListed(kind, names, client) }
  const find = (client: MissedLookUp) => Promise.all(names.map((name) => client.findByName(kind, {}, name)))
  return { requests, isThere: async (client) => (await find(client)).some(({ length }) => length > 0) }
}

async function isListed(kind: Kind, names: readonly string[], client: MissedLookUp): Promise<boolean> {
  const keys = new Set(names.map((name) => keyOfName(kind, name)))
  const objects = await client.list(kind, {})
  return objects.some((object) => keys.has(keyOfName(kind, String(object[kind.naming ?? 'id'] ?? ''))))
}

/** Whether objects of a kind are read in pages. Children are read with their parent, unless their lists were read separately. */
const isReadInPages = (kind: Kind, cost: readonly ReadCost[]): boolean => {
  const collection = collectionOf(rootOf(kind))
  return cost.some(({ collection: read, objects, requests, paging }) =>
    kind.parent
      ? read.startsWith(`${collection}/`) && requests > objects
      : read === collection && paging !== undefined && objects > paging.size,
  )
}
