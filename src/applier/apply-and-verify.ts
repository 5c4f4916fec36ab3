import { addressOfParent } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { ownValue } from '../catalog/record.js'
import type { Client } from '../client/types.js'
import { keysOf } from '../json/pointer.js'
import type { Snapshot } from '../live/live-object.js'
import { type Change, type CreateChange, isCreating, type Plan, type UpdateChange } from '../planner/plan.js'
import { hasLinkRoutes, linkSteps } from '../planner/steps/link-steps.js'
import { hasErrors } from '../problems/problem.js'
import { execute, type Performed } from './execute.js'
import { type Existence, existenceOf, pathIds } from './existing.js'
import { isLaterReading } from './later-reading.js'
import {
  asReported,
  because,
  type ChangeResult,
  hasDone,
  isApplied,
  isUncertain,
  type KnownIds,
  type RunInput,
} from './run.js'

/** One apply: the result of each change, and the plan that was made afterwards. */
export interface Run {
  readonly results: ReadonlyMap<string, ChangeResult>
  /** A new plan of the same manifests after the run. Undefined if the area was not read again. */
  readonly remaining: Plan | undefined
  /** Why the platform accepts no more calls, if that ended the run. */
  readonly quota: string | undefined
  readonly interrupted: boolean
  /** Why the area could not be read again. Undefined if it was read, or if that was not necessary. */
  readonly unread: unknown
}

/** A run without changes. */
export const nothingRun = (plan: Plan): Run => ({
  results: new Map(),
  remaining: plan,
  quota: undefined,
  interrupted: false,
  unread: undefined,
})

/**
 * Reads the whole area, or only the objects that the run has changed, and plans the same manifests again. The results so far are
 * known to the plan.
 */
type Replan = (
  results: ReadonlyMap<string, ChangeResult>,
  what: 'touched' | 'all',
) => Promise<{ readonly plan: Plan; readonly snapshot: Snapshot }>

/**
 * Executes a plan, reads the area and plans again. Parts of a new tree that the platform ignored are created one by one. Fields
 * that a create ignored are written by an update. Fields that the platform accepted but did not keep are named in the result.
 */
export async function applyAndVerify(input: RunInput, replan: Replan): Promise<Run> {
  const run = await verified(input, replan)
  return { ...run, results: new Map([...run.results].map(([address, result]) => [address, asReported(result)])) }
}

async function verified(input: RunInput, replan: Replan): Promise<Run> {
  const first = await execute(input)
  const { results } = first
  const known: KnownResults = { results, quota: first.quota }
  const ended = () => ({ quota: known.quota, interrupted: input.signal.aborted, unread: undefined })
  const mayHaveWritten = input.plan.changes.some((change) => {
    const result = results.get(change.address)
    return hasDone(change, result) || isUncertain(result)
  })
  if (!mayHaveWritten || ended().quota !== undefined || ended().interrupted)
    return { results, remaining: undefined, ...ended() }
  try {
    const end = await closed(input, known, first.ids, replan)
    return { ...end, ...ended() }
  } catch (unread) {
    // The changes so far are reported, and a later run reads the area again.
    return { results: known.results, remaining: undefined, ...ended(), unread }
  }
}

interface KnownResults {
  results: ReadonlyMap<string, ChangeResult>
  quota: Run['quota']
}

/** The part after the first execution. `known` always has the results so far, even if this throws. */
async function closed(
  input: RunInput,
  known: KnownResults,
  ids: KnownIds,
  replan: Replan,
): Promise<Pick<Run, 'results' | 'remaining'>> {
  const written = new Map(input.plan.changes.map((change) => [change.address, change]))
  const reading = () => closingReading(input, { written, results: known.results }, replan)
  let after = await reading()
  const ignored = ignoredParts(after.plan, input.plan, known.results, ids)
  if (ignored.length > 0) {
    const again = await execute({
      ...input,
      snapshot: after.snapshot,
      plan: { ...after.plan, changes: ignored },
      settings: { ...input.settings, nesting: 'one by one' },
    })
    known.results = merged(known.results, again)
    known.quota = again.quota
    if (known.quota !== undefined) return { results: known.results, remaining: undefined }
    // If an object at the root does not have a field after the update either, it is not kept. For nested objects, an answer may
    // leave out more.
    for (const change of ignored) if (catalog[change.kind].parent) written.set(change.address, change)
    after = await reading()
  }
  const isRefused = input.settings.conventionalOperations === 'refuse'
  const dropped = after.plan.changes
    .filter(hasLinkRoutes)
    .filter(({ address }) => !isRefused && isApplied(known.results.get(address)))
  if (dropped.length > 0) {
    const plan = { ...after.plan, changes: dropped }
    // One at a time, because all links of an object are one list on the platform.
    const settings = { ...input.settings, concurrency: 1 }
    const again = await execute({ ...input, snapshot: after.snapshot, plan, settings }, linkSteps(dropped))
    known.results = merged(known.results, again)
    known.quota = again.quota
    if (known.quota !== undefined) return { results: known.results, remaining: undefined }
    after = await reading()
  }
  const existing = await unlisted(after.plan, known.results, ids, input.client)
  const results = withNotKept(withSeen(known.results, input.plan, after.plan), input.plan, after.plan, existing)
  return { results, remaining: after.plan }
}

