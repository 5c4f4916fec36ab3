import type { PlannedLoss } from '../applier/stale.js'
import { areaName, areaUrl } from '../catalog/base-url.js'
import { documentLimits, readOrdinaryFile } from '../files/ordinary-file.js'
import { reasonOf } from '../files/system-error.js'
import { writeWhole } from '../files/write-file.js'
import { isObject, type Json, type JsonObject, jsonText, objectOf, parseJson, textOf } from '../json/json.js'
import type { Change, KnownField, PlanSettings } from '../planner/plan.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import {
  savedPlanBroken,
  savedPlanChanged,
  savedPlanForAnotherTarget,
  savedPlanNotSealed,
} from '../problems/refusals.js'
import type { FingerprintArea } from '../secrets/fingerprint.js'
import { holdsSecret } from '../secrets/mask.js'
import type { Seal } from '../secrets/seal.js'
import type { ChangeDocument, PlanContext, PlanDocument } from './plan.js'

/** A plan in a file: exactly the plan that was shown is applied. It contains no secrets, only keyed fingerprints of them. */
export interface SavedPlan extends PlanDocument {
  readonly changes: readonly SavedChange[]
  /** The options of the plan. Apply must plan with the same ones, and must permit them itself. */
  readonly options: SavedSettings
}

interface SavedSettings {
  readonly prune: PlanSettings['prune']
  readonly take: NonNullable<PlanSettings['take']> | null
  readonly allowReplace: boolean
  readonly base: string | null
}

interface SavedChange extends ChangeDocument {
  /** Only for a delete: what was known about the object. For values that may be secret, only a fingerprint. */
  readonly known?: readonly PlannedLoss[]
}

/** Computes the seal of a document about an area; undefined without a key. */
export type SealOf = (document: Json, area: FingerprintArea, environment?: string) => Seal | undefined

/** A plan to save. `changes`: the changes of the document with all their data. */
export function savedPlan(
  document: PlanDocument,
  changes: readonly Change[],
  options: SavedSettings,
  { fingerprint, mask }: Pick<PlanContext, 'fingerprint' | 'mask'>,
): SavedPlan {
  const known = new Map(
    changes.flatMap((change) => (change.action === 'delete' ? [[change.address, change.known] as const] : [])),
  )
  const savedField = ({ path, value, sensitive }: KnownField): PlannedLoss => {
    // A user may have written a known secret into an ordinary field.
    const isSecret = sensitive || holdsSecret(value, mask)
    const print = isSecret ? fingerprint(value) : undefined
    return {
      path,
      sensitive: isSecret,
      ...(!isSecret && { value }),
      ...(print !== undefined && { fingerprint: print }),
    }
  }
  const saved = document.changes.map((change): SavedChange => {
    const fields = known.get(change.address)
    return fields ? { ...change, known: fields.map(savedField) } : change
  })
  return { ...document, changes: saved, options }
}

/** Writes a plan completely or not at all, and says whether it is sealed. `displayed` is the path in messages. */
export function savePlan(plan: SavedPlan, sealOf: SealOf, path: string, displayed: string): 'sealed' | 'not sealed' {
  // The seal is computed for the document as it will be read back.
  const document = parseJson(JSON.stringify(plan))
  const seal = sealOf(document ?? null, plan.target)
  writeWhole(path, jsonText(seal ? { ...plan, seal } : plan), 'owner', displayed)
  return seal ? 'sealed' : 'not sealed'
}

/** A plan that was not changed, or the reason why this is not certain. `plan` is the contents, if they can be read. */
export type ReadPlan =
  | { readonly is: 'intact'; readonly plan: SavedPlan }
  | { readonly is: 'changed'; readonly problem: Problem; readonly plan: SavedPlan | undefined }

/** Reads a saved plan. Throws a ProblemError if the file is no saved plan. */
export async function readSavedPlan(path: string, displayed: string, sealOf: SealOf): Promise<ReadPlan> {
  const value = parseJson(readPlanText(path, displayed))
  if (value === undefined) throw new ProblemError([savedPlanBroken(displayed, 'it is not JSON')])
  // The validator is loaded only here, because most commands do not read a plan.
  const { failureOf } = await import('./plan-validator.js')
  if (!isObject(value) || value.format !== 'gatewright.plan/1') {
    throw new ProblemError([savedPlanBroken(displayed, failureOf(value) ?? 'it is another document')])
  }
  const problem = sealProblem(value, displayed, sealOf)
  const failure = failureOf(value)
  const plan = failure === undefined ? (value as JsonObject & SavedPlan) : undefined
  if (problem) return { is: 'changed', problem, plan }
  if (!plan) throw new ProblemError([savedPlanBroken(displayed, failure ?? '')])
  return { is: 'intact', plan }
}

/** Why it is not certain that a document is unchanged. A plan is applied only if nobody could have changed it. */
function sealProblem({ seal, ...document }: JsonObject, displayed: string, sealOf: SealOf): Problem | undefined {
  if (!isObject(seal)) return savedPlanNotSealed(displayed, 'it has no seal')
  const { url, area, environment } = objectOf(document.target)
  const right = sealOf(document, { url: String(url), area: String(area) }, textOf(environment))
  if (!right) return savedPlanNotSealed(displayed, 'there is no key here to check its seal with')
  if (right.key !== seal.key) return savedPlanNotSealed(displayed, 'its seal was made with another key')
  return right.hmac === seal.hmac ? undefined : savedPlanChanged(displayed)
}

/** Why a saved plan cannot be applied here: it was made for another area or project. */
export function otherTarget(document: PlanDocument, target: PlanDocument['target']): readonly Problem[] {
  const names = ['url', 'area', 'project', 'environment'] as const
  return names
    .filter((name) => known(document.target)[name] !== known(target)[name])
    .map((name) => savedPlanForAnotherTarget(name, document.target[name] ?? '', target[name] ?? ''))
}

const known = ({ url, area, project, environment }: PlanDocument['target']): PlanDocument['target'] => ({
  url: areaUrl(url),
  area: areaName(area),
  project,
  ...(environment === undefined ? {} : { environment }),
})

function readPlanText(path: string, displayed: string): string {
  try {
    return readOrdinaryFile(path, documentLimits).toString()
  } catch (cause) {
    throw new ProblemError([savedPlanBroken(displayed, reasonOf(cause))], { cause })
  }
}
