import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { areaName, areaUrl } from '../catalog/base-url.js'
import { type Problem, ProblemError, savedPlanBroken, savedPlanForAnotherTarget } from '../problem.js'
import type { PlanDocument } from '../report/plan-document.js'
import type { Io } from './io.js'
import { pruneFor, type RunOptions } from './options.js'
import { writeWhole } from './write-file.js'

/** A plan in a file: what was shown is what is performed. It holds no secret, only keyed fingerprints of them. */

/** What decided about the plan beside manifests and area: apply must plan with the same. */
type PlanningOptions = Pick<RunOptions, 'paths' | 'prune' | 'take' | 'allowReplace' | 'base'>

interface SavedPlan extends PlanDocument {
  readonly options?: {
    readonly prune: RunOptions['prune'] | null
    readonly take: RunOptions['take'] | null
    readonly allowReplace: boolean
    readonly base: string | null
  }
}

/** Writes a plan, whole or not at all. */
export function savePlan(document: PlanDocument, file: string, options: PlanningOptions, io: Io): void {
  const { take = null, allowReplace, base = null } = options
  const saved: SavedPlan = { ...document, options: { prune: pruneFor(options) ?? null, take, allowReplace, base } }
  writeWhole(resolve(io.cwd, file), `${JSON.stringify(saved, null, 2)}\n`, 'owner', file)
}

/** The options of an apply with those that the saved plan was made with, where none are given anew. */
export function withSettingsOf<Options extends PlanningOptions>(
  { options: then }: SavedPlan,
  options: Options,
): Options {
  if (!then) return options
  return {
    ...options,
    prune: options.prune ?? then.prune ?? undefined,
    take: options.take ?? then.take ?? undefined,
    allowReplace: options.allowReplace || then.allowReplace,
    base: options.base ?? then.base ?? undefined,
  }
}

/** Reads a saved plan. Throws a ProblemError if the file is none. */
export async function readSavedPlan(file: string, io: Io): Promise<SavedPlan> {
  const text = readText(file, io)
  const value: unknown = parsed(text, file)
  // Loaded only where a plan is read: writing one, and all that needs none, starts without it.
  const { failureOf } = await import('./plan-validator.js')
  const failure = failureOf(value)
  if (failure !== undefined) throw new ProblemError([savedPlanBroken(file, failure)])
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

function readText(file: string, io: Io): string {
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8')
  } catch (cause) {
    throw new ProblemError([savedPlanBroken(file, 'there is no such file, or it cannot be read')], { cause })
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ProblemError([savedPlanBroken(file, 'it is no JSON')], { cause })
  }
}
