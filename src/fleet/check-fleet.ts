import { durationMs } from '../manifest/duration.js'
import { hasLabels } from '../manifest/labels.js'
import { type MapNode, nodeAt, valueAt } from '../manifest/node.js'
import { type LocatedText, placeOf, type SourceRange } from '../manifest/source.js'
import {
  areasWithoutWave,
  badDuration,
  badSchedule,
  emptyWave,
  jitterTooLong,
  noAddress,
  nobodyDecides,
  unknownTimeZone,
  unusedFleetKey,
} from '../problems/fleet.js'
import type { Problem } from '../problems/problem.js'
import { nearest } from '../problems/suggest.js'
import { plainAddress } from './address.js'
import { cronLine } from './cron.js'
import { type Fleet, wavesOf } from './fleet.js'

/** Problems of the drift schedule; `spec` is the `spec` of the fleet. */
export function checkSchedule(spec: MapNode): readonly Problem[] {
  const drift = valueAt(spec, 'drift')
  if (drift?.is !== 'map') return []
  const [schedule, timezone, jitter] = ['schedule', 'timezone', 'jitter'].map((key) => textEntry(drift, key))
  const problems: Problem[] = []
  const line = schedule && cronLine(schedule.text)
  if (line && 'fault' in line) problems.push(badSchedule(placeOf(schedule.range), schedule.text, line.fault))
  if (timezone && !isTimeZone(timezone.text)) {
    const near = nearest(timezone.text, Intl.supportedValuesOf('timeZone'))
    problems.push(unknownTimeZone(placeOf(timezone.range), timezone.text, near))
  }
  if (jitter && line && !('fault' in line) && (durationMs(jitter.text) ?? 0) > line.shortestGapMs) {
    problems.push(jitterTooLong(placeOf(jitter.range), jitter.text, line.shortestGapMs))
  }
  return problems
}

/** One year. A longer duration is certainly a mistake, and timers cannot count it. */
const longestMs = 365 * 24 * 3_600_000

/** Problems of durations that are too short or too long, such as a timeout of zero. */
export function checkDurations(spec: MapNode): readonly Problem[] {
  const waves = nodeAt(spec, '/rollout/waves')
  const bakes = (waves?.is === 'list' ? waves.items : []).flatMap((wave, index) => {
    const bake = wave.is === 'map' ? textEntry(wave, 'bake') : undefined
    return bake ? [{ ...bake, where: `spec.rollout.waves.${index}.bake`, leastMs: 0 }] : []
  })
  const timeout = textEntry(spec, 'timeout')
  return [...(timeout ? [{ ...timeout, where: 'spec.timeout', leastMs: 1000 }] : []), ...bakes].flatMap(
    ({ text, range, where, leastMs }) => {
      const ms = durationMs(text)
      // A text that is no duration is already reported.
      return ms !== undefined && (ms < leastMs || ms > longestMs)
        ? [badDuration(placeOf(range), where, text, leastMs)]
        : []
    },
  )
}

/** Problems of the settings of the pages: invalid proxy addresses, and a setting without the other one that it needs. */
export function checkServe(spec: MapNode): readonly Problem[] {
  const serve = valueAt(spec, 'serve')
  if (serve?.is !== 'map') return []
  const header = valueAt(serve, 'userHeader')
  const proxies = valueAt(serve, 'trustedProxies')
  const written = proxies?.is === 'list' ? proxies.items : [proxies]
  const wrong = written.flatMap((each) =>
    each?.is === 'scalar' && typeof each.value === 'string' && plainAddress(each.value) === undefined
      ? [noAddress(placeOf(each.range), each.value)]
      : [],
  )
  if (header && !proxies) return [nobodyDecides(placeOf(header.range), 'trustedProxies')]
  if (proxies && !header) return [...wrong, nobodyDecides(placeOf(proxies.range), 'userHeader')]
  return wrong
}

function textEntry(node: MapNode, key: string): LocatedText | undefined {
  const value = valueAt(node, key)
  return value?.is === 'scalar' && typeof value.value === 'string'
    ? { text: value.value, range: value.range }
    : undefined
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** Problems of waves without areas, and of areas without a wave; `range` is the position of the rollout. */
export function checkRollout(
  fleet: Pick<Fleet, 'areas' | 'rollout'>,
  range: SourceRange | undefined,
): readonly Problem[] {
  if (!fleet.rollout || !range) return []
  const waves = wavesOf(fleet)
  const written = fleet.rollout.waves
  // The number of areas in a percentage depends on the number of all areas: in a small fleet, it may include the last area.
  const empty = written.flatMap(({ place, labels }, index) => {
    const behindPercent = written.slice(0, index).some(({ percent }) => percent !== undefined)
    const mayFill = behindPercent && fleet.areas.some((area) => hasLabels(area.labels, labels))
    return waves[index]?.length === 0 ? [emptyWave(place, mayFill)] : []
  })
  const taken = new Set(waves.flat())
  const left = fleet.areas.filter((area) => !taken.has(area)).map(({ name }) => name)
  return [...empty, ...(left.length > 0 ? [areasWithoutWave(placeOf(range), left)] : [])]
}

/** Warnings for keys that no area uses. */
export function checkUse({ areas, keys }: Pick<Fleet, 'areas' | 'keys'>, spec: MapNode): readonly Problem[] {
  const used = new Set(areas.map(({ key }) => key))
  const written = valueAt(spec, 'keys')
  if (written?.is !== 'map') return []
  return written.entries
    .filter(({ key }) => Object.hasOwn(keys, key) && !used.has(key))
    .map(({ key, range }) => unusedFleetKey(placeOf(range), key))
}
