import { pageSize } from './pages.js'
import type { ReadCost } from './types.js'

/**
 * How many requests the next reading takes, by the cost of the last one and by how many objects each collection gets (negative:
 * loses).
 */
export function estimateRead(cost: readonly ReadCost[], added: Readonly<Record<string, number>> = {}): number {
  return cost.reduce((sum, part) => sum + requestsOf(part, added[part.collection] ?? 0), 0)
}

function requestsOf({ paging, objects, requests }: ReadCost, added: number): number {
  if (!paging) return Math.max(0, requests + added)
  const expected = Math.max(0, objects + added)
  const pages = Math.ceil(expected / paging.size)
  // If the only page is full, another page is requested (A380).
  if (paging.totals === 'sent') return paging.parts * (expected === pageSize && pages === 1 ? 2 : Math.max(1, pages))
  // Another page is requested after the last one. Then the first page is requested again if there are several, or if it is full.
  const more = expected < pageSize && pages <= 1 ? 1 : 2
  return paging.parts * (pages === 0 ? 1 : pages + more)
}
