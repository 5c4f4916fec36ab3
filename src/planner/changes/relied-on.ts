import { catalog } from '../../catalog/catalog.js'
import { ownValue } from '../../catalog/record.js'
import { anything, type Described, memberIn } from '../../catalog/shapes.js'
import { canonical, sameValue } from '../../catalog/value.js'
import { isObject, type Json, type JsonObject, objectOf } from '../../json/json.js'
import { isWithin, keysOf } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import { withoutValue } from '../../manifest/secret-paths.js'
import { describedAt, valueAtPath } from '../compare/secret-values.js'
import type { DraftContext } from './draft.js'

/** The managed fields of the live object in their canonical form, and fingerprints of the secrets if there is a key. */
export function reliedOn(
  resource: Resource,
  live: LiveObject,
  { fingerprint }: Pick<DraftContext, 'fingerprint'>,
  change: 'update' | 'replace',
): Json {
  const kind = catalog[resource.kind]
  const names = new Set([...Object.keys(resource.fields), ...resource.unavailable.map((path) => keysOf(path)[0] ?? '')])
  const values = [...names].sort().flatMap((name): [string, Json][] => {
    const field = kind.fields[name]
    if (field?.writeOnly) return []
    // A replaced object also loses the members that no manifest has written.
    const written = change === 'update' ? resource.fields[name] : undefined
    const value = managedPart(field ?? anything, written, ownValue(live.fields, name))
    return [[name, field?.secret && value !== null ? (fingerprint(value) ?? null) : value]]
  })
  // Somebody else may edit a field that an update ignores.
  const left = change === 'update' ? resource.ignore : []
  const fields = left.reduce<JsonObject>(withoutValue, Object.fromEntries(values))
  const sensitive = resource.sensitive.filter((path) => !left.some((each) => isWithin(path, each)))
  if (sensitive.length === 0) return { id: live.id, fields }
  // Without a key, a digest of a guessed secret would confirm the guess.
  const prints = sensitive.map((path) => [
    path,
    fingerprint(canonical((describedAt(kind.name, path) ?? anything).type, valueAtPath(live.fields, path)) ?? null) ??
      null,
  ])
  return { id: live.id, fields: sensitive.reduce(withoutValue, fields), secrets: Object.fromEntries(prints) }
}

/** The live value of a field. For an object field only the written members: the change does not rely on the others. */
function managedPart({ type }: Described, written: Json | undefined, live: Json | undefined): Json {
  if (type.is !== 'shape' || !isObject(written)) return canonical(type, live) ?? null
  const held = objectOf(live)
  const values = Object.keys(written)
    .sort()
    .map((name): [string, Json] => {
      const member = memberIn(type, name)
      const value = managedPart(member, written[name], ownValue(held, name))
      // If nothing else is set, the platform does not return the field at all.
      return [name, sameValue(member.type, null, value, member.default) ? null : value]
    })
  return Object.fromEntries(values)
}
