import { readFileSync } from 'node:fs'
import { areaName, areaUrl } from '../catalog/base-url.js'
import { writeWhole } from '../files/write-file.js'
import { jsonText } from '../json/json.js'
import type { PlanSettings } from '../planner/plan.js'
import { type Problem, ProblemError } from '../problems/problem.js'
import { savedPlanBroken, savedPlanForAnotherTarget } from '../problems/refusals.js'
import type { PlanDocument } from './plan.js'

/** A plan in a file: what was shown is what is performed. It holds no secret, only keyed fingerprints of them. */
export interface SavedPlan extends PlanDocument {
  /** What decided about the plan beside manifests and area: apply must plan with the same. */
  readonly options?: {
    readonly prune: PlanSettings['prune'] | null
    readonly take: NonNullable<PlanSettings['take']> | null
    readonly allowReplace: boolean
    readonly base: string | null
  }
}

/** Writes a plan, whole or not at all. `shown` is the path in messages. */
export function savePlan(plan: SavedPlan, path: string, shown: string): void {
  writeWhole(path, jsonText(plan), 'owner', shown)
}

/** Reads a saved plan. Throws a ProblemError if the file is none. */
export async function readSavedPlan(path: string, shown: string): Promise<SavedPlan> {
  const value: unknown = parsed(readText(path, shown), shown)
  // Loaded only where a plan is read: writing one, and all that needs none, starts without it.
  const { failureOf } = await import('./plan-validator.js')
  const failure = failureOf(value)
  if (failure !== undefined) throw new ProblemError([savedPlanBroken(shown, failure)])
  return value as SavedPlan
}

/** Why a saved plan cannot be performed here at all: it was made for another area or project. */
export function otherTarget(document: PlanDocument, target: PlanDocument['target']): readonly Problem[] {
  const names = ['url', 'area', 'project'] as const
  return names
    .filter((name) => known(document.target)[name] !== known(target)[name])
    .map((name) => savedPlanForAnotherTarget(name, document.target[name], target[name]))
}

const known = ({ url, area, project }: PlanDocument['target']): PlanDocument['target'] => ({
  url: areaUrl(url),
  area: areaName(area),
  project,
})

function readText(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ProblemError([savedPlanBroken(shown, 'there is no such file, or it cannot be read')], { cause })
  }
}

function parsed(text: string, shown: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ProblemError([savedPlanBroken(shown, 'it is not JSON')], { cause })
  }
}
