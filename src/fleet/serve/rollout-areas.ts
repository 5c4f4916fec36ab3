import { digest } from '../../json/digest.js'
import { counted } from '../../problems/suggest.js'
import type { StopRule } from '../fleet.js'
import type { DecisionRow, RolloutAreaRow, RolloutWave } from './rollout-store.js'

/**
 * States of an area that count as failed in its wave (A280). A stale plan is left out of the rollout and does not count as
 * failed.
 */
export const failures: ReadonlySet<string> = new Set([
  ...['incomplete', 'refused', 'error', 'interrupted', 'not-started', 'drift', 'conflict'],
])

/** The digest of the plans of a wave that still wait to be applied. An approval is for this digest. */
export function waveDigest(wave: number, areas: readonly RolloutAreaRow[]): string {
  const waiting = areas.filter((each) => each.wave === wave && each.state === 'pending')
  return digest(JSON.stringify(waiting.map(({ area, plan_digest: plan }) => [area, plan]).sort()))
}

/** Whether the current plans of a wave are approved. */
export function isApproved(wave: number, areas: readonly RolloutAreaRow[], decisions: readonly DecisionRow[]): boolean {
  const digest = waveDigest(wave, areas)
  return decisions.some((each) => each.decision === 'approve' && each.wave === wave && each.digest === digest)
}

/**
 * For each wave, whether an approval is required before it begins. If a wave that requires one has nothing to apply, the approval
 * is required before the next wave that has (A368). An area without a plan counts as one with changes.
 */
export function approvalsOf(
  waves: readonly Pick<RolloutWave, 'approve'>[],
  areas: readonly RolloutAreaRow[],
): readonly boolean[] {
  let approve = false
  return waves.map((wave, index) => {
    approve ||= wave.approve
    if (!areas.some((each) => each.wave === index && isBegun(each))) return false
    const requested = approve
    approve = false
    return requested
  })
}

const isBegun = ({ state, began }: RolloutAreaRow): boolean =>
  began !== null || state === 'waiting' || state === 'pending'

/** Why the areas of a wave stop the rollout; null if they do not. */
export function stoppedBy(stop: StopRule, wave: number, areas: readonly RolloutAreaRow[]): string | null {
  const own = areas.filter((each) => each.wave === wave)
  const failed = own.filter(({ state }) => failures.has(state))
  if (failed.length === 0) return null
  const percent = (100 * failed.length) / own.length
  const words = `${failed.length} of ${own.length} areas of wave ${wave + 1} failed: ${failedNames(failed)}`
  if (stop.failures !== undefined && failed.length >= stop.failures) return words
  return stop.failedPercent !== undefined && percent >= stop.failedPercent ? words : null
}

/** Why a rollout that went through all waves has not succeeded: areas failed, and no other area is as planned (A473). */
export function noneSucceeded(areas: readonly RolloutAreaRow[]): string | undefined {
  const failed = areas.filter(({ state }) => failures.has(state))
  if (failed.length === 0 || areas.some(({ state }) => succeeded.includes(state))) return undefined
  const most = failed.length === areas.length ? 'all' : `${failed.length} of`
  return `${most} ${counted(areas.length, 'area')} failed, and none is as planned: ${failedNames(failed)}`
}

/** The states of areas that are as planned. */
export const succeeded: readonly string[] = ['applied', 'in-sync']

const failedNames = (failed: readonly RolloutAreaRow[]): string =>
  failed
    .slice(0, 5)
    .map(({ area, state }) => `${area} (${state})`)
    .join(', ')
