import { catalog } from '../catalog/catalog.js'
import type { Hazard } from '../catalog/hazards.js'
import { limitingKind, pickedFields, referredKind } from '../catalog/queries.js'
import { mapValues } from '../catalog/record.js'
import type { FieldType, Kind, KindName, LimitRow } from '../catalog/types.js'
import { type Json, type JsonObject, objectsIn } from '../json/json.js'
import { once } from '../json/once.js'
import { indexLive, type LiveIndex } from '../live/live-index.js'
import type { LiveObject, Snapshot } from '../live/live-object.js'
import { idIn } from '../live/referred.js'
import { mostAllowed, ownLimit } from '../manifest/limit-rules.js'
import type { Change, Plan, ReferenceEntry, ReferenceTarget, ReplaceChange, UpdateChange } from '../planner/plan.js'
import { firstOf } from '../problems/suggest.js'

/** What a key loses when it moves to another plan: a part of its calls, or of what it may call. */
interface Loss {
  readonly hazard: Hazard
  readonly words: string
}

/** A key that changes to another plan of its package, or is created again in another package. */
export type Move = UpdateChange | ReplaceChange

/** Whether an object moves to another object that limits it. */
export function isMove(change: Change): change is Move {
  const { limited } = catalog[change.kind]
  if (limited === undefined || (change.action !== 'update' && change.action !== 'replace')) return false
  return change.fields.some(({ path }) => path === `/${limited.by}`)
}

/** Whether an update of a key changes its own limit: the effect depends on its plan. */
export function isOwnLimit({ kind, action }: Change, name: string): boolean {
  const rows = Object.entries(catalog[kind].limited?.fields ?? {})
  return action === 'update' && rows.some(([limit, { exempt }]) => name === limit || name === exempt)
}

/** Whether the effect of a change depends on the limits of a key and of its plan. */
export const needsTerms = (change: Change): boolean =>
  isMove(change) || change.fields.some(({ path }) => isOwnLimit(change, path.slice(1)))

/** The terms of a plan: its own fields, and the objects that it gives access to, in words, by their ids. */
interface Terms {
  readonly fields: JsonObject
  readonly access: ReadonlyMap<string, string>
}

/** The terms of the plans of keys before and after the changes. `snapshot` has their limits and what they give access to. */
export class PlanTerms {
  readonly #plan: Plan
  readonly #live: () => LiveIndex
  readonly #known = new Map<string, Terms | undefined>()

  constructor(plan: Plan, snapshot: Snapshot) {
    this.#plan = plan
    this.#live = once(() => indexLive(snapshot))
  }

  /** Empty if one of the two plans is not known. */
  lossesOf(change: Move): readonly Loss[] {
    const kind = catalog[change.kind]
    const { limited } = kind
    const value = limited && change.values[limited.by]
    const limiting = limitingKind(kind)
    if (!limited || limiting === undefined || value?.is !== 'reference') return []
    const now = this.#now(limiting, idIn(change.live.fields[limited.by]))
    const then = this.#then(limiting, value.entry.target)
    if (!now || !then) return []
    const own = fieldsAfter(change)
    const lowered = Object.entries(limited.fields).flatMap(([name, row]): Loss[] => {
      const before = limitInForce(name, row, change.live.fields, now.fields)
      const after = limitInForce(name, row, own, then.fields)
      const period = row.period ?? ''
      const isSlower =
        after <= before &&
        after !== Number.POSITIVE_INFINITY &&
        isLonger(catalog[limiting].fields[period]?.type, now.fields[period], then.fields[period] ?? null)
      if (after >= before && !isSlower) return []
      // No numbers are shown: a limit may come from a secret.
      return [{ hazard: 'LIMIT_LOWERED', words: `its new ${limiting} allows less by ${name}` }]
    })
    const lost = [...now.access].filter(([id]) => !then.access.has(id)).map(([, words]) => words)
    if (lost.length === 0) return lowered
    return [...lowered, { hazard: 'TRAFFIC_STOP', words: `its new ${limiting} does without ${firstOf(lost)}` }]
  }

  /**
   * Whether a key may call less often after a change of its own limit. 0 means the limit of its plan, which may change as well.
   * True if the plan is not known.
   */
  isLowered(change: UpdateChange, name: string): boolean {
    const { limited } = catalog[change.kind]
    const limiting = limitingKind(catalog[change.kind])
    const [limit, row] =
      Object.entries(limited?.fields ?? {}).find(([each, { exempt }]) => each === name || exempt === name) ?? []
    const id = idIn(change.live.fields[limited?.by ?? ''])
    const moved = change.values[limited?.by ?? '']
    const target: ReferenceTarget = moved?.is === 'reference' ? moved.entry.target : { is: 'live', id }
    const now = limiting && this.#now(limiting, id)
    const then = limiting && this.#then(limiting, target)
    if (limit === undefined || !row || !now || !then) return true
    return (
      limitInForce(limit, row, fieldsAfter(change), then.fields) <
      limitInForce(limit, row, change.live.fields, now.fields)
    )
  }

