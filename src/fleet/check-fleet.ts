import { durationMs } from '../manifest/duration.js'
import { type MapNode, type ScalarNode, valueAt } from '../manifest/node.js'
import { type Mark, placeOf } from '../manifest/source.js'
import {
  areasWithoutWave,
  badSchedule,
  emptyWave,
  jitterTooLong,
  unknownTimeZone,
  unusedFleetKey,
} from '../problems/fleet.js'
import type { Problem } from '../problems/problem.js'
import { nearest } from '../problems/suggest.js'
import { cronLine } from './cron.js'
import { type Fleet, wavesOf } from './fleet.js'

/** What is wrong with when drift is looked for; `spec` is that of the fleet. */
export function checkSchedule(spec: MapNode): readonly Problem[] {
  const drift = valueAt(spec, 'drift')
  if (drift?.is !== 'map') return []
  const [schedule, timezone, jitter] = ['schedule', 'timezone', 'jitter'].map((key) => textIn(drift, key))
  const problems: Problem[] = []
  const line = schedule && cronLine(schedule.text)
  if (line && 'fault' in line) problems.push(badSchedule(placeOf(schedule.mark), schedule.text, line.fault))
  if (timezone && !isTimeZone(timezone.text)) {
    const near = nearest(timezone.text, Intl.supportedValuesOf('timeZone'))
    problems.push(unknownTimeZone(placeOf(timezone.mark), timezone.text, near))
  }
  if (jitter && line && !('fault' in line) && (durationMs(jitter.text) ?? 0) > line.shortestGapMs) {
    problems.push(jitterTooLong(placeOf(jitter.mark), jitter.text, line.shortestGapMs))
  }
  return problems
}

function textIn(node: MapNode, key: string): { readonly text: string; readonly mark: ScalarNode['mark'] } | undefined {
  const value = valueAt(node, key)
  return value?.is === 'scalar' && typeof value.value === 'string' ? { text: value.value, mark: value.mark } : undefined
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** Waves without an area, and areas without a wave; `mark` is that of the rollout. */
export function checkRollout(fleet: Pick<Fleet, 'areas' | 'rollout'>, mark: Mark | undefined): readonly Problem[] {
  if (!fleet.rollout || !mark) return []
  const waves = wavesOf(fleet)
  const empty = fleet.rollout.waves.filter((_, index) => waves[index]?.length === 0)
  const taken = new Set(waves.flat())
  const left = fleet.areas.filter((area) => !taken.has(area)).map(({ name }) => name)
  return [
    ...empty.map(({ place }) => emptyWave(place)),
    ...(left.length > 0 ? [areasWithoutWave(placeOf(mark), left)] : []),
  ]
}

/** Keys that no area has. */
export function checkUse({ areas, keys }: Pick<Fleet, 'areas' | 'keys'>, spec: MapNode): readonly Problem[] {
  const used = new Set(areas.map(({ key }) => key))
  const written = valueAt(spec, 'keys')
  if (written?.is !== 'map') return []
  return written.entries
    .filter(({ key }) => Object.hasOwn(keys, key) && !used.has(key))
    .map(({ key, mark }) => unusedFleetKey(placeOf(mark), key))
}
