import { catalog } from '../../catalog/catalog.js'
import type { ReadSpec } from '../../catalog/live.js'
import { ancestors, kinds, referredKind, rootOf, targetOf } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import { fullSpec, readableFields } from '../../client/full-read.js'

/** What an export reads: everything, or the trees of some kinds and the names of what they refer to. */
export function exportSpec(names: readonly KindName[]): ReadSpec {
  if (names.length === 0) return fullSpec()
  const roots = new Set(names.map((name) => rootOf(catalog[name]).name))
  const inside = kinds.filter((kind) => kind.within === undefined && roots.has(rootOf(kind).name))
  const fields = new Map<KindName, readonly string[]>(inside.map((kind) => [kind.name, readableFields(kind)]))
  for (const kind of inside) {
    for (const referred of [kind.linkTo, ...Object.values(kind.fields).map(referredKind)]) {
      if (referred === undefined) continue
      const target = targetOf(catalog[referred])
      for (const each of [...ancestors(target), target]) if (!fields.has(each.name)) fields.set(each.name, [])
    }
  }
  return { fields, emailTemplateSets: [], rolesOf: fullSpec(inside.map((kind) => kind.name)).rolesOf }
}
