import { pageSize } from './pages.js'
import type { ReadCost } from './types.js'

/**
 * How many requests the next reading takes: by what the last one took, and by how many objects there will be more (or,
 * negative, fewer) in a collection.
 */
export function estimateRead(cost: readonly ReadCost[], added: Readonly<Record<string, number>> = {}): number {
  return cost.reduce((sum, part) => sum + requestsOf(part, added[part.collection] ?? 0), 0)
}

function requestsOf({ paging, objects, requests }: ReadCost, added: number): number {
  if (!paging) return Math.max(0, requests + added)
  const expected = Math.max(0, objects + added)
  // Without totals a full page is followed by another one, if only an empty one.
  const pages =
    paging.totals === 'sent' ? Math.max(1, Math.ceil(expected / pageSize)) : Math.floor(expected / pageSize) + 1
  // Without totals the first of several pages is asked for again at the end.
  return paging.parts * (pages === 1 || paging.totals === 'sent' ? pages : pages + 1)
}
