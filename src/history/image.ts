import { catalog } from '../catalog/catalog.js'
import { metadataWord, referredKind } from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import type { Kind, KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { withoutValue } from '../manifest/secret-paths.js'
import { printKey, printOf, valueAtPath } from '../planner/compare/secret-values.js'
import type { ReferenceEntry, UpdateChange } from '../planner/plan.js'
import type { Fingerprint } from '../secrets/fingerprint.js'
import type { Image } from '../stores/record.js'

/**
 * Values as records contain them: secret fields, and the values at these JSON Pointers, only as fingerprints. A null is kept: an
 * absent secret is not a secret.
 */
export function imageWithoutSecrets(
  kind: KindName,
  values: JsonObject,
  sensitive: readonly string[],
  fingerprint: Fingerprint,
): Image {
  const fields = recordOf<Json>()
  const fingerprints = recordOf<string>()
  const row = catalog[kind].fields
  for (const [name, value] of Object.entries(values)) {
    if (!row[name]?.secret || value === null) fields[name] = value
    else fingerprints[name] = printOf(kind, `/${name}`, value, fingerprint)
  }
  let open: JsonObject = fields
  for (const path of sensitive) {
    const value = valueAtPath(open, path)
    if (value === undefined || value === null) continue
    fingerprints[printKey(path)] = printOf(kind, path, value, fingerprint)
    open = withoutValue(open, path)
  }
  return { fields: open, fingerprints }
}

/**
 * The lists that an update does not write, but to which it adds entries or from which it removes some, as they are after it: in
 * the words of a manifest, by field.
 */
export function listsLeftBy({ kind, resource, values }: UpdateChange): JsonObject {
  const names = Object.keys({ ...resource.additions, ...resource.withdrawals })
  return recordOf(
    names.flatMap((name): [string, Json][] => {
      const value = values[name]
      if (value?.is !== 'references' || resource.fields[name] !== undefined) return []
      return [[name, value.entries.map((entry) => referenceWords(entry, catalog[kind], name))]]
    }),
  )
}

function referenceWords({ name, owner, target }: ReferenceEntry, { fields }: Kind, list: string): JsonObject {
  const referred = fields[list] && referredKind(fields[list])
  const parent = referred && catalog[referred].parent?.kind
  return {
    ...(parent && owner !== undefined && { [metadataWord(catalog[parent])]: { name: owner } }),
    name,
    ...(target.is === 'live' && { id: target.id }),
  }
}