/**
 * Adds the results that only the new plan shows. If a change had no answer and the plan does not contain it any more, it was
 * made. If the answer was empty, the plan also decides.
 */
function withSeen(
  results: ReadonlyMap<string, ChangeResult>,
  before: Plan,
  after: Plan,
): ReadonlyMap<string, ChangeResult> {
  if (hasErrors(after.problems)) return results
  const open = new Set(after.changes.map((change) => contradicted(change, before)))
  const all = new Map(results)
  for (const { address } of before.changes) {
    const result = results.get(address)
    const isUnreported = result?.outcome === 'applied' && result.answer !== undefined
    if (!isUnreported && (!isUncertain(result) || open.has(address))) continue
    all.set(address, { outcome: 'applied', id: after.matched.get(address)?.id ?? result?.id ?? '', seen: 'at the end' })
  }
  return all
}

/**
 * Reads the area and plans again. Lists may lag behind writes. So a reading is repeated if it contradicts the platform's own
 * answers or gives a plan with errors, unless it is known to be later than the write. If all changes were made, the first reading
 * contains only the changed objects.
 */
async function closingReading(
  input: RunInput,
  { written, results }: { readonly written: ReadonlyMap<string, Change>; readonly results: KnownResults['results'] },
  replan: Replan,
): Promise<Awaited<ReturnType<Replan>>> {
  const isDoubted = (change: Change): boolean => {
    const result = results.get(contradicted(change, input.plan))
    return isApplied(result) && !isLaterReading(change, written.get(change.address), result)
  }
  let after = await replan(results, [...results.values()].every(isApplied) ? 'touched' : 'all')
  for (const pause of closingPauses) {
    if (!after.plan.changes.some(isDoubted) && !hasErrors(after.plan.problems)) break
    await input.sleep(pause)
    if (input.signal.aborted) break
    after = await replan(results, 'all')
  }
  return after
}

const closingPauses = [1000, 2000, 4000]

/**
 * The address of the change of the run that a change in the closing plan contradicts. Usually it is the same address. If it
 * deletes a child of an object that the run has created, it is the address of that object, because removing children that the
 * platform adds by itself is part of the create.
 */
function contradicted({ action, kind, address }: Change, { changes }: Plan): string {
  if (action !== 'delete') return address
  const parent = addressOfParent(catalog[kind], address)
  return changes.some((change) => change.action === 'create' && change.address === parent) ? parent : address
}

/**
 * The changes in the new plan for objects that this run created: the create ignored a field, nested members of a tree were
 * ignored, or a fixed set does not have the desired values.
 */
function ignoredParts(
  after: Plan,
  before: Plan,
  results: ReadonlyMap<string, ChangeResult>,
  ids: KnownIds,
): readonly Change[] {
  const created = new Set(
    before.changes.flatMap((change) =>
      isCreating(change) &&
      isApplied(results.get(catalog[change.kind].fixedSet ? (change.resource.parent ?? '') : change.address))
        ? [change.address]
        : [],
    ),
  )
  const isInTree = ({ kind, action }: Change): boolean => action === 'create' && catalog[kind].parent !== undefined
  const inTree = new Set(before.changes.filter(isInTree).map(({ address }) => address))
  // If the platform returned an id, the object exists, even if it is not listed yet. Its children may exist as well.
  const isThere = (address: string | undefined): boolean => address !== undefined && ids.of(address) !== undefined
  const absent = new Set(after.changes.filter(({ action }) => action === 'create').map(({ address }) => address))
  const isUnlisted = ({ resource }: CreateChange): boolean =>
    resource.parent !== undefined && absent.has(resource.parent) && isThere(resource.parent)
  const parts = after.changes.filter(
    (change) =>
      created.has(change.address) &&
      (change.action === 'update' ||
        (change.action === 'create' && inTree.has(change.address) && !isThere(change.address) && !isUnlisted(change))),
  )
  const inside = new Set(parts.map((change) => change.address))
  return parts.map((change) => ({ ...change, dependsOn: change.dependsOn.filter((address) => inside.has(address)) }))
}

