import { catalog } from '../../catalog/catalog.js'
import { ownValue, recordOf } from '../../catalog/record.js'
import type { SidesRow } from '../../catalog/types.js'
import { sameValue } from '../../catalog/value.js'
import type { Json } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { BaseObject } from '../base/base-object.js'

/**
 * The resource with a null for each field that the desired side excludes: the grant types of an endpoint that gets API keys
 * (A363). If such a field was applied, it is unset like every field that is not written any more. A written field is kept.
 */
export function withoutOtherSide(resource: Resource, live: LiveObject, base: BaseObject | undefined): Resource {
  const { sides, fields } = catalog[resource.kind]
  const side = sides && sideOf(sides, resource.fields[sides.by])
  if (!sides || !side || sideOf(sides, live.fields[sides.by]) === side) return resource
  const cleared = sides[side === 'one' ? 'other' : 'one'].filter((name) => {
    const field = fields[name]
    const isManaged = resource.fields[name] !== undefined || (base && ownValue(base.fields, name) !== undefined)
    return field && !isManaged && !sameValue(field.type, undefined, live.fields[name], field.default)
  })
  if (cleared.length === 0) return resource
  const nothing = recordOf(cleared.map((name): [string, Json] => [name, null]))
  return { ...resource, fields: { ...resource.fields, ...nothing } }
}

/** Undefined if the field is not set: the side is not known. */
const sideOf = ({ value }: SidesRow, reported: Json | undefined): 'one' | 'other' | undefined => {
  if (typeof reported !== 'string' || reported === '') return undefined
  return reported === value ? 'one' : 'other'
}
