import { by } from '../../json/order.js'
import { placeOf } from '../../manifest/source.js'
import type { Problem } from '../../problems/problem.js'
import {
  blockedChange,
  hazardNotAllowed,
  moreSuspectedRenames,
  mostRenamesTold,
  protectedObject,
  replaceNotAllowed,
  suspectedRename,
  tooManyDeletes,
  tooMuchChanged,
  undecidedConflict,
} from '../../problems/refusals.js'
import type { Change, Hazard, Plan } from '../plan.js'

/** What the user allows of what apply refuses by default. */
export interface Allowance {
  readonly replace: boolean
  readonly skipBlocked: boolean
  readonly take: 'manifest' | 'live' | undefined
  /** Hazards by name. */
  readonly hazards: readonly string[]
  readonly limits: { readonly deletes: number; readonly changedPercent: number }
}

/** Why apply would refuse the plan before its first write; empty if it would not. */
export function refusals(plan: Plan, allowance: Allowance, liveObjects: number): readonly Problem[] {
  return [
    ...renameRefusals(plan, allowance),
    ...limitRefusals(plan, allowance, liveObjects),
    ...plan.changes.flatMap((change) => changeRefusals(change, allowance)),
    ...hazardRefusals(plan, allowance),
  ]
}

/** Below so many changed objects a share of all says nothing. */
const smallNumber = 20

function limitRefusals(plan: Plan, { limits }: Allowance, liveObjects: number): readonly Problem[] {
  const count = (actions: readonly Change['action'][]) =>
    plan.changes.filter((change) => actions.includes(change.action)).length
  const problems: Problem[] = []
  const deletes = count(['delete', 'replace'])
  if (deletes > limits.deletes) problems.push(tooManyDeletes(deletes, limits.deletes))
  const touched = count(['update', 'delete', 'replace'])
  const percent = liveObjects === 0 ? 0 : Math.ceil((100 * touched) / liveObjects)
  if (touched > smallNumber && percent > limits.changedPercent) {
    problems.push(tooMuchChanged(percent, limits.changedPercent))
  }
  return problems
}

/** First of all: a rename that was not declared explains the deletes that are told behind it. */
function renameRefusals({ changes }: Plan, { hazards }: Allowance): readonly Problem[] {
  if (hazards.includes('ID_CHANGE')) return []
  const suspected = changes.flatMap((change) =>
    change.action === 'create' && change.suspect ? [{ ...change, suspect: change.suspect }] : [],
  )
  const [next, ...others] = suspected.slice(mostRenamesTold)
  const told = suspected
    .slice(0, mostRenamesTold)
    .map(({ address, suspect, resource }) => suspectedRename(address, suspect, placeOf(resource.mark)))
  if (!next) return told
  const more = [next, ...others].map(({ address }) => address)
  return [...told, moreSuspectedRenames(more, placeOf(next.resource.mark))]
}

function changeRefusals(change: Change, allowance: Allowance): readonly Problem[] {
  switch (change.action) {
    case 'create':
      return []
    case 'update':
      if (change.verdict !== 'conflict' || allowance.take === 'manifest') return []
      return [undecidedConflict(change.address, conflictPaths(change), placeOf(change.resource.mark))]
    case 'delete':
      return change.protected
        ? [protectedObject(change.address, 'delete', change.source && placeOf(change.source))]
        : []
    case 'replace': {
      const problems: Problem[] = []
      if (change.resource.protect)
        problems.push(protectedObject(change.address, 'replace', placeOf(change.resource.mark)))
      if (!allowance.replace) problems.push(replaceNotAllowed(change.address, change.reason))
      return problems
    }
    case 'blocked':
      return allowance.skipBlocked ? [] : [blockedChange(change.address, change.wants, change.reason)]
  }
}

const conflictPaths = (change: Change): readonly string[] =>
  change.fields.filter((field) => field.verdict === 'conflict').map((field) => field.path)

function hazardRefusals(plan: Plan, { hazards }: Allowance): readonly Problem[] {
  const found = new Map<Hazard, string[]>()
  for (const change of plan.changes) {
    for (const hazard of change.hazards) found.set(hazard, [...(found.get(hazard) ?? []), change.address])
  }
  return [...found]
    .filter(([hazard]) => !hazards.includes(hazard))
    .sort(by(([key]) => key))
    .map(([hazard, addresses]) => hazardNotAllowed(hazard, addresses))
}
