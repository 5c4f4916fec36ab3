import { addressOf } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { linkFields } from '../../catalog/queries.js'
import type { Kind } from '../../catalog/types.js'
import type { Json, JsonObject } from '../../json/json.js'
import { isList, isObject } from '../../json/json.js'
import type { Matches } from '../match/match.js'
import type { BaseObject } from './base-object.js'

/**
 * Links that were applied as a list of their parent and are documents of their own by now: the base has them in the form
 * that the manifests have today, so that the list is not taken for given up.
 */
export function withLinksAsDocuments(
  objects: ReadonlyMap<string, BaseObject>,
  world: Matches,
): ReadonlyMap<string, BaseObject> {
  const changed = new Map<string, BaseObject>()
  for (const parent of objects.values()) {
    for (const { field, kind } of linkFields(catalog[parent.kind])) {
      const applied = parent.fields[field]
      const isList = applied !== undefined && world.resources.get(parent.address)?.fields[field] === undefined
      if (!isList || world.declaredUnder(parent.address, kind.name).length === 0) continue
      const { [field]: _, ...fields } = parent.fields
      changed.set(parent.address, { ...parent, fields })
      // What is known of a document says more than the list did.
      for (const link of linksIn(applied, kind, parent.address, world))
        if (!objects.has(link.address)) changed.set(link.address, link)
    }
  }
  return changed.size === 0 ? objects : new Map([...objects, ...changed])
}

function linksIn(applied: Json, kind: Kind, parent: string, world: Matches): readonly BaseObject[] {
  const entries = isList(applied) ? applied.filter(isObject) : []
  return entries.flatMap((entry) => {
    const { name, id, ...own } = entry
    const link = idOf(entry, kind, world)
    if (link === undefined || typeof name !== 'string') return []
    const address = addressOf(kind, name, parent, typeof id === 'string' ? id : undefined)
    return [{ address, kind: kind.name, id: link, fields: own, fingerprints: {} }]
  })
}

/** A link has the id of what it links to. */
function idOf({ name, id }: JsonObject, { association }: Kind, world: Matches): string | undefined {
  if (typeof id === 'string') return id
  if (!association || typeof name !== 'string') return undefined
  const found = world.locate(association, { name }, undefined)
  return typeof found === 'string' ? undefined : found.live?.id
}
