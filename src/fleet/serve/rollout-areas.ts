import { digest } from '../../json/digest.js'
import type { StopRule } from '../fleet.js'
import type { DecisionRow, RolloutAreaRow, RolloutWave } from './rollout-store.js'

/** States of an area after which its wave counts it as failed (A280). A plan that is stale drops out, and is none of them. */
export const failures: ReadonlySet<string> = new Set([
  ...['incomplete', 'refused', 'error', 'interrupted', 'not-started', 'drift', 'conflict'],
])

/** The digest of the plans that an approval of a wave is for: those that are still to be applied. */
export function waveDigest(wave: number, areas: readonly RolloutAreaRow[]): string {
  const waiting = areas.filter((each) => each.wave === wave && each.state === 'pending')
  return digest(JSON.stringify(waiting.map(({ area, plan_digest: plan }) => [area, plan]).sort()))
}

/** Whether somebody has approved the plans of a wave as they are now. */
export function isApproved(wave: number, areas: readonly RolloutAreaRow[], decisions: readonly DecisionRow[]): boolean {
  const digest = waveDigest(wave, areas)
  return decisions.some((each) => each.decision === 'approve' && each.wave === wave && each.digest === digest)
}

/**
 * Which waves an approval is asked for before: one that a wave asks for is asked for before the next wave that has something
 * to apply (A368). An area that is not planned yet counts as one with changes.
 */
export function approvalsOf(
  waves: readonly Pick<RolloutWave, 'approve'>[],
  areas: readonly RolloutAreaRow[],
): readonly boolean[] {
  let approve = false
  return waves.map((wave, index) => {
    approve ||= wave.approve
    if (!areas.some((each) => each.wave === index && isApplied(each))) return false
    const asked = approve
    approve = false
    return asked
  })
}

const isApplied = ({ state, began }: RolloutAreaRow): boolean =>
  began !== null || state === 'waiting' || state === 'pending'

/** Why the areas of a wave stop the rollout; null if they do not. */
export function stoppedBy(stop: StopRule, wave: number, areas: readonly RolloutAreaRow[]): string | null {
  const own = areas.filter((each) => each.wave === wave)
  const failed = own.filter(({ state }) => failures.has(state))
  if (failed.length === 0) return null
  const percent = (100 * failed.length) / own.length
  const words = `${failed.length} of ${own.length} areas of wave ${wave + 1} failed: ${failed
    .slice(0, 5)
    .map(({ area, state }) => `${area} (${state})`)
    .join(', ')}`
  if (stop.failures !== undefined && failed.length >= stop.failures) return words
  return stop.failedPercent !== undefined && percent >= stop.failedPercent ? words : null
}
