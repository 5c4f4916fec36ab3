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
  const pages = Math.ceil(expected / paging.size)
  // Behind a full page that is all there is another one is asked for (A380).
  if (paging.totals === 'sent') return paging.parts * (expected === pageSize && pages === 1 ? 2 : Math.max(1, pages))
  // Behind the last page another one is asked for; then the first of several, or a full one, is looked at again.
  const more = expected < pageSize && pages <= 1 ? 1 : 2
  return paging.parts * (pages === 0 ? 1 : pages + more)
}
