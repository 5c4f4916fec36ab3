import { catalog } from '../../catalog/catalog.js'
import { ownValue } from '../../catalog/record.js'
import type { FieldType } from '../../catalog/types.js'
import { canonical } from '../../catalog/value.js'
import type { Json } from '../../json/json.js'
import { keysOf } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import { without } from '../../manifest/secret-paths.js'
import { describedAt, valueAt } from '../compare/secret-values.js'
import type { DraftContext } from './draft.js'

const anything: FieldType = { is: 'map', of: 'any' }

/** The managed fields of the live object in their canonical form; of secrets the fingerprints, where there is a key. */
export function reliedOn(
  resource: Resource,
  live: LiveObject,
  { fingerprint }: Pick<DraftContext, 'fingerprint'>,
): Json {
  const kind = catalog[resource.kind]
  const names = new Set([...Object.keys(resource.fields), ...resource.unavailable.map((path) => keysOf(path)[0] ?? '')])
  const values = [...names].sort().flatMap((name): [string, Json][] => {
    const field = kind.fields[name]
    if (field?.writeOnly) return []
    const value = canonical(field?.type ?? anything, ownValue(live.fields, name)) ?? null
    return [[name, field?.secret && value !== null ? (fingerprint(value) ?? null) : value]]
  })
  const fields = Object.fromEntries(values)
  if (resource.sensitive.length === 0) return { id: live.id, fields }
  // Who guesses a secret may not find it confirmed by a digest without a key.
  const prints = resource.sensitive.map((path) => [
    path,
    fingerprint(canonical(describedAt(kind.name, path)?.type ?? anything, valueAt(live.fields, path)) ?? null) ?? null,
  ])
  return { id: live.id, fields: resource.sensitive.reduce(without, fields), secrets: Object.fromEntries(prints) }
}
