import { catalog } from '../catalog/catalog.js'
import { hasSecretName } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import { append } from '../json/groups.js'
import { idNow, idThen } from './limits.js'
import { type Change, requestedAt } from './plan.js'
import { targetKey } from './references/scope.js'

/** What each change waits for, so that there is room for what it makes. */
export function roomMakers(changes: readonly Change[]): ReadonlyMap<Change, readonly string[]> {
  const [inPlans, forValues] = [roomInPlans(changes), roomForValues(changes)]
  if (forValues.size === 0) return inPlans
  const all = new Set([...inPlans.keys(), ...forValues.keys()])
  return new Map([...all].map((change) => [change, [...(inPlans.get(change) ?? []), ...(forValues.get(change) ?? [])]]))
}

/** A key that is made again elsewhere, for another developer, has the value of the one that goes: that goes before it. */
function roomForValues(changes: readonly Change[]): ReadonlyMap<Change, readonly string[]> {
  const going = new Map<string, string[]>()
  const valueIn = (kind: KindName, key: string) =>
    key !== '' && hasSecretName(catalog[kind]) ? `${kind} ${key}` : undefined
  for (const change of changes) {
    const value = change.action === 'delete' ? valueIn(change.kind, change.live.key) : undefined
    if (value !== undefined) append(going, value, requestedAt(change))
  }
  const needs = new Map<Change, readonly string[]>()
  for (const change of going.size === 0 ? [] : changes) {
    const value = change.action === 'create' ? valueIn(change.kind, change.resource.key) : undefined
    const before = going.get(value ?? '')
    if (before) needs.set(change, before)
  }
  return needs
}

/**
 * A developer may have only so many keys of a plan: one that comes waits for those that go, whether there is room or not,
 * since the number need not be known (A103). Deletes wait for nobody here, and only creates wait for others: no circle.
 */
function roomInPlans(changes: readonly Change[]): ReadonlyMap<Change, readonly string[]> {
  const going = new Map<string, Change[]>()
  for (const change of changes) {
    const [now, then] = sharesOf(change)
    if (now !== undefined && now !== then) append(going, now, change)
  }
  const needs = new Map<Change, readonly string[]>()
  if (going.size === 0) return needs
  for (const change of changes) {
    const [now, then] = sharesOf(change)
    if (then === undefined || now === then) continue
    const before = (going.get(then) ?? []).filter(({ action }) => action === 'delete' || change.action === 'create')
    if (before.length > 0) needs.set(change, before.map(requestedAt))
  }
  return needs
}

/** What an object counts to before its change and after it: the same text for what is counted together. */
function sharesOf(change: Change): readonly [now: string | undefined, then: string | undefined] {
  const { limited } = catalog[change.kind]
  const holder = limited && change.path[catalog[limited.per].idParameter]
  if (!holder || change.action === 'blocked') return [undefined, undefined]
  const share = (id: string) => (id === '' ? undefined : `${id} ${targetKey(holder)}`)
  return [share(idNow(change, limited.by)), share(idThen(change, limited.by))]
}
