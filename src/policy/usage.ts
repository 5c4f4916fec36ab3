import { catalog } from '../catalog/catalog.js'
import { ancestors, hasSecretName, kinds, limitingKind, referredKind } from '../catalog/queries.js'
import type { KindName } from '../catalog/types.js'
import { type LiveObject, type ReadSpec, type Snapshot, withAllInside } from '../live/live-object.js'
import { referredObjects } from '../live/referred.js'
import type { Plan } from '../planner/plan.js'
import { needsTerms } from './moved-keys.js'

/** Which live keys use an object: the key itself, its holders, its plan and package, and what that plan gives access to. */
export interface Usage {
  /** How many keys, of how many applications, use a live object; `without`: ids of keys that are not counted. */
  of(
    kind: KindName,
    id: string,
    without?: ReadonlySet<string>,
  ): { readonly keys: number; readonly applications: number }
}

/**
 * What must be read to know the users of objects: keys with their holders, and what plans give access to. If keys move to another
 * plan, or get limits of their own, the limits of keys and plans are read as well.
 */
export function usageSpec(plan: Plan): ReadSpec {
  const fields = new Map<KindName, readonly string[]>()
  for (const kind of kinds.filter(isKey)) {
    for (const each of ancestors(kind)) fields.set(each.name, [])
    const referring = Object.values(kind.fields).filter((field) => referredKind(field))
    fields.set(
      kind.name,
      referring.map((field) => field.name),
    )
    for (const field of referring) {
      const referred = referredKind(field)
      if (referred) fields.set(referred, fields.get(referred) ?? [])
    }
  }
  for (const kind of kinds.filter(isOwnedLink)) fields.set(kind.name, referenceFields(kind.name))
  for (const kind of new Set(plan.changes.filter(needsTerms).map((change) => catalog[change.kind]))) {
    const rows = Object.entries(kind.limited?.fields ?? {})
    const add = (name: KindName, more: readonly string[]) => fields.set(name, [...(fields.get(name) ?? []), ...more])
    add(
      kind.name,
      rows.flatMap(([name, { exempt }]) => [name, exempt]),
    )
    const limiting = limitingKind(kind)
    if (limiting)
      add(
        limiting,
        rows.flatMap(([name, { exempt, period }]) => [name, exempt, ...(period ? [period] : [])]),
      )
  }
  return { fields, linksOf: 'none' }
}

/** Whether a snapshot contains all of it. */
export const tellsUsage = (snapshot: Snapshot, requested: ReadSpec, needed: ReadSpec): boolean =>
  [...needed.fields].every(
    ([kind, names]) =>
      snapshot.kinds.includes(kind) && names.every((name) => requested.fields.get(kind)?.includes(name) ?? false),
  )

const isKey = hasSecretName
const isOwnedLink = (kind: (typeof kinds)[number]): boolean =>
  kind.association !== undefined && kind.operations.delete !== undefined

const referenceFields = (kind: KindName): readonly string[] =>
  Object.values(catalog[kind].fields)
    .filter((field) => referredKind(field) && field.readOnly === undefined)
    .map((field) => field.name)

export function usageIn(snapshot: Snapshot): Usage {
  const users = new Map<string, Set<LiveObject>>()
  const add = (kind: KindName, id: string, keys: Iterable<LiveObject>): void => {
    const known = users.get(`${kind}|${id}`) ?? new Set()
    for (const key of keys) known.add(key)
    users.set(`${kind}|${id}`, known)
  }
  const links: LiveObject[] = []
  for (const object of withAllInside(snapshot.objects)) {
    if (isKey(catalog[object.kind])) {
      for (let each: LiveObject | undefined = object; each; each = each.parent) add(each.kind, each.id, [object])
      for (const [kind, id] of referredObjects(object)) add(kind, id, [object])
    }
    if (isOwnedLink(catalog[object.kind])) links.push(object)
  }
  for (const link of links) {
    const { association } = catalog[link.kind]
    const keys = link.parent && users.get(`${link.parent.kind}|${link.parent.id}`)
    if (!keys || !association) continue
    for (const [kind, id] of [[association, link.id] as const, ...referredObjects(link)]) add(kind, id, keys)
  }
  return {
    of: (kind, id, without) => {
      const keys = [...(users.get(`${kind}|${id}`) ?? [])].filter((key) => !without?.has(key.id))
      return { keys: keys.length, applications: new Set(keys.map((key) => key.parent)).size }
    },
  }
}
