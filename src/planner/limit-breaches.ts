import { catalog } from '../catalog/catalog.js'
import { limitingKind } from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import type { JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { type Breach, breaches } from '../manifest/limit-rules.js'
import type { Matches } from './match/match.js'
import type { Change, CreateChange, ReplaceChange, UpdateChange } from './plan.js'

/** Why the platform would refuse a change: it sends limits that the plan of the key, as it will be, does not allow. */
export function limitBreach(change: Change, world: Matches): string | undefined {
  const kind = catalog[change.kind]
  if (!kind.limited || !('values' in change) || !sendsLimits(change)) return undefined
  const limiting = limitingOf(change, world)
  // What a new object is sent is all that it has; what an update leaves out stays as it is.
  const own = { ...(change.action === 'update' ? change.live.fields : {}), ...valuesOf(change) }
  const found = limiting ? breaches(kind, own, limiting) : []
  return found.length === 0 ? undefined : found.map((breach) => breachText(breach, kind.limited?.by ?? '')).join('; ')
}

const valuesOf = ({ values }: CreateChange | UpdateChange | ReplaceChange): JsonObject =>
  recordOf(Object.entries(values).flatMap(([name, value]) => (value?.is === 'value' ? [[name, value.value]] : [])))

const breachText = (breach: Breach, by: string): string =>
  breach.is === 'above'
    ? `${breach.field} ${breach.own} is above the ${breach.most} of its ${by}`
    : `${breach.field} is a limit of its own, and ${breach.override} of its ${by} is false`

/** An update of something else leaves limits as they are, whatever they are. */
function sendsLimits({ kind, values }: CreateChange | UpdateChange | ReplaceChange): boolean {
  const { limited } = catalog[kind]
  if (!limited) return false
  const names = Object.entries(limited.fields).flatMap(([name, { exempt }]) => [name, exempt])
  return [limited.by, ...names].some((name) => values[name] !== undefined)
}

/** The fields of what limits it, as they will be after the plan. */
function limitingOf(change: CreateChange | UpdateChange | ReplaceChange, world: Matches): JsonObject | undefined {
  const kind = catalog[change.kind]
  const by = kind.limited?.by ?? ''
  const value = change.values[by]
  const target = value?.is === 'reference' ? value.entry.target : undefined
  if (target?.is === 'desired') return world.resources.get(target.address)?.fields
  const answered = change.action === 'create' ? undefined : change.live.fields[by]
  const id = target?.id ?? (isObject(answered) ? String(answered.id) : '')
  const name = limitingKind(kind)
  const live = name && world.live.byId(name, id)
  return live && { ...live.fields, ...world.claimed.get(live)?.fields }
}
