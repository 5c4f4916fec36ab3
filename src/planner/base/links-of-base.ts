import { addressOf, addressOfParent } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { isFieldOfParent, linkFields } from '../../catalog/queries.js'
import type { Kind } from '../../catalog/types.js'
import type { Json, JsonObject } from '../../json/json.js'
import { isList, isObject } from '../../json/json.js'
import type { Matches } from '../match/match.js'
import type { BaseObject } from './base-object.js'

/**
 * Gives every link one form in the base. If links were applied as a list of their parent and are separate documents today, they
 * become objects of the base, so that the list does not count as given up. If documents became a list, they are only in that
 * list.
 */
export function withLinksInOneForm(
  objects: ReadonlyMap<string, BaseObject>,
  world: Matches,
): ReadonlyMap<string, BaseObject> {
  return withLinksAsDocuments(withoutListedLinks(objects, world), world)
}

function withoutListedLinks(objects: ReadonlyMap<string, BaseObject>, world: Matches): ReadonlyMap<string, BaseObject> {
  const isListed = ({ kind: name, address }: BaseObject): boolean => {
    const kind = catalog[name]
    const parent = isFieldOfParent(kind) ? addressOfParent(kind, address) : undefined
    if (parent === undefined || world.declaredUnder(parent, name).length > 0) return false
    return objects.get(parent)?.fields[kind.parent?.field ?? ''] !== undefined
  }
  const listed = [...objects.values()].filter(isListed).map(({ address }) => address)
  if (listed.length === 0) return objects
  const others = new Map(objects)
  for (const address of listed) others.delete(address)
  return others
}

function withLinksAsDocuments(
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
      // The record of a document contains more than the entry of the list.
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
    const link = linkedId(entry, kind, world)
    if (link === undefined || typeof name !== 'string') return []
    const address = addressOf(kind, name, parent, typeof id === 'string' ? id : undefined)
    return [{ address, kind: kind.name, id: link, fields: own, fingerprints: {} }]
  })
}

/** The id of a link is the id of its linked object. */
function linkedId({ name, id }: JsonObject, { association }: Kind, world: Matches): string | undefined {
  if (typeof id === 'string') return id
  if (!association || typeof name !== 'string') return undefined
  const found = world.locate(association, { name }, undefined)
  return typeof found === 'string' ? undefined : found.live?.id
}
