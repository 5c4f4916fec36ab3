import { catalog } from '../../catalog/catalog.js'
import { apiVersion, isNamedOpenly } from '../../catalog/metadata-keys.js'
import { metadataWord } from '../../catalog/queries.js'
import type { Kind } from '../../catalog/types.js'
import { type Json, type JsonObject, objectOf } from '../../json/json.js'
import { escaped } from '../../live/value-form.js'
import type { Resource } from '../../manifest/resource.js'

/** A new object that exists in no other environment. */
export function limitedTo(environment: string, form: JsonObject): JsonObject {
  const metadata: JsonObject = objectOf(form.metadata)
  return { ...form, metadata: { ...metadata, environments: [environment] } }
}

/** A child in the form of its parent's list, as a separate document. */
export function documentFrom(kind: Kind, form: JsonObject, parent: Resource): JsonObject {
  const { naming = '' } = kind
  const { metadata, [naming]: name, ...fields } = form
  const isNamed = isNamedOpenly(kind) && name !== undefined
  const { id, ...others } = fields
  const isPinned = kind.association !== undefined && id !== undefined
  const words = [...parent.ancestors, { kind: parent.kind, name: parent.key, ...(parent.id && { id: parent.id }) }].map(
    (each): [string, Json] => {
      const written = escaped(each.name)
      return [metadataWord(catalog[each.kind]), each.id === undefined ? written : { name: written, id: each.id }]
    },
  )
  const own = isPinned ? others : fields
  const spec = isNamed || name === undefined ? own : { [naming]: name, ...own }
  return {
    apiVersion,
    kind: kind.name,
    metadata: {
      ...Object.fromEntries(words),
      ...(isNamed && { name }),
      ...(isPinned && { id }),
      ...objectOf(metadata),
    },
    ...(Object.keys(spec).length > 0 && { spec }),
  }
}
