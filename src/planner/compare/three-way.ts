import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { FieldChange, PlanSettings } from '../plan.js'
import type { ReferenceScope } from '../references/scope.js'
import { withPathLeftBehind } from '../routes.js'
import { type Comparison, changesIn, comparisonOf, differencesOf, withoutBroken } from './fields.js'
import type { SinceBase } from './since-base.js'
import { type Released, withUnsets } from './unset.js'
import { classified } from './verdict.js'

/** A comparison of what is desired, what is live and what was last applied. */
export interface ThreeWay extends Comparison {
  /** What is no longer written and is not changed: nobody manages it any more. */
  readonly released: readonly Released[]
  /** Secrets that cannot be compared with those that were applied. */
  readonly unverifiable: readonly string[]
  /** Paths that both sides have changed and that stay as they are live. */
  readonly left: readonly string[]
  /** Fields that differ, and that somebody accepted as they are. */
  readonly accepted: readonly FieldChange[]
}

/** Nothing differs. */
export const inSync: ThreeWay = {
  fields: [],
  values: {},
  broken: [],
  released: [],
  unverifiable: [],
  left: [],
  accepted: [],
}

export interface ThreeWaySettings {
  /** Resolves names of today's manifests. */
  readonly references: ReferenceScope
  /** Which side has it where both have changed the same path. */
  readonly take: PlanSettings['take']
  readonly isAccepted: (field: FieldChange) => boolean
}

/**
 * Compares three ways: live with the base, which tells what is no longer written and may be unset; live with what is
 * desired; and each path that differs is classified by both. `since` may see the object without its temporary path.
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
