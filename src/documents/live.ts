import { catalog } from '../catalog/catalog.js'
import { ancestors, hasSecretName, isWritable, metadataWord } from '../catalog/queries.js'
import type { Field, Kind } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import type { Json, JsonObject } from '../json/json.js'
import type { LiveIndex } from '../live/live-index.js'
import type { LiveObject } from '../live/live-object.js'
import { liveFields } from '../live/live-values.js'
import { masked } from './plan.js'

/** A live object as it is shown: no secret is in it. */
export function liveDocument(object: LiveObject, address: string, live: LiveIndex): LiveDocument {
  const kind = catalog[object.kind]
  const values = Object.entries(liveFields(object, live))
  return {
    address,
    kind: object.kind,
    id: object.id,
    name: hasSecretName(kind) ? '' : object.key,
    metadata: metadataOf(kind, object, live),
    fields: values
      .filter(([name]) => name !== 'id' || kind.naming === 'id')
      .map(([name, value]) => shownField(kind, kind.fields[name], name, value)),
  }
}

function shownField(kind: Kind, field: Field | undefined, name: string, value: Json): ShownField {
  const shown = { name, value, rank: undefined }
  if (!field) return { ...shown, standing: 'unwritable' }
  if (field.secret) return { ...shown, value: value === null ? null : masked, standing: 'secret' }
  if (name === kind.naming) return { ...shown, standing: 'naming' }
  const rank = rankOf(kind, field, value)
  if (!isWritable(field)) return { ...shown, rank, standing: 'unwritable' }
  return { ...shown, rank, standing: isUsual(field, value) ? 'usual' : 'written' }
}

const isUsual = (field: Field, value: Json): boolean => sameValue(field.type, undefined, value, field.default)

/** What makes an object what it is comes first: its approval, its address, what it cannot be without. */
function rankOf(kind: Kind, field: Field, value: Json): number | undefined {
  if (field.name === kind.approval?.field) return 0
  if (!isWritable(field) || isUsual(field, value)) return undefined
  if (kind.route && Object.values(kind.route).includes(field.name)) return 1
  if (field.create === 'Req') return 2
  return field.fetch === 'Imp' ? 3 : 4
}

/** What a document of its own would say in `metadata`. */
function metadataOf(kind: Kind, object: LiveObject, live: LiveIndex): JsonObject {
  const names: [string, Json][] = []
  const words = ancestors(kind).map(metadataWord)
  for (let parent = object.parent; parent; parent = parent.parent)
    names.unshift([
      words[names.length] ?? '',
      hasNamesake(parent, live) ? { name: parent.key, id: parent.id } : parent.key,
    ])
  const parents = names.map(([, name], index): [string, Json] => [words[index] ?? '', name])
  const own: readonly [string, Json][] = [
    ...(kind.within ? [[kind.within.metadata, object.owner ?? ''] as [string, Json]] : []),
    ...(kind.naming === undefined || hasSecretName(kind) ? [] : [['name', object.key] as [string, Json]]),
    ...(hasNamesake(object, live) ? [['id', object.id] as [string, Json]] : []),
  ]
  return Object.fromEntries([...parents, ...own])
}

/** Whether a name alone would not say which object is meant; that of a key is not shown at all. */
function hasNamesake(object: LiveObject, live: LiveIndex): boolean {
  const kind = catalog[object.kind]
  if (kind.naming === undefined || hasSecretName(kind)) return false
  const target = kind.linkTo && live.byId(kind.linkTo, object.id)
  if (target) return hasNamesake(target, live)
  return live.find(object.kind, object.parent, object.key, object.owner).length > 1
}

/** One live object as it is shown. */
export interface LiveDocument {
  readonly address: string
  readonly kind: string
  /** '' for a child that exists once. */
  readonly id: string
  /** '' where the name is secret, or there is none. */
  readonly name: string
  /** `metadata` of a document of its own. */
  readonly metadata: JsonObject
  readonly fields: readonly ShownField[]
}

/** `usual`: empty, or what the platform puts there by itself. Secrets come masked. */
export interface ShownField {
  readonly name: string
  readonly value: Json
  readonly standing: 'written' | 'usual' | 'naming' | 'secret' | 'unwritable'
  /** How little it tells beside others on one line, from 0; undefined: nothing worth a column. */
  readonly rank: number | undefined
}
