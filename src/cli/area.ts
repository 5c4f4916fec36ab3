import { createHash } from 'node:crypto'
import type { ReadSpec, Snapshot } from '../catalog/live.js'
import { offlineClient } from '../client/snapshot-file.js'
import type { Client, ReadCost, Reading } from '../client/types.js'
import { placeOf } from '../manifest/source.js'
import { mayBeHazardous, withHazards } from '../planner/hazards.js'
import { makePlan } from '../planner/make-plan.js'
import type { Plan, PlanSettings } from '../planner/plan.js'
import { type Purpose, readSpecFor } from '../planner/read-spec.js'
import { select } from '../planner/select.js'
import { tellsUsage, usageIn, usageSpec } from '../planner/usage.js'
import { hasErrors, type Problem, ProblemError, quotaTooSmall } from '../problem.js'
import type { PlanContext } from '../report/plan-document.js'
import { connectionTo } from './connection.js'
import { estimateOf } from './estimate.js'
import { closedFence, type Fence } from './fence.js'
import type { Io } from './io.js'
import { type LastApplied, lastApplied } from './last-applied.js'
import { pruneFor, type RunOptions } from './options.js'
import { accessOf, masking, secretsOf, type Target, targetOf, type Wanted, wantedOf } from './settings.js'
import { keyNames, knownIn, readSnapshot, unknownSecrets } from './snapshot-area.js'

/** Manifests and the way to the live area: what plan, apply and drift start from. */
export interface Area {
  readonly wanted: Wanted
  readonly access: Target
  readonly client: Client
  readonly settings: PlanSettings
  readonly mask: (text: string) => string
  readonly last: LastApplied
  /** Opened by the lock of a run. */
  readonly fence: Fence
}

/** Gives back what an area holds open. */
export async function closeArea(area: Area): Promise<void> {
  await area.client.close()
  await area.last.records.close()
}

/** Reads the manifests and makes a client; nothing is sent yet. Throws a ProblemError if either cannot be done. */
export async function openArea(options: RunOptions, io: Io): Promise<Area> {
  const read = wantedOf(options, io)
  if (hasErrors(read.problems)) throw new ProblemError(read.problems)
  const wanted = { ...read, problems: read.problems.filter(({ answeredBy }) => answeredBy !== 'plan') }
  if (options.snapshot !== undefined) return offlineArea(wanted, options.snapshot, options, io)
  const { project, manifests } = wanted
  const access = accessOf(project, options, io)
  const mask = masking(secretsOf(manifests, io))
  const fence = closedFence()
  const client = await connectionTo({ ...access, mayWrite: fence.mayWrite }, project, mask, options, io)
  const last = await lastApplied(project, access, options, io)
  return { wanted, access, client, settings: settingsOf(project, options), mask, last, fence }
}

/** An area that is only a snapshot file: nothing is sent, and no credentials are needed. */
async function offlineArea(wanted: Wanted, file: string, options: RunOptions, io: Io): Promise<Area> {
  const { project, manifests } = wanted
  const reading = readSnapshot(file, knownIn(manifests), io)
  const client = offlineClient(reading)
  const problems = [...wanted.problems, ...unknownSecrets(file, manifests, reading.snapshot)]
  const mask = masking(secretsOf(manifests, io))
  const access = targetOf(project, options, io)
  const last = await lastApplied(project, access, options, io)
  const settings = settingsOf(project, options)
  return { wanted: { ...wanted, problems }, access, client, settings, mask, last, fence: closedFence() }
}

function settingsOf(project: Wanted['project'], options: RunOptions): PlanSettings {
  return {
    prune: pruneFor(options) ?? project.prune,
    scope: project.scope,
    conventionalOperations: project.platform.conventionalOperations,
    take: options.take,
    allowReplace: options.allowReplace,
  }
}

export const digest = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** One reading of the area and what the manifests come to against it. */
export interface Planned {
  readonly plan: Plan
  readonly snapshot: Snapshot
  readonly cost: readonly ReadCost[]
  /** What it cost to learn who uses what the plan touches, and whether what is recorded exists; empty where the reading told it. */
  readonly usageCost: readonly ReadCost[]
}

/** Reads the live area and plans. */
export async function planArea(area: Area, options: RunOptions, io: Io, purpose: Purpose): Promise<Planned> {
  const { manifests } = area.wanted
  const spec = readSpecFor(manifests, area.settings, purpose, area.last.base)
  // Not the whole reading: the answers themselves, which are as large again, can be let go.
  const { snapshot, notOffered, cost } = await area.client.read(spec)
  const plan = select(planFrom(area, { snapshot, notOffered }, io), manifests, options)
  return withUsage(area, plan, { snapshot, cost }, spec)
}

/** What the manifests come to against a reading. */
export const planFrom = (
  area: Area,
  { snapshot, notOffered }: Pick<Reading, 'snapshot' | 'notOffered'>,
  io: Io,
): Plan =>
  makePlan({
    manifests: area.wanted.manifests,
    snapshot,
    notOffered,
    settings: area.settings,
    base: area.last.base,
    fingerprint: area.last.fingerprint,
    claimedByOthers: area.last.claimed,
    keyName: keyNames(io),
    digest,
  })

/** A plan with its hazards; reads who uses what it touches where that is not known yet. */
export async function withUsage(
  area: Pick<Area, 'client'>,
  selected: Plan,
  { snapshot, cost }: Pick<Reading, 'snapshot' | 'cost'>,
  spec: ReadSpec,
): Promise<Planned> {
  if (!mayBeHazardous(selected)) return { plan: selected, snapshot, cost, usageCost: [] }
  if (tellsUsage(snapshot, spec))
    return { plan: withHazards(selected, usageIn(snapshot)), snapshot, cost, usageCost: [] }
  const usage = await area.client.read(usageSpec())
  return { plan: withHazards(selected, usageIn(usage.snapshot)), snapshot, cost, usageCost: usage.cost }
}

/** Problems of the manifests and of the plan, in this order. */
export const problemsOf = (area: Area, { plan }: Planned): readonly Problem[] => [
  ...area.wanted.problems,
  ...plan.problems,
]

/** A warning where what an apply will send is more than the platform says is left of the day. */
export function shortOfCalls(area: Area, planned: Planned): readonly Problem[] {
  const { quota } = area.client.stats()
  if (!quota) return []
  const left = Math.max(0, quota.allotted - quota.used)
  const { requests } = estimateOf(area.wanted.project, area.settings, planned)
  return requests > left ? [quotaTooSmall(requests, left)] : []
}

/** What the documents of plan and drift are written with. */
export function contextOf(area: Area, planned: Planned): PlanContext {
  const { project, manifests } = area.wanted
  return {
    target: { url: area.access.url, area: area.access.area, project: project.name },
    get manifests() {
      return manifests.digest
    },
    base: area.last.base?.origin ?? null,
    estimate: estimateOf(area.wanted.project, area.settings, planned),
    placeOf,
    fingerprint: area.last.fingerprint,
  }
}
