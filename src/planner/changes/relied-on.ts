import { catalog } from '../../catalog/catalog.js'
import { ownValue } from '../../catalog/record.js'
import { canonical } from '../../catalog/value.js'
import type { Json } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { DraftContext } from './draft.js'

/** The managed fields of the live object in their canonical form; of secrets the fingerprints, where there is a key. */
export function reliedOn(
  resource: Resource,
  live: LiveObject,
  { fingerprint }: Pick<DraftContext, 'fingerprint'>,
): Json {
  const kind = catalog[resource.kind]
  const values = Object.keys(resource.fields)
    .sort()
    .flatMap((name): [string, Json][] => {
      const field = kind.fields[name]
      if (field?.writeOnly) return []
      const value = canonical(field?.type ?? { is: 'map', of: 'any' }, ownValue(live.fields, name)) ?? null
      return [[name, field?.secret && value !== null ? (fingerprint(value) ?? null) : value]]
    })
  return { id: live.id, fields: Object.fromEntries(values) }
}