function merged(results: ReadonlyMap<string, ChangeResult>, again: Performed): ReadonlyMap<string, ChangeResult> {
  const all = new Map(results)
  for (const [address, result] of again.results) all.set(address, result)
  return all
}

/** Whether objects that this run has created or renamed exist, although they are not listed. They are requested by their ids. */
async function unlisted(
  after: Plan,
  results: ReadonlyMap<string, ChangeResult>,
  ids: KnownIds,
  client: Client,
): Promise<ReadonlyMap<string, Existence>> {
  const found = new Map<string, Existence>()
  for (const change of after.changes) {
    if (change.action !== 'create' || !isApplied(results.get(change.address))) continue
    const { parent } = change.resource
    // The children of an object that is not listed cannot be listed either.
    const isInside = parent !== undefined && found.get(parent)?.is === 'there'
    const id = ids.of(change.address) ?? results.get(change.address)?.id
    const path = pathIds(change, ids.find)
    if (isInside) found.set(change.address, { is: 'there' })
    else if (id !== undefined && path) {
      found.set(change.address, await existenceOf({ change, ids: path }, id, client))
    }
  }
  return found
}

/**
 * Marks changes as not kept if the run made them and the new plan contains them again, with the names of the fields. This
 * includes deletes.
 */
function withNotKept(
  results: ReadonlyMap<string, ChangeResult>,
  before: Plan,
  after: Plan,
  existing: ReadonlyMap<string, Existence>,
): ReadonlyMap<string, ChangeResult> {
  const all = new Map(results)
  const updates = new Map(
    before.changes.flatMap((change) => (change.action === 'update' ? [[change.address, change]] : [])),
  )
  const made = new Set(
    before.changes.flatMap(({ action, kind, address }) =>
      action === 'create' ? [`${kind} ${results.get(address)?.id}`] : [],
    ),
  )
  for (const change of after.changes) {
    const address = contradicted(change, before)
    // A declared child that has another name now was not added by the platform.
    if (change.action === 'delete' && address !== change.address && made.has(`${change.kind} ${change.live.id}`))
      continue
    const result = all.get(address)
    const existence = existing.get(change.address)
    if (result?.outcome !== 'applied' || existence?.is === 'there') continue
    const id = existence?.is === 'gone' ? undefined : result.id
    const isGone = change.action === 'create' && updates.has(address) && existence?.is !== 'renamed'
    const emptied = emptiedBy(updates.get(address), change)
    const words = emptied.length > 0 ? emptiedWords(emptied) : notKeptWords(change, address, existence)
    const error = because(isGone ? goneWords : words)
    all.set(address, { outcome: 'notKept', id, error, path: change.fields[0]?.path })
  }
  return all
}

/** The fields that had values before an update and are empty now, although the update did not contain them. */
const emptiedBy = (update: UpdateChange | undefined, desired: Change): readonly string[] =>
  !update || desired.action !== 'update'
    ? []
    : desired.fields.flatMap(({ path, before = null }) => {
        const [name = ''] = keysOf(path)
        const had = ownValue(update.live.fields, name) ?? null
        return before === null && had !== null && update.values[name] === undefined ? [path] : []
      })

const emptiedWords = (paths: readonly string[]): string =>
  `the platform emptied ${paths.join(', ')}, which the update did not name: it may replace whole objects, and what no manifest writes is lost then`

const goneWords = 'the platform accepted it, and has no such object any more: somebody has deleted it'

function notKeptWords(change: Change, contradictedAddress: string, existence: Existence | undefined): string {
  if (change.address !== contradictedAddress)
    return `the platform accepted the delete of ${change.address}, which it had added by itself, and still lists it`
  if (existence?.is === 'renamed') {
    return `the platform stores it under the name ${JSON.stringify(existence.name)}: write that name`
  }
  if (change.action === 'delete') return 'the platform accepted it and still lists the deleted object'
  const fields = change.fields.map((field) => field.path)
  const what = change.action === 'update' && fields.length > 0 ? fields.join(', ') : 'it'
  return `the platform accepted it and did not keep ${what}`
}
