/** The largest number of these times, in milliseconds, within any one second. */
export function mostInASecond(times: readonly number[]): number {
  const sorted = [...times].sort((left, right) => left - right)
  let first = 0
  let most = 0
  for (const [index, time] of sorted.entries()) {
    while ((sorted[first] ?? 0) <= time - 1000) first += 1
    most = Math.max(most, index - first + 1)
  }
  return most
}
