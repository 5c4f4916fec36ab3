import { catalog } from '../catalog/catalog.js'
import { type Hazard, hazards } from '../catalog/hazards.js'
import type { KindName } from '../catalog/types.js'
import { append } from '../json/groups.js'
import { by } from '../json/order.js'
import { type GuardRails, isWiderPrune } from '../manifest/compose/guard.js'
import { withoutParameters } from '../manifest/openapi/template.js'
import { placeOfFirst } from '../manifest/reference-use.js'
import type { Resource } from '../manifest/resource.js'
import { placeOf, textOfRange } from '../manifest/source.js'
import type { Change, Plan, PlanSettings } from '../planner/plan.js'
import { guardDeletes, guardHazard, guardPrune } from '../problems/guard.js'
import type { Place, Problem } from '../problems/problem.js'
import {
  blockedChange,
  hazardNotAllowed,
  moreSuspectedRenames,
  mostRenamesReported,
  protectedObject,
  replaceNotAllowed,
  suspectedRename,
  tooManyDeletes,
  tooMuchChanged,
  undecidedConflict,
} from '../problems/refusals.js'

/** What the user allows although apply refuses it by default. */
export interface Allowance {
  readonly replace: boolean
  readonly skipBlocked: boolean
  readonly take: 'manifest' | 'live' | undefined
  /** The names of hazards. */
  readonly hazards: readonly string[]
  readonly limits: { readonly deletes: number; readonly changedPercent: number }
  /** The guard rails of the environment; `prune`: what the plan may delete. */
  readonly guard?:
    | { readonly environment: string; readonly rails: GuardRails; readonly prune: PlanSettings['prune'] }
    | undefined
}

/** The reasons why apply would refuse the plan before its first write; empty if there are none. */
export function refusals(plan: Plan, allowance: Allowance, liveObjects: number): readonly Problem[] {
  return [
    ...railRefusals(plan, allowance),
    ...renameRefusals(plan, allowance),
    ...limitRefusals(plan, allowance, liveObjects),
    ...withoutCaused(plan.changes).flatMap((change) => changeRefusals(change, allowance)),
    ...hazardRefusals(plan, allowance),
  ]
}

/** With fewer changed objects, their share of all objects means nothing. */
const smallNumber = 20

function limitRefusals(plan: Plan, { limits }: Allowance, liveObjects: number): readonly Problem[] {
  const problems: Problem[] = []
  const deletes = count(plan, ['delete', 'replace'])
  if (deletes > limits.deletes) problems.push(tooManyDeletes(deletes, limits.deletes))
  const touched = count(plan, ['update', 'delete', 'replace'])
  const percent = liveObjects === 0 ? 0 : Math.ceil((100 * touched) / liveObjects)
  if (touched > smallNumber && percent > limits.changedPercent) {
    problems.push(tooMuchChanged(percent, limits.changedPercent))
  }
  return problems
}

const count = ({ changes }: Plan, actions: readonly Change['action'][]): number =>
  changes.filter(({ action }) => actions.includes(action)).length

/** The guard rails that the plan, or what the user allows, violates (design §2.1). */
function railRefusals(plan: Plan, { guard, hazards }: Allowance): readonly Problem[] {
  if (!guard) return []
  const { environment, rails, prune } = guard
  const deletes = count(plan, ['delete', 'replace'])
  return [
    ...(rails.prune && isWiderPrune(prune, rails.prune.value)
      ? [guardPrune({ ...rails.prune, environment }, prune, rails.prune.value)]
      : []),
    ...(rails.deletes && deletes > rails.deletes.value
      ? [guardDeletes({ ...rails.deletes, environment }, deletes, rails.deletes.value)]
      : []),
    ...(rails.hazards ? hazardRails(plan, hazards, { ...rails.hazards, environment }) : []),
  ]
}

/** Hazards of the plan, and allowed hazards, that the environment does not permit. */
function hazardRails(
  plan: Plan,
  allowed: readonly string[],
  rail: { readonly value: readonly string[]; readonly place: Place; readonly environment: string },
): readonly Problem[] {
  const found = new Map<string, readonly string[]>(hazardsIn(plan))
  const unlisted = [...new Set([...found.keys(), ...allowed])].filter((hazard) => !rail.value.includes(hazard)).sort()
  return unlisted.map((hazard) => guardHazard(rail, hazard, found.get(hazard) ?? [], rail.value))
}