  /** Computed once: thousands of keys share a few plans. */
  #once(key: string, make: () => Terms | undefined): Terms | undefined {
    if (!this.#known.has(key)) this.#known.set(key, make())
    return this.#known.get(key)
  }

  #now(kind: KindName, id: string): Terms | undefined {
    return this.#once(`now ${id}`, () => {
      const live = this.#live().byId(kind, id)
      return live && { fields: live.fields, access: new Map(live.children.flatMap(accessOfLink)) }
    })
  }

  #then(kind: KindName, target: ReferenceTarget): Terms | undefined {
    return this.#once(target.is === 'live' ? `then ${target.id}` : `made ${target.address}`, () =>
      this.#after(kind, target),
    )
  }

  #after(kind: KindName, target: ReferenceTarget): Terms | undefined {
    const isMeant = (change: Change) =>
      change.kind === kind &&
      (target.is === 'live' ? 'live' in change && change.live?.id === target.id : change.address === target.address)
    const change = this.#plan.changes.find(isMeant)
    const now = target.is === 'live' ? this.#now(kind, target.id) : undefined
    if (!now && !change) return undefined
    const access = new Map(now?.access)
    for (const each of this.#plan.changes) {
      if (each.action === 'blocked' || catalog[each.kind].association === undefined) continue
      if (!isSame(each.path[catalog[kind].idParameter], target)) continue
      if ('live' in each && each.live) for (const [id] of accessOfLink(each.live)) access.delete(id)
      for (const [id, words] of accessAfter(each)) access.set(id, words)
    }
    return { fields: change ? fieldsAfter(change) : (now?.fields ?? {}), access }
  }
}

/**
 * The fields of an object after its change; fields that an update leaves out do not change. The platform gives its default to a
 * cleared field, and to an unwritten field of a new object.
 */
function fieldsAfter(change: Change): JsonObject {
  const { fields } = catalog[change.kind]
  const values = 'values' in change ? Object.entries(change.values) : []
  const written = values.flatMap(([name, value]) =>
    value?.is === 'value' ? [[name, value.value ?? fields[name]?.default ?? null]] : [],
  )
  const isMade = change.action === 'create' || change.action === 'replace'
  const before = isMade ? mapValues(fields, (_, field) => field.default ?? null) : change.live?.fields
  return { ...before, ...Object.fromEntries(written) }
}

const isSame = (one: ReferenceTarget | undefined, other: ReferenceTarget): boolean =>
  one?.is === 'live'
    ? other.is === 'live' && one.id === other.id
    : other.is === 'desired' && one?.address === other.address

/** What a link of a plan gives access to: the service, the endpoints of it in the list, and their methods. */
function accessOfLink(link: LiveObject): readonly KeyAccess[] {
  const { association, fields } = catalog[link.kind]
  if (association === undefined) return []
  const held = `${association} ${link.key}`
  const inner = Object.values(fields).flatMap((field) => {
    const kind = referredKind(field)
    return kind ? accessIn(catalog[kind], link.fields[field.name], held) : []
  })
  return [[link.id, held], ...inner]
}

/** An id, and the object in words. */
type KeyAccess = readonly [id: string, words: string]

const accessIn = (kind: Kind, entries: Json | undefined, holder: string): readonly KeyAccess[] =>
  objectsIn(entries).flatMap((each): readonly KeyAccess[] => {
    if (typeof each.id !== 'string') return []
    const words = `${kind.name} ${each.name} of ${holder}`
    const inner = pickedFields(kind).filter(({ picks }) => picks === 'any')
    return [[each.id, words], ...inner.flatMap((picked) => accessIn(picked.kind, each[picked.field], words))]
  })

/** The same for a link after its change. An object that is only created now was in no plan before. */
function accessAfter(change: Change): readonly KeyAccess[] {
  if (!('values' in change)) return []
  const live = change.action === 'create' ? undefined : change.live
  const lists = Object.values(change.values).flatMap((value) => (value?.is === 'references' ? [value.entries] : []))
  const linked = change.action === 'create' && change.link ? keyAccesses([change.link]) : []
  const held = live && lists.length === 0 ? accessOfLink(live) : []
  return [...(live ? [[live.id, ''] as const] : []), ...held, ...linked, ...lists.flatMap(keyAccesses)]
}

const keyAccesses = (entries: readonly ReferenceEntry[]): readonly KeyAccess[] =>
  entries.flatMap(({ target, nested }): readonly KeyAccess[] => [
    ...(target.is === 'live' ? [[target.id, ''] as const] : []),
    ...(nested?.picks === 'any' ? keyAccesses(nested.entries) : []),
  ])

/** The limit that applies to a key: its own, or that of its plan. */
function limitInForce(name: string, { exempt }: LimitRow, own: JsonObject, limiting: JsonObject): number {
  const limit = ownLimit(own[name], own[exempt])
  return limit > 0 ? limit : mostAllowed(limiting[name], limiting[exempt])
}

/** The values of a period are in order, from the shortest to the longest. */
export function isLonger(type: FieldType | undefined, before: Json | undefined, after: Json): boolean {
  if (type?.is !== 'enum') return false
  const words = type.values.map(String)
  return words.includes(String(before)) && words.indexOf(String(after)) > words.indexOf(String(before))
}
