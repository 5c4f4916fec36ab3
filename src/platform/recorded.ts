import type { Field, Kind, KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { below, complain, type Write } from './area.js'
import type { Dialect } from './settings.js'

/** Fields that the document requires in a create, although clients of recorded platforms leave them out. */
const optional: Readonly<Partial<Record<KindName, readonly string[]>>> = { Member: ['passwdNew', 'externalId'] }

/** Whether a platform with that dialect accepts a create without a field that its rules require. */
export const isDispensable = (dialect: Dialect, kind: Kind, field: Field): boolean =>
  dialect === 'recorded' && (optional[kind.name]?.includes(field.name) ?? false)

/** The maximum length, as JSON, of the unknown fields of one object or the unknown members of one value (A230). */
const mostUnknown = 65_536

/** The fields of a body or an object that its kind does not have. Only the platform sets `created` and the like. */
export function unknownFields(kind: Kind, object: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(object).filter(([name]) => !kind.fields[name] && !placed.has(name))
}

/** The fields that only the platform sets. */
export const placed: ReadonlySet<string> = new Set(['id', 'created', 'updated'])

/** Adds a complaint about the last unknown field or member if together they are longer than allowed. */
export function checkUnknown(
  write: Pick<Write, 'complaints'>,
  unknown: readonly (readonly [string, Json])[],
  path: string,
): void {
  const last = unknown.at(-1)
  if (!last || JSON.stringify(Object.fromEntries(unknown)).length <= mostUnknown) return
  complain(
    write,
    below(path, last[0]),
    `What the interface does not know may have ${mostUnknown} characters in all, and has more.`,
  )
}

/** The body in the catalogue's form: fields that older clients send at an older path are moved, such as errors.errorSet. */
export function withoutOlderPaths(dialect: Dialect, kind: Kind, body: JsonObject): JsonObject {
  if (dialect === 'document') return body
  return olderPlaces(kind).reduce((moved, { field, outer, inner }) => {
    const { [outer]: held, ...others } = moved
    if (held === undefined || Object.hasOwn(moved, field)) return others
    if (held === null) return { ...others, [field]: null }
    return isObject(held) && held[inner] !== undefined ? { ...others, [field]: held[inner] } : others
  }, body)
}

/** The older paths of a kind's fields: `field` can be sent as `outer.inner`. */
export const olderPlaces = (kind: Kind): readonly OlderPlace[] =>
  Object.entries(kind.olderPaths).map(([field, path]) => {
    const [outer = '', inner = ''] = path.split('.')
    return { field, outer, inner }
  })

interface OlderPlace {
  readonly field: string
  readonly outer: string
  readonly inner: string
}
