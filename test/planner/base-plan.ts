import { createHmac } from 'node:crypto'
import type { RawCollections } from '../../src/client/normalize.js'
import { imageOf } from '../../src/history/receipts-after.js'
import type { Base, BaseObject } from '../../src/planner/base/base-object.js'
import type { Plan, PlanSettings } from '../../src/planner/plan.js'
import type { Fingerprint } from '../../src/secrets/fingerprint.js'
import { type DocumentText, manifestText } from '../kit/manifests.js'
import { manifestsIn } from '../manifest/manifests-of.js'
import { planFrom, usual } from './plans.js'

/** The base, live and desired state of one area, each written by hand. */
export interface Sides {
  readonly base: readonly DocumentText[] | undefined
  readonly live: RawCollections
  readonly desired: readonly DocumentText[]
  /** The ids in the records, by address; if undefined, the base is a git reference. */
  readonly ids?: Readonly<Record<string, string>>
  readonly settings?: Partial<PlanSettings>
  readonly claims?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly fingerprint?: Fingerprint
}

export const keyed: Fingerprint = (value) =>
  `hmac:${createHmac('sha256', 'key').update(JSON.stringify(value)).digest('hex')}`

/** The plan that results from the three sides. */
export function planOfSides({
  base,
  live,
  desired,
  ids = {},
  settings,
  claims = [],
  env = {},
  fingerprint = keyed,
}: Sides): Plan {
  return planFrom(desired, env, live, {
    base: base && baseOf(base, ids, env, fingerprint),
    fingerprint,
    ownedElsewhere: new Set(claims),
    settings: { ...usual, ...settings },
  })
}

function baseOf(
  documents: readonly DocumentText[],
  ids: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  fingerprint: Fingerprint,
): Base {
  const objects = manifestsIn(manifestText(documents), { env }).resources.map((resource): [string, BaseObject] => {
    const { address, kind } = resource
    return [address, { address, kind, id: ids[address], ...imageOf(resource, fingerprint) }]
  })
  return { origin: 'test', objects: new Map(objects) }
}

/** "drift /description" for every field that differs. */
export const verdicts = (plan: Plan): readonly string[] =>
  plan.changes.flatMap((change) =>
    change.action === 'update'
      ? change.fields.map((field) => `${field.verdict} ${field.path}`)
      : [`${change.verdict} ${change.action} ${change.address}`],
  )
