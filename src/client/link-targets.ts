import { linkFields } from '../catalog/queries.js'
import type { Kind, KindName } from '../catalog/types.js'
import { groupBy } from '../json/groups.js'
import type { JsonObject } from '../json/json.js'
import { objectsIn, textOf } from '../json/json.js'

/** The names of a kind's objects by their ids, as far as they were read. */
type NamesById = (kind: KindName) => ReadonlyMap<string | undefined, string>

/**
 * Objects whose links have the ids of what they stand for. The document gives a role of a service an id of its own as well as
 * that of the role, by which it is assigned: where no link of the area has the id of what it names, the name tells what it is
 * (A358).
 */
export function withTargetIds(kind: Kind, objects: readonly JsonObject[], namesOf: NamesById): readonly JsonObject[] {
  return linkFields(kind).reduce((all, { field, kind: { association } }) => {
    const links = association === undefined ? [] : all.flatMap((object) => objectsIn(object[field]))
    if (association === undefined || links.length === 0) return all
    const names = namesOf(association)
    // Numbers of links and of their targets may be the same by chance: then the names differ.
    const hasTargetId = ({ id, name }: JsonObject) => {
      const known = names.get(textOf(id))
      return known !== undefined && known === (textOf(name) ?? known)
    }
    if (names.size === 0 || links.some(hasTargetId)) return all
    const idsOf = groupBy(names.keys(), (id) => names.get(id))
    const target = (link: JsonObject): JsonObject => {
      const [id, other] = idsOf.get(textOf(link.name)) ?? []
      return id === undefined || other !== undefined ? link : { ...link, id }
    }
    return all.map((object) =>
      object[field] === undefined ? object : { ...object, [field]: objectsIn(object[field]).map(target) },
    )
  }, objects)
}
