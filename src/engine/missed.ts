import { catalog } from '../catalog/catalog.js'
import { rootOf } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import { estimateRead } from '../client/estimate.js'
import { isAskedByName } from '../client/look-up.js'
import { collectionOf } from '../client/nesting.js'
import type { Client, ReadCost } from '../client/types.js'
import type { Planned } from './area.js'

/**
 * Whether a plan may create what is there already: something may have moved from one page of a reading to another between two
 * requests (A44). A few names are asked for one by one; for many the pages are to be read again, which
 * tell more and cost no more.
 */
export async function mayMissSome({ plan, cost }: Planned, client: Pick<Client, 'findByName'>): Promise<boolean> {
  const doubtful = plan.changes.flatMap((change) => {
    const kind = catalog[change.kind]
    return change.action === 'create' && isReadInPages(kind, cost) ? [{ kind, name: change.resource.key }] : []
  })
  const roots = doubtful.filter(({ kind }) => !kind.parent)
  const requests = roots.reduce((sum, { kind, name }) => sum + requestsFor(kind, name, cost), 0)
  if (roots.length < doubtful.length || requests >= estimateRead(cost)) return true
  const isThere = await Promise.all(
    roots.map(({ kind, name }) =>
      client.findByName(kind, {}, name).then(
        (objects) => objects.length > 0,
        // The pages tell, or say what is wrong.
        () => true,
      ),
    ),
  )
  return isThere.includes(true)
}

/** A child comes with its parent, unless lists of it were asked for on their own. */
const isReadInPages = (kind: Kind, cost: readonly ReadCost[]): boolean => {
  const collection = collectionOf(rootOf(kind))
  return cost.some(({ collection: read, objects, requests, paging }) =>
    kind.parent
      ? read.startsWith(`${collection}/`) && requests > objects
      : read === collection && paging !== undefined && objects > paging.size,
  )
}

const requestsFor = (kind: Kind, name: string, cost: readonly ReadCost[]): number =>
  isAskedByName(kind, name) ? 1 : estimateRead(cost.filter(({ collection }) => collection === collectionOf(kind)))
