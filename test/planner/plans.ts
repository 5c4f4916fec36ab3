import { createHash } from 'node:crypto'
import { normalize, type RawCollections } from '../../src/client/normalize.js'
import { makePlan } from '../../src/planner/make-plan.js'
import type { Change, Plan, PlanSettings } from '../../src/planner/plan.js'
import { nameOfKey } from '../../src/secrets/key-name.js'
import { type DocumentText, manifestText } from '../kit/manifests.js'
import { manifestsIn } from '../manifest/manifests-of.js'

export const usual: PlanSettings = {
  prune: 'applied',
  scope: { kinds: [], names: [] },
  conventionalOperations: 'use',
  take: undefined,
  allowReplace: false,
}

/** The plan of some documents against collections as the interface answers them; all kinds are read. */
export function planOf(
  documents: readonly DocumentText[],
  live: RawCollections = {},
  settings: Partial<PlanSettings> = {},
): Plan {
  const given = { base: undefined, fingerprint: () => undefined, ownedElsewhere: new Set<string>() }
  return planFrom(documents, { SECRET: 'secret-value' }, live, { ...given, settings: { ...usual, ...settings } })
}

/** The same plan, with any other input of a plan. */
export function planFrom(
  documents: readonly DocumentText[],
  env: Readonly<Record<string, string>>,
  live: RawCollections,
  given: Pick<Parameters<typeof makePlan>[0], 'base' | 'fingerprint' | 'ownedElsewhere' | 'settings'>,
): Plan {
  const manifests = manifestsIn(manifestText(documents), { env })
  const errors = manifests.problems.filter((each) => each.severity === 'error')
  if (errors.length > 0) throw new Error(errors.map((each) => each.message).join('\n'))
  return makePlan({
    ...given,
    ...{ manifests, snapshot: normalize(live), notOffered: [] },
    keyName: (packageName, apikey) => nameOfKey(packageName, apikey, 'key'),
    digest: (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`,
  })
}

/** "update Service/a: /description" for every change, in the plan's order. */
export const words = (plan: Plan): readonly string[] => plan.changes.map(wordsOf)

function wordsOf(change: Change): string {
  const action = change.action === 'blocked' ? `blocked ${change.wants}` : change.action
  const fields = change.action === 'update' ? `: ${change.fields.map((each) => each.path).join(' ')}` : ''
  return `${action} ${change.address}${fields}`
}

/** "code: message" of every problem. */
export const complaints = (plan: Plan): readonly string[] =>
  plan.problems.map((each) => `${each.code}: ${each.message}${each.hint ? ` (${each.hint})` : ''}`)
