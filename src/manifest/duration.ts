const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/**
 * `30s`, `10m`, `1h`, `500ms` in milliseconds; a number without a unit is in seconds. undefined if the text is not a duration.
 */
export function durationMs(text: string): number | undefined {
  const [, count, unit = 's'] = /^(\d+)(ms|s|m|h)?$/.exec(text) ?? []
  const factor = unitMs[unit]
  return count === undefined || factor === undefined ? undefined : Number(count) * factor
}
