import { addressAndAbove, addressesNamed, addressOf, parseAddress } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { metadataWord, pickedFields, referredKind, targetOf } from '../catalog/queries.js'
import { referenceParent } from '../catalog/reference-form.js'
import type { Kind, KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isList, isObject } from '../json/json.js'

/** The objects that a recorded object refers to, by the names of that time. */

/** An object as a record has it. */
export interface RecordedHolder {
  readonly kind: KindName
  readonly address: string
  readonly fields: JsonObject
}

/** The address of the object that a link refers to. */
export function linkedBy({ kind, address }: Pick<RecordedHolder, 'kind' | 'address'>): string | undefined {
  const { association } = catalog[kind]
  const name = parseAddress(address)?.steps.at(-1)?.name ?? ''
  return association && addressOf(catalog[association], name, undefined)
}

/**
 * The addresses below which a reference of an object to a kind is looked up; undefined is the root. Empty if the reference names
 * its parents itself.
 */
export function parentsFor(target: Kind, holder: RecordedHolder): readonly (string | undefined)[] {
  const from = referenceParent(catalog[holder.kind], target)
  switch (from.by) {
    case 'root':
      return [undefined]
    case 'link':
      return [linkedBy(holder)]
    case 'ancestor':
      return addressAndAbove(holder.address)
        .filter((each) => parseAddress(each)?.kind === from.kind.name)
        .slice(0, 1)
    case 'sibling':
      return target.parent ? addressesIn(holder.fields[from.field], catalog[target.parent.kind]) : []
    case 'entry':
      return []
  }
}

const addressesIn = (value: Json | undefined, kind: Kind): readonly string[] =>
  isList(value) ? value.flatMap((each) => addressesIn(each, kind)) : addressesNamed(kind, value)

/** Names, by the addresses that the objects have in a record. */
export type NamesNow = ReadonlyMap<string, string>

/** The fields of an object, with today's names of the objects that it refers to. */
export function withNamesNow(holder: RecordedHolder, names: NamesNow): JsonObject {
  const row = catalog[holder.kind]
  const changed = Object.entries(holder.fields).flatMap(([name, value]): [string, Json][] => {
    const field = row.fields[name]
    const referred = field && referredKind(field)
    if (referred === undefined) return []
    const target = targetOf(catalog[referred])
    const from = referenceParent(row, target)
    const parents = from.by === 'entry' ? from.ancestors : parentsFor(target, holder)[0]
    return [[name, renamed(value, { target, parents }, names)]]
  })
  return changed.length === 0 ? holder.fields : { ...holder.fields, ...Object.fromEntries(changed) }
}

interface ReferencePlace {
  readonly target: Kind
  /** The address below which it is looked up, or the kinds of the parents that the reference names itself. */
  readonly parents: string | undefined | readonly Kind[]
}

function renamed(value: Json, place: ReferencePlace, names: NamesNow): Json {
  if (isList(value)) return value.map((each) => renamed(each, place, names))
  const { target, parents } = place
  if (!isObject(value)) {
    const [now] = typeof parents === 'object' ? [] : namesAt(addressesNamed(target, value, parents), names)
    return now ?? value
  }
  const around: [string, Json][] = []
  let parent = typeof parents === 'object' ? undefined : parents
  for (const kind of typeof parents === 'object' ? parents : []) {
    const word = metadataWord(kind)
    const written = value[word]
    if (written === undefined) return value
    around.push([word, renamed(written, { target: kind, parents: parent }, names)])
    parent = addressesNamed(kind, written, parent)[0]
  }
  const all = addressesNamed(target, value, parent)
  const picked = pickedFields(target).flatMap(({ field, kind }): [string, Json][] => {
    const inner = value[field]
    return inner === undefined ? [] : [[field, renamed(inner, { target: kind, parents: all[0] }, names)]]
  })
  const [name = value.name ?? null] = namesAt(all, names)
  return {
    ...value,
    ...Object.fromEntries(around),
    ...(value.name !== undefined && { name }),
    ...Object.fromEntries(picked),
  }
}

const namesAt = (addresses: readonly string[], names: NamesNow): readonly string[] =>
  addresses.flatMap((address) => names.get(address) ?? [])
