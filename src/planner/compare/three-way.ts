import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { FieldChange, PlanSettings } from '../plan.js'
import type { ReferenceScope } from '../references/scope.js'
import { withPathLeftBehind } from '../routes.js'
import { type Comparison, changesIn, comparisonOf, differencesOf, withoutBroken } from './fields.js'
import type { SinceBase } from './since-base.js'
import { type Released, withUnsets } from './unset.js'
import { classified } from './verdict.js'

/** The result of comparing the desired, the live and the last applied values. */
export interface ThreeWay extends Comparison {
  /** Fields that are no longer written and do not change: nobody manages them any more. */
  readonly released: readonly Released[]
  /** Secrets that cannot be compared with the applied ones. */
  readonly unverifiable: readonly string[]
  /** Paths that both sides have changed, and that keep their live values. */
  readonly left: readonly string[]
  /** Fields that differ, and whose difference somebody accepted. */
  readonly accepted: readonly FieldChange[]
}

/** The result if nothing differs. */
export const inSync: ThreeWay = {
  fields: [],
  values: {},
  broken: [],
  released: [],
  unverifiable: [],
  left: [],
  accepted: [],
}

interface ThreeWaySettings {
  /** Resolves names of today's manifests. */
  readonly references: ReferenceScope
  /** Which side is used if both have changed the same path. */
  readonly take: PlanSettings['take']
  readonly isAccepted: (field: FieldChange) => boolean
}

/**
 * Compares three ways: first the live values with the base, to find which fields that are no longer written may be unset; then
 * the live with the desired values. Both results give the verdict on each path that differs. `since` may have the object without
 * its temporary path.
 */
export function compareThreeWays(
  written: Resource,
  live: LiveObject,
  since: SinceBase,
  { references, take, isAccepted }: ThreeWaySettings,
): ThreeWay {
  const { resource, released } = withUnsets(written, since)
  const found = withoutBroken(resource, differencesOf(resource, live, references))
  if (found.fields.length === 0) return { ...inSync, broken: found.broken, released }
  const { fields, unverifiable } = classified(changesIn(found), resource, since)
  const accepted = fields.filter(isAccepted)
  const isLeft = ({ verdict }: FieldChange) => verdict === 'conflict' && take === 'live'
  const kept = withPathLeftBehind(
    fields.filter((field) => !isLeft(field) && !accepted.includes(field)),
    live,
    since.object,
  )
  const left = fields.filter((field) => isLeft(field) && !accepted.includes(field)).map(({ path }) => path)
  return { ...comparisonOf(resource, live, found, kept), released, unverifiable, left, accepted }
}
