import { catalog } from '../catalog/catalog.js'
import { limitingKind } from '../catalog/queries.js'
import type { JsonObject } from '../json/json.js'
import { pointerTo } from '../json/pointer.js'
import type { LiveObject } from '../live/live-object.js'
import { idIn } from '../live/referred.js'
import { type Breach, breaches } from '../manifest/limit-rules.js'
import type { Resource } from '../manifest/resource.js'
import type { Matches } from './match/match.js'
import { type Change, type CreateChange, plainValues, type ReplaceChange, type UpdateChange } from './plan.js'

/** The updates of a plan, by the live objects that they change. */
export type UpdateOf = (live: LiveObject) => UpdateChange | undefined

/** Why the platform would refuse a change: it sends limits that the plan of the key will not allow after this run. */
export function limitBreach(change: Change, world: Matches, updateOf: UpdateOf): string | undefined {
  const kind = catalog[change.kind]
  if (!kind.limited || !('values' in change) || !sendsLimits(change)) return undefined
  const limiting = limitingOf(change, world, updateOf)
  // A new object has only the values that are sent. An update keeps the fields that it does not send.
  const own = { ...(change.action === 'update' ? change.live.fields : {}), ...plainValues(change.values) }
  const found = limiting ? breaches(kind, own, limiting.fields) : []
  if (found.length === 0) return undefined
  const isSecret = (field: string) =>
    [change.resource, limiting?.resource].some((each) => each?.sensitive.includes(pointerTo(field)))
  return found.map((breach) => breachText(breach, kind.limited?.by ?? '', isSecret(breach.field))).join('; ')
}

function breachText(breach: Breach, by: string, isSecret: boolean): string {
  if (breach.is === 'own') return `${breach.field} is a limit of its own, and ${breach.override} of its ${by} is false`
  return isSecret
    ? `${breach.field} is above the limit of its ${by}`
    : `${breach.field} ${breach.own} is above the ${breach.most} of its ${by}`
}

/** Whether the change sends limits. An update of other fields leaves the limits as they are. */
function sendsLimits({ kind, values }: CreateChange | UpdateChange | ReplaceChange): boolean {
  const { limited } = catalog[kind]
  if (!limited) return false
  const names = Object.entries(limited.fields).flatMap(([name, { exempt }]) => [name, exempt])
  return [limited.by, ...names].some((name) => values[name] !== undefined)
}

/** The object that limits another one: its fields after the plan, and its manifest if it has one. */
interface Limiting {
  readonly fields: JsonObject
  readonly resource: Resource | undefined
}

function limitingOf(
  change: CreateChange | UpdateChange | ReplaceChange,
  world: Matches,
  updateOf: UpdateOf,
): Limiting | undefined {
  const kind = catalog[change.kind]
  const by = kind.limited?.by ?? ''
  const value = change.values[by]
  const target = value?.is === 'reference' ? value.entry.target : undefined
  if (target?.is === 'desired') {
    const resource = world.resources.get(target.address)
    return resource && { fields: resource.fields, resource }
  }
  const answered = change.action === 'create' ? undefined : change.live.fields[by]
  const id = target?.id ?? idIn(answered)
  const name = limitingKind(kind)
  const live = name && world.live.byId(name, id)
  if (!live) return undefined
  // The values in the manifest are not enough: a field that is no longer written is cleared, and an ignored one keeps its live
  // value.
  const update = updateOf(live)
  return { fields: { ...live.fields, ...(update && plainValues(update.values)) }, resource: world.claimed.get(live) }
}
