import { catalog } from '../../catalog/catalog.js'
import { ancestors, metadataWord, targetOf } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import { asList, isObject, type Json } from '../../json/json.js'
import type { Name } from '../../manifest/resource.js'

/** Reads the parts of references in manifests. */

/** The names in a list of references, written as "name" or {name, id}, or in a single reference. */
export function writtenNames(written: Json): readonly Name[] {
  return asList(written).flatMap((each): Name[] => {
    if (typeof each === 'string') return [{ name: each }]
    if (!isObject(each) || typeof each.name !== 'string') return []
    return [typeof each.id === 'string' ? { name: each.name, id: each.id } : { name: each.name }]
  })
}

/** The name of the parent in a reference to a child of another object: {service, name}. */
export function ownerOf(referred: KindName, written: Json): string | undefined {
  if (!isObject(written)) return undefined
  const words = ancestors(targetOf(catalog[referred])).map(metadataWord)
  const owner = Object.entries(written).find(([word]) => words.includes(word))
  return owner && writtenNames([owner[1]])[0]?.name
}
