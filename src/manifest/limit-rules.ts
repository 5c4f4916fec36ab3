import type { Kind } from '../catalog/types.js'
import { type JsonObject, numberOf } from '../json/json.js'

/** What an object wants beyond what the one that limits it allows: a key and its plan. */
export type Breach =
  | { readonly is: 'above'; readonly field: string; readonly own: number; readonly most: number }
  | { readonly is: 'own'; readonly field: string; readonly override: string }

/** The rules of the document's Limits table, as far as both sides are known; a limit of 0 is that of the plan (A31). */
export function breaches({ limited }: Kind, own: JsonObject, limiting: JsonObject): readonly Breach[] {
  return Object.entries(limited?.fields ?? {}).flatMap(([field, { exempt, override }]): readonly Breach[] => {
    if (limiting[exempt] === true) return []
    const mayOverride = limiting[override] !== false
    if (own[exempt] === true && !mayOverride) return [{ is: 'own', field: exempt, override }]
    const desired = numberOf(own[field])
    const most = numberOf(limiting[field])
    // A maximum of 0 stands for "none given" where it is known at all (field notes, Writing).
    if (!desired || !most || desired === most) return []
    if (desired > most) return [{ is: 'above', field, own: desired, most }]
    return mayOverride ? [] : [{ is: 'own', field, override }]
  })
}
