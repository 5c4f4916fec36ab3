import { catalog } from '../../catalog/catalog.js'
import { childFields, isWritable, ownFields, owningList } from '../../catalog/queries.js'
import { type Json, type JsonObject, sameJson } from '../../json/json.js'
import { inCanonicalOrder } from '../../json/order.js'
import { pointerTo } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import { liveFields } from '../../live/object-form.js'
import type { Base } from '../base/base-object.js'
import type { Matches } from '../match/match.js'
import type { KnownField } from '../plan.js'

/**
 * What is lost with a live object: its own fields as they were read, in the words of manifests, those of members of a fixed
 * set too, which are no changes of their own. Only what was applied in clear may be shown (A151).
 */
export function lastKnown(
  object: LiveObject,
  address: string,
  world: Matches,
  base: Base | undefined,
): readonly KnownField[] {
  const applied = base?.objects.get(address)?.fields ?? {}
  const own = Object.entries(valuesOf(object, world)).map(([name, value]): KnownField => {
    const isShown = Object.hasOwn(applied, name) && !catalog[object.kind].fields[name]?.secret
    return { path: pointerTo(name), value, sensitive: !isShown }
  })
  return [...own, ...fixedMembers(object, world)]
}

/** Lists are sets; what is empty is not there. */
function valuesOf(object: LiveObject, world: Matches): JsonObject {
  const kind = catalog[object.kind]
  const values = liveFields(object, world.live)
  const kept = ownFields(kind)
    .filter((field) => isWritable(field) && !field.writeOnly && !owningList(kind, field))
    .flatMap(({ name }): [string, Json][] => {
      const value = values[name] ?? null
      return isEmpty(value) ? [] : [[name, inCanonicalOrder(value, 'sets')]]
    })
  return Object.fromEntries(kept)
}

const isEmpty = (value: Json): boolean => value === null || value === '' || sameJson(value, []) || sameJson(value, {})

function fixedMembers(object: LiveObject, world: Matches): readonly KnownField[] {
  return childFields(catalog[object.kind])
    .filter(({ kind }) => kind.fixedSet)
    .flatMap(({ field, kind }) =>
      world.live.among(kind.name, object).map((member): KnownField => {
        return { path: pointerTo(field, member.key), value: valuesOf(member, world), sensitive: true }
      }),
    )
}
