import { catalog } from '../../catalog/catalog.js'
import { freeObject } from '../../catalog/table.js'
import { sameValue } from '../../catalog/value.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { BaseObject } from '../base/base-object.js'

/** Whether a single child, declared or live, has only the platform's default values. Such a child counts as absent. */
export function isBlank(object: Pick<LiveObject | Resource, 'kind' | 'fields'>): boolean {
  const kind = catalog[object.kind]
  if (kind.naming !== undefined) return false
  return Object.entries(object.fields).every(([name, value]) => {
    const field = kind.fields[name]
    return sameValue(field?.type ?? freeObject, undefined, value, field?.default)
  })
}

/** Whether a single child was applied without any values: nobody can remove it, and we do not delete it. */
export const isNothing = (known: BaseObject): boolean => isBlank(known) && Object.keys(known.fingerprints).length === 0
