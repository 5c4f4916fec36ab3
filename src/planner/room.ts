import { catalog } from '../catalog/catalog.js'
import { hasSecretName } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import { append } from '../json/groups.js'
import { idNow, idThen } from './limits.js'
import { type Change, requestedAt } from './plan.js'
import { targetKey } from './references/scope.js'

/** The changes that must be made before each change, because they make room for it. */
export function roomMakers(changes: readonly Change[]): ReadonlyMap<Change, readonly string[]> {
  const [inPlans, forValues] = [roomInPlans(changes), roomForValues(changes)]
  if (forValues.size === 0) return inPlans
  const all = new Set([...inPlans.keys(), ...forValues.keys()])
  return new Map([...all].map((change) => [change, [...(inPlans.get(change) ?? []), ...(forValues.get(change) ?? [])]]))
}

/** If a key is created again for another developer, it has the same value as the deleted key, so the delete comes first. */
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
 * A developer may have only a limited number of keys of a plan, so creates of such keys wait for the deletes. They wait even if
 * there is room, because the limit may not be known (A103). There is no cycle: deletes wait for nothing here, and only creates
 * wait.
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

/** The count to which an object belongs before and after its change. Objects that are counted together have the same text. */
function sharesOf(change: Change): readonly [now: string | undefined, then: string | undefined] {
  const { limited } = catalog[change.kind]
  const holder = limited && change.path[catalog[limited.per].idParameter]
  if (!holder || change.action === 'blocked') return [undefined, undefined]
  const share = (id: string) => (id === '' ? undefined : `${id} ${targetKey(holder)}`)
  return [share(idNow(change, limited.by)), share(idThen(change, limited.by))]
}
