/** The most of these moments, in milliseconds, that lie within any one second. */
export const mostInASecond = (times: readonly number[]): number =>
  Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length))