/** These come first: an undeclared rename explains the deletes that follow. */
function renameRefusals({ changes }: Plan, { hazards, guard }: Allowance): readonly Problem[] {
  if (hazards.includes('ID_CHANGE')) return []
  const suspected = changes.flatMap((change) =>
    change.action === 'create' && change.possibleRename ? [{ ...change, possibleRename: change.possibleRename }] : [],
  )
  const listed = guard?.rails.hazards?.value
  const forbiddenIn = listed && !listed.includes('ID_CHANGE') ? guard.environment : undefined
  const [next, ...others] = suspected.slice(mostRenamesReported)
  const reported = suspected
    .slice(0, mostRenamesReported)
    .map(({ address, kind, possibleRename, resource }) =>
      suspectedRename(
        address,
        resource.generatedBy
          ? { ...possibleRename, name: earlierPath(resource, possibleRename.name), written: 'generated' }
          : { ...possibleRename, written: 'by hand', ...immutableName(kind) },
        placeOf(resource.range),
        forbiddenIn,
      ),
    )
  if (!next) return reported
  const unreported = [next, ...others]
  const more = unreported.map(({ address }) => address)
  const immutable = unreported.map(({ kind }) => immutableName(kind).immutable).find((name) => name !== undefined)
  return [...reported, moreSuspectedRenames(more, placeOf(next.resource.range), forbiddenIn, immutable)]
}

/** The field with the name of such a kind, if it cannot be changed. */
function immutableName(kind: KindName): { readonly immutable?: string } {
  const { naming = '', fields } = catalog[kind]
  return fields[naming]?.immutable ? { immutable: naming } : {}
}

/**
 * The former path, if the name has the same text around its path as today: if that text is a stage's, the path fits every stage.
 */
function earlierPath({ key, range }: Resource, name: string): string {
  const [before = '', after] = key.split(withoutParameters(textOfRange(range)))
  const isBetween = after !== undefined && name.startsWith(`${before}/`) && name.endsWith(after)
  return isBetween ? name.slice(before.length, name.length - after.length) : name
}

/** Without the changes that are blocked only because they need another blocked change of the plan. */
function withoutCaused(changes: readonly Change[]): readonly Change[] {
  const addresses = new Set(changes.map(({ address }) => address))
  return changes.filter((change) => change.action !== 'blocked' || !addresses.has(change.needs ?? ''))
}

function changeRefusals(change: Change, allowance: Allowance): readonly Problem[] {
  switch (change.action) {
    case 'create':
      return []
    case 'update':
      if (change.verdict !== 'conflict' || allowance.take === 'manifest') return []
      return [
        undecidedConflict(change.address, conflictPaths(change), placeOfFirst(conflictPaths(change), change.resource)),
      ]
    case 'delete':
      return change.protected
        ? [protectedObject(change.address, 'delete', change.source && placeOf(change.source))]
        : []
    case 'replace': {
      const problems: Problem[] = []
      if (change.resource.protect)
        problems.push(protectedObject(change.address, 'replace', placeOf(change.resource.range)))
      if (!allowance.replace)
        problems.push(replaceNotAllowed(change.address, change.reason, placeOf(change.resource.range)))
      return problems
    }
    case 'blocked':
      return allowance.skipBlocked
        ? []
        : [blockedChange(change.address, change.wants, change.reason, change.source && placeOf(change.source))]
  }
}

const conflictPaths = (change: Change): readonly string[] =>
  change.fields.filter((field) => field.verdict === 'conflict').map((field) => field.path)

function hazardRefusals(plan: Plan, { hazards: allowed, guard }: Allowance): readonly Problem[] {
  const found = hazardsIn(plan)
  // The guard has already reported hazards that cannot be allowed at all.
  const listed = guard?.rails.hazards?.value
  return [...found]
    .filter(([hazard]) => !allowed.includes(hazard) && (!listed || listed.includes(hazard)))
    .sort(by(([key]) => key))
    .map(([hazard, addresses]) => hazardNotAllowed(hazard, hazards[hazard].words, addresses))
}

/** The addresses of the changes with each hazard. */
function hazardsIn({ changes }: Plan): ReadonlyMap<Hazard, readonly string[]> {
  const found = new Map<Hazard, string[]>()
  for (const { hazards, address } of changes) for (const hazard of hazards) append(found, hazard, address)
  return found
}
