import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Snapshot } from '../catalog/live.js'
import { connect } from '../client/connect.js'
import type { Client, ReadCost } from '../client/types.js'
import { packageKeyName } from '../manifest/package-key-name.js'
import { placeOf } from '../manifest/source.js'
import { makePlan } from '../planner/make-plan.js'
import type { Plan, PlanSettings } from '../planner/plan.js'
import { type Purpose, readSpecFor } from '../planner/read-spec.js'
import { select } from '../planner/select.js'
import { hasErrors, type Problem, ProblemError } from '../problem.js'
import type { PlanContext } from '../report/plan-document.js'
import { estimateOf } from './estimate.js'
import type { Io } from './io.js'
import type { RunOptions } from './options.js'
import { progressOf } from './progress.js'
import { type Access, accessOf, fingerprintKeyOf, masking, secretsOf, type Wanted, wantedOf } from './settings.js'

/** Manifests and the way to the live area: what plan, apply and drift start from. */
export interface Area {
  readonly wanted: Wanted
  readonly access: Access
  readonly client: Client
  readonly settings: PlanSettings
  readonly mask: (text: string) => string
}

/** Reads the manifests and makes a client; nothing is sent yet. Throws a ProblemError if either cannot be done. */
export async function openArea(options: RunOptions, io: Io): Promise<Area> {
  const wanted = wantedOf(options, io)
  if (hasErrors(wanted.problems)) throw new ProblemError(wanted.problems)
  const { project, manifests } = wanted
  const access = accessOf(project, options, io)
  const mask = masking(secretsOf(manifests, io))
  const { concurrency, requestsPerSecond } = project.platform
  const client = connect({
    url: access.url,
    area: access.area,
    credentials: access.credentials,
    concurrency,
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    transport: await io.transport(),
    now: io.now,
    sleep: io.sleep,
    signal: io.signal,
    onProgress: progressOf(options, io).reading,
    ...(options.logHttp === undefined ? {} : { onRequest: logTo(resolve(io.cwd, options.logHttp)) }),
    mask,
  })
  const settings: PlanSettings = {
    prune: options.prune ?? project.prune,
    scope: project.scope,
    conventionalOperations: project.platform.conventionalOperations,
  }
  return { wanted, access, client, settings, mask }
}

const logTo = (file: string) => (entry: object) => appendFileSync(file, `${JSON.stringify(entry)}\n`)

/** One reading of the area and what the manifests come to against it. */
export interface Planned {
  readonly plan: Plan
  readonly snapshot: Snapshot
  readonly cost: readonly ReadCost[]
}

/** Reads the live area and plans. */
export async function planArea(area: Area, options: RunOptions, io: Io, purpose: Purpose): Promise<Planned> {
  const { manifests } = area.wanted
  const { snapshot, cost, notOffered } = await area.client.read(readSpecFor(manifests, area.settings, purpose))
  const key = fingerprintKeyOf(io)
  const plan = makePlan({
    manifests,
    snapshot,
    notOffered,
    settings: area.settings,
    keyName: (packageName, apikey) => packageKeyName(packageName, apikey, key),
    digest: (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`,
  })
  return { plan: select(plan, manifests, options), snapshot, cost }
}

/** Problems of the manifests and of the plan, in this order. */
export const problemsOf = (area: Area, { plan }: Planned): readonly Problem[] => [
  ...area.wanted.problems,
  ...plan.problems,
]

/** What the documents of plan and drift are written with. */
export function contextOf(area: Area, planned: Planned): PlanContext {
  const { project, manifests } = area.wanted
  return {
    target: { url: area.access.url, area: area.access.area, project: project.name },
    manifests: manifests.digest,
    base: null,
    estimate: estimateOf(area.wanted.project, area.settings, planned),
    placeOf,
  }
}
