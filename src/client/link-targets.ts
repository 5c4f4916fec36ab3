import { linkFields } from '../catalog/queries.js'
import type { Kind, KindName } from '../catalog/types.js'
import { groupBy } from '../json/groups.js'
import type { JsonObject } from '../json/json.js'
import { objectsIn, textOf } from '../json/json.js'

/** The names of a kind's objects by their ids, as far as they were read. */
type NamesById = (kind: KindName) => ReadonlyMap<string | undefined, string>

/**
 * Objects whose links have the ids of their targets. In the document a role of a service has an id of its own, and is assigned by
 * the id of the role. If no link of the area has the id of its target, the name identifies the target (A358).
 */
export function withTargetIds(kind: Kind, objects: readonly JsonObject[], namesOf: NamesById): readonly JsonObject[] {
  return linkFields(kind).reduce((all, { field, kind: { association } }) => {
    const links = association === undefined ? [] : all.flatMap((object) => objectsIn(object[field]))
    if (association === undefined || links.length === 0) return all
    const names = namesOf(association)
    // Ids of links and of their targets may be equal by chance: then the names differ.
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
