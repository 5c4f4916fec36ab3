import { catalog } from '../../catalog/catalog.js'
import { freeObject } from '../../catalog/table.js'
import { sameValue } from '../../catalog/value.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { BaseObject } from '../base/base-object.js'

/** A child that exists once and holds only what the platform puts there by default counts as absent, declared or live. */
export function isBlank(object: Pick<LiveObject | Resource, 'kind' | 'fields'>): boolean {
  const kind = catalog[object.kind]
  if (kind.naming !== undefined) return false
  return Object.entries(object.fields).every(([name, value]) => {
    const field = kind.fields[name]
    return sameValue(field?.type ?? freeObject, undefined, value, field?.default)
  })
}

/** A single child that was applied as one that holds nothing: nobody can take it away, nor is it ours to delete. */
export const isNothing = (known: BaseObject): boolean => isBlank(known) && Object.keys(known.fingerprints).length === 0
