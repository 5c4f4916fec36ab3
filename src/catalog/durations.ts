import type { JsonObject } from '../json/json.js'

/** A description of durations, for messages. */
export const durationWords = 'a duration, such as 30s, 20m or 2h'

/** The units of durations, in milliseconds. */
export const durationUnits = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A number always has its unit: otherwise 10 could be seconds or minutes. */
export const durationText: JsonObject = {
  type: 'string',
  pattern: `^[0-9]+(${Object.keys(durationUnits).join('|')})$`,
  title: durationWords,
}
