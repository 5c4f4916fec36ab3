import { lookPatiently, pausesWithin, type Waiting } from '../applier/existing.js'
import { catalog } from '../catalog/catalog.js'
import { hasOwnId } from '../catalog/queries.js'
import { claimsIn } from '../history/last-applied.js'
import { recordedAddress, type Unanswered, type Undo } from '../history/undo.js'
import { type LiveObject, withAllInside } from '../live/live-object.js'
import { declaredOf, type Resource } from '../manifest/resource.js'
import { claimKey } from '../planner/prune/ownership.js'
import { readSpecFor } from '../planner/read-spec.js'
import type { Ports } from '../ports/ports.js'
import { type Area, type Planned, planFrom } from './area.js'
import type { Looking } from './plan-with-records.js'

/**
 * The ids of objects that a run was about to create, by address. The platform may still be creating them, so they are waited for
 * as in apply. Objects are left out if they were announced long ago, or if a later run has a receipt of them: others may have
 * created them (A106).
 */
export async function foundOf(
  { manifests, at }: Unanswered,
  area: Area,
  ports: Ports,
): Promise<ReadonlyMap<string, string>> {
  const { createPatienceMs } = area.desired.project.platform
  const forMs = Math.min(at + createPatienceMs - ports.now(), createPatienceMs)
  const declared = declaredOf(manifests.resources)
  const [first] = declared
  if (forMs <= 0 || !first) return new Map()
  ports.progress.waiting(`up to ${Math.ceil(forMs / 1000)} s for ${first.address}, which the run may still be creating`)
  const requested: Area = { ...area, desired: { ...area.desired, manifests }, last: { ...area.last, base: undefined } }
  const spec = readSpecFor(manifests, area.settings, 'plan', undefined)
  let found: ReadonlyMap<string, LiveObject> = new Map()
  const look = async (): Promise<true | undefined> => {
    found = planFrom(requested, await area.client.read(spec), ports).matched
    return declared.every(({ address }) => found.has(address)) || undefined
  }
  await lookPatiently(look, pausesWithin(forMs), waitingOf(ports))
  const known = claimsIn(area.last.receipts)
  return new Map(
    declared.flatMap((resource): [string, string][] => {
      const live = found.get(resource.address)
      const isNew = live && !known.has(claimKey(live.kind, live.id, resource.address))
      return isNew ? [[recordedAddress(resource), live.id]] : []
    }),
  )
}

const waitingOf = ({ sleep, signal }: Ports): Waiting => ({
  sleep: (milliseconds) => sleep(milliseconds, signal).catch(() => undefined),
  signal,
})

/**
 * The plan, as soon as it undoes everything that an interrupted run has done or may have done. Lists may still show the state
 * before, so they are read again for as long as after a create (A369).
 */
export async function lateSeen(plan: () => Promise<Planned>, undo: Undo, { area, ports }: Looking): Promise<Planned> {
  let planned = await plan()
  const late = () => unseenIn(planned, undo)
  const { createPatienceMs } = area.desired.project.platform
  const waitedFor = late()
  const latest = waitedFor.reduce((most, { at }) => Math.max(most, at), Number.NEGATIVE_INFINITY)
  const forMs = Math.min(latest + createPatienceMs - ports.now(), createPatienceMs)
  const [first] = waitedFor
  if (forMs <= 0 || !first) return planned
  ports.progress.waiting(
    `up to ${Math.ceil(forMs / 1000)} s for the lists to show what the run has done to ${first.address}`,
  )
  const look = async (): Promise<true | undefined> => {
    planned = await plan()
    return late().length === 0 || undefined
  }
  const { sleep, signal } = waitingOf(ports)
  const [pause = 0, ...pauses] = pausesWithin(forMs)
  await sleep(pause)
  if (!signal.aborted) await lookPatiently(look, pauses, { sleep, signal })
  return planned
}

/** The changes of a run, or possible changes, that cannot be seen yet, so that the plan does not undo them. */
function unseenIn(
  { plan, snapshot }: Planned,
  { done, manifests }: Undo,
): readonly { readonly address: string; readonly at: number }[] {
  const late = done.flatMap((each) => (each.lateAt === undefined ? [] : [{ ...each, at: each.lateAt }]))
  if (late.length === 0) return []
  const listed = new Set(withAllInside(snapshot.objects).map(({ kind, id }) => `${kind} ${id}`))
  const touched = new Set([...plan.changes, ...plan.skipped].map(({ address }) => address))
  const restored = new Map(manifests.resources.map((resource) => [recordedAddress(resource), resource]))
  return late.filter(({ address, kind, action, id, isLeft }) => {
    if (action === 'update') {
      const resource = restored.get(address)
      return resource && isChanged(resource) && plan.matched.has(resource.address) && !touched.has(resource.address)
    }
    if (id === '' || isLeft || !hasOwnId(kind)) return false
    return action === 'delete' ? listed.has(`${kind} ${id}`) : action === 'create' && !listed.has(`${kind} ${id}`)
  })
}

const isChanged = ({ kind, fields, formerly }: Resource): boolean =>
  formerly.length > 0 || Object.keys(fields).some((name) => name !== catalog[kind].naming)
