import { applyAndVerify, type Run } from '../applier/apply-and-verify.js'
import { catalog } from '../catalog/catalog.js'
import { isExtra } from '../catalog/queries.js'
import { connect } from '../client/connect.js'
import { fetchTransport } from '../client/fetch-transport.js'
import { fullSpec, readAll } from '../client/full-read.js'
import type { Client, Reading } from '../client/types.js'
import type { ProofDocument } from '../documents/plan.js'
import { withRun } from '../history/base-from.js'
import { writingTo } from '../history/run-journal.js'
import { indexLive } from '../live/live-index.js'
import type { Snapshot } from '../live/live-object.js'
import { outsideScope } from '../planner/outside-scope.js'
import type { Plan } from '../planner/plan.js'
import { Refusal } from '../platform/refusal.js'
import { createPlatform, type Platform } from '../platform/server.js'
import type { SeedSnapshot } from '../platform/settings.js'
import type { Ports } from '../ports/ports.js'
import { requestInterrupted } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'
import { proofImpossible, proofWithoutSecrets } from '../problems/refusals.js'
import { masking } from '../secrets/mask.js'
import type { JournalEntry, RunRecord } from '../stores/record.js'
import { type Area, type Planned, planArea } from './area.js'
import type { PlanRequest } from './requests.js'
import { unknownSecrets } from './snapshot-area.js'

/** Simulates a plan on the embedded platform: without interruption, and interrupted at every write and resumed. */

/**
 * The maximum number of simulations. For large areas and plans there are fewer, so that all simulations take about the same time.
 */
const bounds = { rehearsals: 40, atLeast: 5, objects: 60_000 }

/** Simulates a plan on the embedded platform with a copy of the whole live area. Sends only GET to the real platform. */
export async function simulate(
  area: Area,
  planned: Planned,
  request: PlanRequest,
  ports: Ports,
): Promise<ProofDocument> {
  const file = area.snapshot
  if (file !== undefined && unknownSecrets(file, area.desired.manifests, planned.snapshot).length > 0) {
    throw new ProblemError([proofWithoutSecrets(file)])
  }
  const before = area.client.stats().requests
  const reading = await readAll(area.client, planned.spec)
  const requests = area.client.stats().requests - before
  const objects = indexLive(reading.snapshot).all.length + planned.plan.changes.length
  const most = Math.min(bounds.rehearsals, Math.max(bounds.atLeast, Math.floor(bounds.objects / objects)))
  // The area as the embedded platform returns it before any write: it may contain additions that other platforms do not make.
  const { snapshot } = await clientOf(seeded(reading, planned, ports), undefined, ports).read(fullSpec())
  const given = { area, planned, reading, before: snapshot }
  const uncut = await rehearse({ ...given, crashPoint: undefined }, request, ports)
  const all = crashPointsOf(uncut.writes)
  const failures = [...uncut.failures]
  let tried = 0
  for (const crashPoint of sample(all, most)) {
    if (failures.length > 0) break
    const resumed = await rehearse({ ...given, crashPoint }, request, ports)
    const twice =
      resumed.created === uncut.created ? [] : [`${resumed.created} objects were made, and not ${uncut.created}`]
    const where = `interrupted ${crashPoint.when} write ${crashPoint.write} and resumed`
    failures.push(...[...resumed.failures, ...twice].map((words) => `${where}: ${words}`))
    tried += 1
  }
  return {
    holds: failures.length === 0,
    failures,
    writes: uncut.writes,
    cutPoints: tried,
    of: all.length,
    requests,
  }
}

interface CrashPoint {
  /** The number of the write, from 1, at which the connection breaks. */
  readonly write: number
  /** Whether the connection breaks before or after the platform has executed the write. */
  readonly when: 'before' | 'after'
}

const crashPointsOf = (writes: number): readonly CrashPoint[] =>
  Array.from({ length: writes }, (_, index) => index + 1).flatMap((write): readonly CrashPoint[] => [
    { write, when: 'before' },
    { write, when: 'after' },
  ])

/** At most that many items, evenly distributed. */
function sample<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items
  return items.filter(
    (_, index) => Math.floor((index * most) / items.length) !== Math.floor(((index - 1) * most) / items.length),
  )
}

interface Rehearsal {
  readonly area: Area
  readonly planned: Planned
  readonly reading: Reading
  readonly before: Snapshot
  readonly crashPoint: CrashPoint | undefined
}

interface SimulationResult {
  readonly failures: readonly string[]
  readonly writes: number
  readonly created: number
}

