import { catalog } from '../../catalog/catalog.js'
import { ownFields, perKind, referredKind } from '../../catalog/queries.js'
import type { Json, JsonObject } from '../../json/json.js'
import { isList, isObject } from '../../json/json.js'
import { bySpelling } from '../../json/order.js'
import type { Resource } from '../../manifest/resource.js'
import type { ReferenceEntry } from '../plan.js'
import { resolve } from './resolve.js'
import type { ReferenceScope } from './scope.js'

/** The fields of each resource that contain "*", with the objects that this means. By address. */
export function expandedIn(resources: Iterable<Resource>, scope: ReferenceScope): ReadonlyMap<string, JsonObject> {
  const all = new Map<string, JsonObject>()
  for (const resource of resources) {
    const fields = referenceFields(catalog[resource.kind]).flatMap((field): [string, Json][] => {
      const written = resource.fields[field.name]
      return written !== undefined && saysAll(written)
        ? [[field.name, namedForms(resolve(resource, field, written, scope).entries)]]
        : []
    })
    if (fields.length > 0) all.set(resource.address, Object.fromEntries(fields))
  }
  return all
}

const referenceFields = perKind((kind) => ownFields(kind).filter((field) => referredKind(field) !== undefined))

/** Whether the value is "*" or contains one inside a reference. */
function saysAll(written: Json): boolean {
  if (written === '*') return true
  if (isList(written)) return written.some(saysAll)
  return isObject(written) && Object.values(written).some(saysAll)
}

/** References in the form of manifests: by name, and also by id if several targets have that name. */
function namedForms(entries: readonly ReferenceEntry[]): readonly JsonObject[] {
  const forms = entries.map(({ name, target, extra, nested }): JsonObject => {
    const isAmbiguous = entries.filter((each) => each.name === name).length > 1
    return {
      name,
      ...(isAmbiguous && target.is === 'live' && { id: target.id }),
      ...extra,
      ...(nested && {
        [nested.field]: nested.picks === 'any' ? namedForms(nested.entries) : (namedForms(nested.entries)[0] ?? null),
      }),
    }
  })
  return forms.sort(bySpelling)
}
