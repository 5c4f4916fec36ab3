import { catalog } from '../catalog/catalog.js'
import { limitingKind } from '../catalog/queries.js'
import type { Kind } from '../catalog/types.js'
import { type Json, type JsonObject, numberOf } from '../json/json.js'

/** A limit of an object that the object above it does not allow, such as a limit of a key and its plan. */
export type Breach =
  | { readonly is: 'above'; readonly field: string; readonly own: number; readonly most: number }
  | { readonly is: 'own'; readonly field: string; readonly override: string }

/**
 * The limits that break a rule of the document's Limits table, as far as both sides are known. A limit of 0 means that of the
 * plan (A31).
 */
export function breaches(kind: Kind, own: JsonObject, limiting: JsonObject): readonly Breach[] {
  const limitedBy = limitingKind(kind)
  const fields = limitedBy ? catalog[limitedBy].fields : {}
  return Object.entries(kind.limited?.fields ?? {}).flatMap(([field, { exempt, override }]): readonly Breach[] => {
    if (limiting[exempt] === true) return []
    const mayOverride = limiting[override] !== false
    if (own[exempt] === true && !mayOverride) return [{ is: 'own', field: exempt, override }]
    const desired = numberOf(own[field])
    const most = numberOf(limiting[field])
    if (!desired || desired === (most ?? fields[field]?.default)) return []
    // A maximum of 0 means "none given" (field notes, Writing). The maximum may also be unknown.
    if (most && desired > most) return [{ is: 'above', field, own: desired, most }]
    return mayOverride ? [] : [{ is: 'own', field, override }]
  })
}

/** What a plan allows; a limit of 0 means no limit. */
export const mostAllowed = (limit: Json | undefined, exempt: Json | undefined): number =>
  exempt === true || typeof limit !== 'number' || limit === 0 ? Number.POSITIVE_INFINITY : limit

/** The limit of a key. 0 means the limit of its plan, so it fits every plan (A31). */
export const ownLimit = (limit: Json | undefined, exempt: Json | undefined): number => {
  if (exempt === true) return Number.POSITIVE_INFINITY
  return typeof limit === 'number' ? limit : 0
}
