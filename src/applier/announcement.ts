import { addressOf } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { childField, sharedFields } from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import type { Json } from '../json/json.js'
import { overlaps, pointerTo } from '../json/pointer.js'
import { displayedValue } from '../live/object-form.js'
import { type Change, type Plan, plainValues } from '../planner/plan.js'
import type { Step, StepSettings } from '../planner/steps/step.js'
import { stepsOf } from '../planner/steps/steps.js'
import { requestText } from './request-text.js'
import { type Announcement, KnownIds } from './run.js'

/** The record of a step before its request is sent, for those of its changes that can be made. */
export function announcementOf(step: Step, runnable: readonly Change[], ids: KnownIds): Announcement {
  const changes = changesOf(step)
  return {
    step: step.id,
    request: requestText(step, ids),
    addresses: runnable.map((change) => change.address),
    creates: createdIn(step, runnable).flatMap(addressesMade),
    ...(changes && { changes }),
  }
}

/** The announcements of a plan before its first request. Ids that the run will create are not known yet. */
export function announcementsOf({ changes }: Pick<Plan, 'changes'>, settings: StepSettings): readonly Announcement[] {
  const ids = new KnownIds()
  return stepsOf(changes, settings).map((step) => announcementOf(step, step.members, ids))
}

/** The changes that create an object. A request for a whole list creates only the members that the list did not have. */
function createdIn({ work }: Step, runnable: readonly Change[]): readonly Change[] {
  if (work === 'create') return runnable
  return work === 'list' ? runnable.filter(({ action, kind }) => action === 'create' && !catalog[kind].fixedSet) : []
}

/** The address of the object, and the addresses of the children that the platform adds to it. */
function addressesMade(change: Change): readonly string[] {
  const added = Object.entries(catalog[change.kind].addedByPlatform).flatMap(([field, keys]) => {
    const child = childField(catalog[change.kind], field)
    return child ? keys.map((key) => addressOf(child.kind, key, change.address)) : []
  })
  return [change.address, ...added]
}

/** Values that are not secret: live values show whether a request that was never answered was executed (A88). */
function changesOf(step: Step): Announcement['changes'] {
  if (step.work !== 'update' && step.work !== 'temporary' && step.work !== 'putBack') return undefined
  const { kind, live, values, resource } = step.change
  const shared = sharedFields(catalog[kind])
  const isSecret = (name: string) =>
    catalog[kind].fields[name]?.secret || resource.sensitive.some((path) => overlaps(path, pointerTo(name)))
  const plain = Object.entries(plainValues(step.values)).filter(([name]) => !isSecret(name))
  const found = step.work === 'putBack' ? plainValues(values) : live.fields
  // In the form of a manifest, because a rollback reads it as one.
  const foundAt = (name: string): Json => displayedValue(catalog[kind].fields[name], found[name] ?? null)
  const references = step.change.fields.filter(({ path }) => {
    const name = path.slice(1)
    return shared.has(name) && step.values[name]?.is === 'reference'
  })
  if (plain.length + references.length === 0) return undefined
  return {
    id: live.id,
    before: recordOf([
      ...plain.map(([name]): [string, Json] => [name, foundAt(name)]),
      ...references.map(({ path, before }): [string, Json] => [path.slice(1), before ?? null]),
    ]),
    after: recordOf([...plain, ...references.map(({ path, after }): [string, Json] => [path.slice(1), after ?? null])]),
    ...(plain.length + references.length === Object.keys(step.values).length && { areAll: true as const }),
  }
}
