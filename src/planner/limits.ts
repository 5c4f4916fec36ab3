import { catalog } from '../catalog/catalog.js'
import { limitingKind, limitsSetBy } from '../catalog/queries.js'
import type { LimitRow } from '../catalog/types.js'
import { append } from '../json/groups.js'
import type { Json } from '../json/json.js'
import { idIn } from '../live/referred.js'
import { mostAllowed, ownLimit } from '../manifest/limit-rules.js'
import { type Change, type FieldValues, liveOf, type UpdateChange } from './plan.js'

/**
 * Adds dependencies so that the limits of a key are never above those of its plan. If the limits of a key rise, the key waits for
 * its plan; if those of a plan fall, the plan waits for its keys. If one limit of a plan rises and another one falls, the plan
 * temporarily gets the wider value of each before its keys change, and its final values last (A86).
 */
export function limited(changes: readonly Change[]): readonly Change[] {
  const limiters = changes.filter((change): change is UpdateChange => change.action === 'update' && setsLimits(change))
  if (limiters.length === 0) return changes
  const uses = usesOf(changes, limiters)
  const dependsOn = new Map<Change, string[]>()
  const afterTemporary = new Map<Change, string[]>()
  const widened = new Map<Change, FieldValues>()
  for (const limiter of limiters) {
    const { rising, falling, others } = uses.get(limiter) ?? none
    const isFirst = rising.length > 0 || (falling.length === 0 && !isLowered(limiter))
    const isBoth = rising.length > 0 && falling.length > 0
    if (isBoth) widened.set(limiter, wideLimits(limiter))
    for (const user of [...rising, ...others]) {
      if (isBoth) append(afterTemporary, user, limiter.address)
      else if (isFirst) append(dependsOn, user, limiter.address)
    }
    const before = [...falling, ...others].filter((user) => user.action !== 'create')
    if (isBoth || !isFirst) for (const user of before) append(dependsOn, limiter, user.address)
  }
  return changes.map((change): Change => {
    const needs = dependsOn.get(change)
    const after = afterTemporary.get(change)
    const values = widened.get(change)
    const waiting = {
      ...change,
      ...(needs && { dependsOn: [...change.dependsOn, ...needs] }),
      ...(after && { afterTemporary: [...(change.afterTemporary ?? []), ...after] }),
    }
    if (!values || waiting.action !== 'update') return waiting
    const reason =
      waiting.reason ??
      'one of its limits rises and another one falls: it first gets the wider value of both, for its keys'
    return { ...waiting, temporary: { is: 'limits', values }, reason }
  })
}

/** The changes of the objects that a plan limits. */
interface Uses {
  /** Their limits go above those that the plan allows now. */
  readonly rising: readonly Change[]
  /** Their present limits are above those that the plan will allow. */
  readonly falling: readonly Change[]
  /** Their limits fit at any moment, as far as is known. */
  readonly others: readonly Change[]
}

const setsLimits = ({ kind }: Change): boolean => Object.keys(limitsSetBy(catalog[kind])).length > 0

const none: Uses = { rising: [], falling: [], others: [] }

function usesOf(changes: readonly Change[], limiters: readonly UpdateChange[]): ReadonlyMap<Change, Uses> {
  const byId = new Map(limiters.map((limiter) => [`${limiter.kind} ${limiter.live.id}`, limiter]))
  const uses = new Map<Change, { rising: Change[]; falling: Change[]; others: Change[] }>()
  const usesIn = (limiter: Change) => {
    const known = uses.get(limiter) ?? { rising: [], falling: [], others: [] }
    uses.set(limiter, known)
    return known
  }
  for (const change of changes) {
    const { limited: row } = catalog[change.kind]
    if (!row || change.action === 'blocked') continue
    const kind = limitingKind(catalog[change.kind])
    const now = byId.get(`${kind} ${idNow(change, row.by)}`)
    const then = byId.get(`${kind} ${idThen(change, row.by)}`)
    const isRising =
      then !== undefined &&
      limitsOf(then).some((limit) => limit.after > limit.before && ownAfter(change, limit) > limit.before)
    const isFalling =
      now !== undefined &&
      limitsOf(now).some((limit) => limit.after < limit.before && ownBefore(change, limit) > limit.after)
    if (isRising) usesIn(then).rising.push(change)
    if (isFalling) usesIn(now).falling.push(change)
    const stays = now === then || now === undefined
    if (then && stays && !isRising && !isFalling) usesIn(then).others.push(change)
  }
  return uses
}

/** The id of the limiting object before the change. */
export const idNow = (change: Change, by: string): string => idIn(liveOf(change)?.fields[by])

/** The id of the limiting object after the change. Empty if that object is new, or if the changed object is deleted. */
export function idThen(change: Change, by: string): string {
  if (!('values' in change)) return ''
  const value = change.values[by]
  if (value?.is !== 'reference') return idNow(change, by)
  return value.entry.target.is === 'live' ? value.entry.target.id : ''
}

/** One limit of a plan, before and after its change. */
interface LimitChange {
  readonly name: string
  readonly row: LimitRow
  readonly before: number
  readonly after: number
}

function limitsOf(limiter: UpdateChange): readonly LimitChange[] {
  return Object.entries(limitsSetBy(catalog[limiter.kind])).map(([name, row]) => ({
    name,
    row,
    before: mostAllowed(limiter.live.fields[name], limiter.live.fields[row.exempt]),
    after: mostAllowed(valueAfter(limiter, name), valueAfter(limiter, row.exempt)),
  }))
}

const ownBefore = (change: Change, { name, row }: LimitChange): number =>
  ownLimit(liveOf(change)?.fields[name], liveOf(change)?.fields[row.exempt])

const ownAfter = (change: Change, { name, row }: LimitChange): number =>
  ownLimit(valueAfter(change, name), valueAfter(change, row.exempt))

function valueAfter(change: Change, name: string): Json | undefined {
  const value = 'values' in change ? change.values[name] : undefined
  return value?.is === 'value' ? value.value : liveOf(change)?.fields[name]
}

/** Whether any limit of a plan becomes a smaller number. */
const isLowered = (limiter: UpdateChange): boolean =>
  Object.keys(limitsSetBy(catalog[limiter.kind])).some((name) => {
    const [before, after] = [limiter.live.fields[name], valueAfter(limiter, name)]
    return typeof before === 'number' && typeof after === 'number' && after < before
  })

/**
 * The values of limits that rise, and the shorter one of two periods, so that no temporary limit is stricter than both the old
 * and the new one.
 */
function wideLimits(limiter: UpdateChange): FieldValues {
  const names = limitsOf(limiter).flatMap(({ name, row, before, after }) => {
    const wider = after > before ? [name, row.exempt] : []
    return row.period !== undefined && isShorter(limiter, row.period) ? [...wider, row.period] : wider
  })
  const required = Object.values(catalog[limiter.kind].fields).filter((field) => field.update === 'Req')
  const all = new Set([...names, ...required.map((field) => field.name)])
  return Object.fromEntries(Object.entries(limiter.values).filter(([name]) => all.has(name)))
}

function isShorter(limiter: UpdateChange, period: string): boolean {
  const type = catalog[limiter.kind].fields[period]?.type
  if (type?.is !== 'enum') return false
  const periods: readonly (Json | undefined)[] = type.values
  const length = (value: Json | undefined) => periods.indexOf(value)
  return length(valueAfter(limiter, period)) < length(limiter.live.fields[period])
}
