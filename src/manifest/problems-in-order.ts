import { compareText } from '../json/order.js'
import type { Problem } from '../problems/problem.js'

/**
 * Sorts by file and place; problems without a place come first. Aliases are read several times, and their mistakes reported
 * several times: repeated problems are dropped.
 */
export function problemsInOrder(problems: readonly Problem[]): readonly Problem[] {
  const sorted = [...problems].sort(compare)
  return sorted.filter((problem, index) => {
    const before = sorted[index - 1]
    return before === undefined || compare(before, problem) !== 0
  })
}

/** Compares by file, line and column; a problem without a place comes first. */
export const byPlace = (left: Problem, right: Problem): number =>
  compareText(left.place?.file ?? '', right.place?.file ?? '') ||
  (left.place?.line ?? 0) - (right.place?.line ?? 0) ||
  (left.place?.column ?? 0) - (right.place?.column ?? 0)

const compare = (left: Problem, right: Problem): number =>
  byPlace(left, right) || compareText(left.code, right.code) || compareText(left.message, right.message)
