import { catalog } from '../catalog/catalog.js'
import { ownFields, type PickedField, perKind, pickedFields, referredKind, targetOf } from '../catalog/queries.js'
import type { Kind, Operation } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isList, isObject, objectsIn, textOf } from '../json/json.js'
import type { Holder } from '../live/live-object.js'
import { saysNone } from './answer.js'
import { identifying } from './fields.js'
import { itemForm } from './list-items.js'
import { filledPath, type Requested } from './nesting.js'
import type { GetPage } from './pages.js'

/**
 * Objects outside the document that links pick: the filter of a plan's method. If no answer has any, each one that is needed is
 * requested by a path of its own; 404 there means none (A314).
 */

/** Their name in the cost of a reading, behind the path of their links. */
export const picksOf = '*'

/** Whether objects of a kind may pick something that only its own path shows. */
export const mayPick = (kind: Kind, requested: Requested): boolean =>
  pickingFields(kind).some(({ field }) => requested.get(kind.name)?.includes(field)) &&
  [...requested.keys()].some((name) => catalog[name].pickedAs !== undefined)

const pickingFields = perKind((kind) =>
  kind.association === undefined
    ? []
    : ownFields(kind).flatMap((field) => {
        const referred = referredKind(field)
        return referred === undefined ? [] : [{ field: field.name, kind: targetOf(catalog[referred]) }]
      }),
)

/** A link as answered, with its own id and those of its parents. */
interface Link {
  readonly kind: Kind
  readonly object: JsonObject
  readonly ids: Readonly<Record<string, string>>
  readonly holder: Holder
}

interface PickedSite {
  readonly entry: JsonObject
  readonly holder: Holder
  readonly picked: PickedField
  readonly operation: Operation
  readonly ids: Readonly<Record<string, string>>
}

/** The links with the requested parts in their entries, and how many requests that took. */
export async function withPicked(
  links: readonly Link[],
  {
    requested,
    get,
    isNeeded,
  }: { readonly requested: Requested; readonly get: GetPage; readonly isNeeded: (holder: Holder) => boolean },
): Promise<{ readonly objects: readonly JsonObject[]; readonly requests: number }> {
  const sites = links.map((link) => sitesIn(link, requested))
  const isReported = sites.some((each) => each.some(({ entry, picked }) => entry[picked.field] !== undefined))
  const values = new Map<Json, JsonObject>()
  let requests = 0
  const readPicked = async ({ entry, picked, operation, ids }: PickedSite): Promise<void> => {
    requests += 1
    const fields = identifying(picked.kind)
    const page = await get(
      `${filledPath(operation.path, ids)}?fields=${fields.join(',')}`,
      itemForm(picked.kind, fields),
      saysNone,
    )
    const [one] = page === 'not-offered' ? [] : page.objects
    values.set(entry, { ...entry, [picked.field]: one ?? null })
  }
  const needed = links.flatMap((link, index) =>
    isNeeded(link.holder) ? (sites[index] ?? []).filter(({ holder }) => isNeeded(holder)) : [],
  )
  if (!isReported) await Promise.all(needed.map(readPicked))
  return { objects: links.map(({ object }) => (values.size === 0 ? object : replaced(object, values))), requests }
}

const sitesIn = ({ kind, object, ids }: Link, requested: Requested): readonly PickedSite[] =>
  pickingFields(kind).flatMap((each) => entrySites(kind, each.kind, object[each.field], ids, requested))

function entrySites(
  link: Kind,
  kind: Kind,
  value: Json | undefined,
  around: Link['ids'],
  requested: Requested,
): readonly PickedSite[] {
  return objectsIn(value).flatMap((entry) => {
    const id = textOf(entry.id)
    if (id === undefined) return []
    const ids = { ...around, [kind.idParameter]: id }
    const holder = { kind: kind.name, id, name: textOf(entry[kind.naming ?? '']) ?? '' }
    return pickedFields(kind).flatMap((picked): readonly PickedSite[] => {
      if (picked.picks === 'any') return entrySites(link, picked.kind, entry[picked.field], ids, requested)
      const operation = link.operations[`fetch${picked.kind.name}`]
      return operation && requested.has(picked.kind.name) ? [{ entry, holder, picked, operation, ids }] : []
    })
  })
}

/** A value in which some objects are replaced by others. */
function replaced<Value extends Json>(value: Value, by: ReadonlyMap<Json, JsonObject>): Value
function replaced(value: Json, by: ReadonlyMap<Json, JsonObject>): Json {
  const other = by.get(value)
  if (other) return other
  if (isList(value)) return value.map((each) => replaced(each, by))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, by)]))
}
