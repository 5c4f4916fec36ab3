import { catalog } from '../catalog/catalog.js'
import type { Snapshot } from '../catalog/live.js'
import { hasLinkRoutes, linkSteps } from '../planner/link-steps.js'
import type { Change, Plan } from '../planner/plan.js'
import { type Performed, perform } from './perform.js'
import { because, type ChangeResult, type RunInput } from './run.js'

/** One apply: what became of each change of its plan, and what a plan says afterwards. */
export interface Run {
  readonly results: ReadonlyMap<string, ChangeResult>
  /** What a new plan of the same manifests says after the run; undefined where the area was not read again. */
  readonly remaining: Plan | undefined
  readonly quota: boolean
  readonly interrupted: boolean
  /** Why the area could not be read again; undefined where it was, or need not be. */
  readonly unread: unknown
}

/** Reads the area and plans the same manifests again, knowing what was done so far. */
export type Replan = (
  results: ReadonlyMap<string, ChangeResult>,
) => Promise<{ readonly plan: Plan; readonly snapshot: Snapshot }>

/**
 * Performs a plan, reads the area and plans again: parts of a new tree that the platform ignored are made one by one, and
 * what it took and did not keep is named.
 */
export async function converge(input: RunInput, replan: Replan): Promise<Run> {
  const first = await perform(input)
  const { results } = first
  const known: Known = { results, quota: first.quota }
  const ended = () => ({ quota: known.quota, interrupted: input.signal.aborted, unread: undefined })
  const anyDone = [...results.values()].some((result) => result.outcome === 'applied')
  if (!anyDone || ended().quota || ended().interrupted) return { results, remaining: undefined, ...ended() }
  try {
    const end = await closed(input, known, replan)
    return { ...end, ...ended() }
  } catch (unread) {
    // What was done is done: it is told, and a later run reads the area anew.
    return { results: known.results, remaining: undefined, ...ended(), unread }
  }
}

interface Known {
  results: ReadonlyMap<string, ChangeResult>
  /** The daily quota of calls is used up. */
  quota: boolean
}

/** `known` has at every moment what was done so far. */
async function closed(input: RunInput, known: Known, replan: Replan): Promise<Pick<Run, 'results' | 'remaining'>> {
  let after = await replan(known.results)
  const ignored = ignoredParts(after.plan, input.plan, known.results)
  if (ignored.length > 0) {
    const again = await perform({
      ...input,
      snapshot: after.snapshot,
      plan: { ...after.plan, changes: ignored },
      settings: { ...input.settings, nesting: 'one by one' },
    })
    known.results = merged(known.results, again)
    after = await replan(known.results)
  }
  const dropped = after.plan.changes
    .filter(hasLinkRoutes)
    .filter(({ address }) => isApplied(known.results.get(address)))
  if (dropped.length > 0) {
    const plan = { ...after.plan, changes: dropped }
    // One at a time: links of one object are one list on the platform.
    const settings = { ...input.settings, concurrency: 1 }
    const again = await perform({ ...input, snapshot: after.snapshot, plan, settings }, linkSteps(dropped))
    known.results = merged(known.results, again)
    known.quota = again.quota
    if (known.quota) return { results: known.results, remaining: undefined }
    after = await replan(known.results)
  }
  return { results: withNotKept(known.results, after.plan), remaining: after.plan }
}

/**
 * What a new plan still wants of the trees that this run created: their nested parts were ignored, or a fixed set that the
 * platform made by itself lacks them.
 */
function ignoredParts(after: Plan, before: Plan, results: ReadonlyMap<string, ChangeResult>): readonly Change[] {
  const createdInTree = new Set(
    before.changes.flatMap((change) =>
      change.action === 'create' &&
      catalog[change.kind].parent &&
      isApplied(results.get(catalog[change.kind].fixedSet ? (change.resource.parent ?? '') : change.address))
        ? [change.address]
        : [],
    ),
  )
  const parts = after.changes.filter(
    (change) => (change.action === 'create' || change.action === 'update') && createdInTree.has(change.address),
  )
  const inside = new Set(parts.map((change) => change.address))
  return parts.map((change) => ({ ...change, dependsOn: change.dependsOn.filter((address) => inside.has(address)) }))
}

const isApplied = (result: ChangeResult | undefined): boolean => result?.outcome === 'applied'

function merged(results: ReadonlyMap<string, ChangeResult>, again: Performed): ReadonlyMap<string, ChangeResult> {
  const all = new Map(results)
  for (const [address, result] of again.results) all.set(address, result)
  return all
}

/** What a run has done and a plan wants again was not kept by the platform: each field is named. */
function withNotKept(results: ReadonlyMap<string, ChangeResult>, after: Plan): ReadonlyMap<string, ChangeResult> {
  const all = new Map(results)
  for (const change of after.changes) {
    const result = all.get(change.address)
    if (result?.outcome !== 'applied') continue
    const fields = change.fields.map((field) => field.path)
    const what = change.action === 'update' && fields.length > 0 ? fields.join(', ') : 'it'
    const error = because(`the platform took it and did not keep ${what}`)
    all.set(change.address, { outcome: 'notKept', id: result.id, error })
  }
  return all
}
