import { durationUnits } from '../catalog/durations.js'

const unitMs: Readonly<Record<string, number>> = durationUnits

/** `30s`, `10m`, `1h`, `500ms`, `7d` in milliseconds; undefined if the text is not a duration. */
export function durationMs(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d+)([a-z]+)$/.exec(text) ?? []
  const factor = unitMs[unit]
  return factor === undefined ? undefined : Number(count) * factor
}