async function rehearse(
  { area, planned, reading, before, crashPoint }: Rehearsal,
  request: PlanRequest,
  ports: Ports,
): Promise<SimulationResult> {
  // Nothing here waits for anything outside, so an interruption would not be noticed.
  await ports.sleep(0)
  if (ports.signal.aborted) throw new ProblemError([requestInterrupted('the rehearsal')])
  const platform = seeded(reading, planned, ports)
  const entries: JournalEntry[] = []
  const first = { ...area, client: clientOf(platform, crashPoint, ports) }
  let run = await performed({ area: first, planned, entries }, request, ports)
  let plan = planned.plan
  if (crashPoint) {
    const record: RunRecord = { head: headOf(plan), entries }
    const again = {
      ...area,
      client: clientOf(platform, undefined, ports),
      last: { ...area.last, base: withRun(area.last.base, record) },
    }
    const resumed = await planArea(again, request, ports, 'plan')
    plan = resumed.plan
    run = await performed({ area: again, planned: resumed, entries: [] }, request, ports)
  }
  const after = await clientOf(platform, undefined, ports).read(fullSpec())
  const outside = outsideScope(before, after.snapshot, planned.plan)
  return {
    failures: [...undone(run, plan), ...outside.map((what) => `${what} was touched, and is not part of the plan`)],
    writes: platform.log.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token')).length,
    created: platform.log.filter(({ id }) => id !== undefined).length,
  }
}

function seeded(reading: Reading, { plan }: Planned, ports: Ports): Platform {
  try {
    // Only platforms of the recorded dialect have kinds beyond the document.
    const objects = [...indexLive(reading.snapshot).all, ...plan.changes]
    const dialect = objects.some(({ kind }) => isExtra(catalog[kind])) ? 'recorded' : 'document'
    return createPlatform({ seed: seedOf(reading), dialect, autoApprove: true, idSeed: 'proof', now: ports.now })
  } catch (cause) {
    const complaints = cause instanceof Refusal ? cause.complaints.slice(0, 3).map(({ message }) => message) : []
    const words = [cause instanceof Error ? cause.message : String(cause), ...complaints].join(' ')
    throw new ProblemError([proofImpossible(ports.mask(words))], { cause })
  }
}

const seedOf = ({ raw }: Reading): SeedSnapshot =>
  Object.fromEntries(Object.entries(raw).flatMap(([name, held]) => (Array.isArray(held) ? [[name, held]] : [])))

function clientOf(platform: Platform, crashPoint: CrashPoint | undefined, ports: Ports): Client {
  let writes = 0
  const gone = (): never => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('cut off'), { code: 'ECONNRESET' }) })
  }
  const send = async (request: Request): Promise<Response> => {
    if (crashPoint && writes >= crashPoint.write) return gone()
    if (request.method === 'GET' || request.url.endsWith('/token')) return platform.fetch(request)
    writes += 1
    if (!crashPoint || writes < crashPoint.write) return platform.fetch(request)
    if (crashPoint.when === 'after') await platform.fetch(request)
    return gone()
  }
  return connect({
    url: 'http://rehearsal.invalid',
    area: rehearsal.area,
    credentials: rehearsal,
    concurrency: 8,
    transport: fetchTransport((url, init) => send(new Request(url, init))),
    now: ports.now,
    sleep: () => Promise.resolve(),
    mask: masking([]),
  })
}

/** The credentials that the embedded platform accepts by default. */
const rehearsal = {
  area: '00000000-0000-4000-8000-00000000a4ea',
  apiKey: 'local-key',
  apiSecret: 'local-secret',
  username: 'local-user',
  password: 'local-password',
}

interface Performing {
  readonly area: Area
  readonly planned: Planned
  readonly entries: JournalEntry[]
}

function performed({ area, planned, entries }: Performing, request: PlanRequest, ports: Ports): Promise<Run> {
  const journal = {
    append: (entry: JournalEntry) => {
      entries.push(entry)
      return Promise.resolve()
    },
  }
  return applyAndVerify(
    {
      plan: planned.plan,
      client: area.client,
      settings: {
        nesting: 'whole trees',
        prune: area.settings.prune,
        concurrency: 1,
        conventionalOperations: area.settings.conventionalOperations,
        createPatienceMs: 0,
        restores: false,
        waitDomainsMs: 0,
      },
      snapshot: planned.snapshot,
      sleep: () => Promise.resolve(),
      now: ports.now,
      signal: ports.signal,
      onProgress: () => undefined,
      journal: writingTo(journal, planned, area, ports),
    },
    () => planArea(area, request, ports, 'plan'),
  )
}

const headOf = (plan: Plan): RunRecord['head'] => ({
  run: 'rehearsal',
  key: { url: '', area: '', project: '' },
  worker: { who: '', host: '', pid: 0 },
  started: 0,
  commit: undefined,
  plan: '',
  manifests: '',
  purpose: { is: 'apply' },
  changes: plan.changes.map(({ address, kind, action }) => ({ address, kind, action })),
})

/** Results that differ from the plan. Changes that were blocked from the beginning are reported by the plan itself. */
function undone({ results, remaining, unread }: Run, plan: Plan): readonly string[] {
  const blocked = new Set(plan.changes.filter(({ action }) => action === 'blocked').map(({ address }) => address))
  const failed = [...results].flatMap(([address, result]) =>
    result.outcome === 'applied' || blocked.has(address)
      ? []
      : [`${address} is ${result.outcome}: ${result.error.message}`],
  )
  if (unread !== undefined) failed.push(`the area could not be read again: ${String(unread)}`)
  const open = (remaining?.changes ?? []).filter(({ action, address }) => action !== 'blocked' && !blocked.has(address))
  return [...failed, ...open.map(({ action, address }) => `a second plan would ${action} ${address}`)]
}
