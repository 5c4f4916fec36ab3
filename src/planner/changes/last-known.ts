import { catalog } from '../../catalog/catalog.js'
import { childFields, inverseReferenceOf, isWritable, ownFields } from '../../catalog/queries.js'
import { memberIn } from '../../catalog/shapes.js'
import type { FieldType } from '../../catalog/types.js'
import { isObject, type Json, type JsonObject, sameJson } from '../../json/json.js'
import { inCanonicalOrder } from '../../json/order.js'
import { pointerTo } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import { liveFields } from '../../live/object-form.js'
import type { BaseObject } from '../base/base-object.js'
import { printKey, valueAtPath } from '../compare/secret-values.js'
import type { Matches } from '../match/match.js'
import type { KnownField } from '../plan.js'

/**
 * What is lost with a live object: its own fields as they were read, in the form of manifests. The fields of members of a fixed
 * set are included, because these are no separate changes. Only values that were applied in clear may be shown (A151).
 */
export function lastKnown(object: LiveObject, applied: BaseObject | undefined, world: Matches): readonly KnownField[] {
  const own = lastValues(object, world).map(({ path, value }) => ({
    path,
    value,
    sensitive: !isOpen(path, object, applied),
  }))
  return [...own, ...fixedMembers(object, world)]
}

/** Whether the value at the path was applied, and not as a secret. */
function isOpen(path: string, { kind }: LiveObject, applied: BaseObject | undefined): boolean {
  if (!applied || valueAtPath(applied.fields, path) === undefined) return false
  return !Object.hasOwn(applied.fingerprints, printKey(path)) && !catalog[kind].fields[printKey(path)]?.secret
}

type KnownValue = Pick<KnownField, 'path' | 'value'>

/** The managed values, one by one. Lists are sets, and empty values are left out. */
function lastValues(object: LiveObject, world: Matches): readonly KnownValue[] {
  const kind = catalog[object.kind]
  const values = liveFields(object, world.live)
  return ownFields(kind)
    .filter((field) => isWritable(field) && !field.writeOnly && !inverseReferenceOf(kind, field))
    .flatMap(({ name, type }) => valuesIn(type, values[name] ?? null, pointerTo(name)))
}

function valuesIn(type: FieldType, value: Json, path: string): readonly KnownValue[] {
  if (type.is === 'shape' && isObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      valuesIn(memberIn(type, name).type, inner, path + pointerTo(name)),
    )
  }
  return isEmpty(value) ? [] : [{ path, value: inCanonicalOrder(value, 'sets') }]
}

const isEmpty = (value: Json): boolean => value === null || value === '' || sameJson(value, []) || sameJson(value, {})

function fixedMembers(object: LiveObject, world: Matches): readonly KnownField[] {
  return childFields(catalog[object.kind])
    .filter(({ kind }) => kind.fixedSet)
    .flatMap(({ field, kind }) =>
      world.live.among(kind.name, object).map((member): KnownField => {
        const value: JsonObject = Object.fromEntries(lastValues(member, world).map((each) => [each.path, each.value]))
        return { path: pointerTo(field, member.key), value, sensitive: true }
      }),
    )
}
