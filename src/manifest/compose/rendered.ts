import { apiVersion } from '../../catalog/metadata-keys.js'
import { ancestors, type ChildField, childField, metadataWord } from '../../catalog/queries.js'
import type { Kind } from '../../catalog/types.js'
import { groupBy } from '../../json/groups.js'
import { type Json, type JsonObject, withoutMembers } from '../../json/json.js'
import { removedKind } from '../document.js'
import { type Entry, isNull, plain } from '../node.js'
import type { ComposedObject, ObjectText } from '../object-text.js'
import type { Removal } from '../resource.js'
import { literal } from '../values.js'

/** Documents that mean the same without any layer: one for each object that was written as a document, with its children. */
export function renderedDocuments(objects: readonly ComposedObject[]): readonly JsonObject[] {
  const inside = childrenByParent(objects)
  return objects.filter(({ text }) => text.form === 'document').map((object) => documentOf(object, inside))
}

/** The documents of kind Removed that apply in the environment. */
export const renderedRemovals = (removals: readonly Removal[]): readonly JsonObject[] =>
  removals.map(({ address }) => ({ apiVersion, kind: removedKind, metadata: { address: literal(address) } }))

/** One object as a document of its own, wherever it was written; undefined if no object has that address. */
export function renderedObject(objects: readonly ComposedObject[], address: string): JsonObject | undefined {
  const found = objects.find((object) => object.address === address)
  return found && documentOf(found, childrenByParent(objects))
}

type Children = ReadonlyMap<string, readonly ComposedObject[]>

function childrenByParent(objects: readonly ComposedObject[]): Children {
  const inside = objects.filter(({ text }) => text.parent !== undefined && text.form === 'inline')
  return groupBy(inside, ({ text }) => text.parent ?? '')
}

function documentOf(object: ComposedObject, inside: Children): JsonObject {
  const { kind, metadata, ancestors: parents, owner, form } = object.text
  const { naming } = kind
  const fields = renderedFields(object, inside)
  const isNamedInside = form === 'inline' && naming !== undefined && kind.fields[naming]?.secret !== true
  const name = metadata.name?.text ?? (isNamedInside ? fields[naming] : undefined)
  const words = ancestors(kind).map((ancestor, index): [string, Json] => {
    const { name: parent = '', id } = parents[index] ?? {}
    return [metadataWord(ancestor), id === undefined ? parent : { name: parent, id }]
  })
  const spec = isNamedInside ? withoutMembers(fields, [naming]) : fields
  return {
    apiVersion,
    kind: kind.name,
    metadata: {
      ...Object.fromEntries(words),
      ...(kind.within && owner !== undefined ? { [kind.within.metadata]: owner } : {}),
      ...(name === undefined ? {} : { name }),
      ...metadataOf(object.text),
    },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  }
}

function renderedFields(object: ComposedObject, inside: Children): JsonObject {
  const { kind, entries } = object.text
  const children = inside.get(object.address) ?? []
  const isName = ({ key }: Entry) => key === kind.naming
  return Object.fromEntries(
    [...entries.filter(isName), ...entries.filter((entry) => !isName(entry))].flatMap(({ key, value }) => {
      const child = childField(kind, key)
      const form = child && !isNull(value) ? childrenForm(kind, child, children, inside) : plain(value)
      return form === undefined ? [] : [[key, form] as const]
    }),
  )
}

/**
 * Undefined for a single child that the environment leaves out: null would delete it. Also for a list that must not be empty
 * (A484).
 */
function childrenForm(
  { atLeastOne }: Kind,
  child: ChildField,
  children: readonly ComposedObject[],
  inside: Children,
): Json | undefined {
  const forms = children
    .filter(({ text }) => text.kind === child.kind)
    .map((each) => {
      const metadata = metadataOf(each.text)
      const fields = renderedFields(each, inside)
      return Object.keys(metadata).length === 0 ? fields : { ...fields, metadata }
    })
  return child.single || (forms.length === 0 && atLeastOne.includes(child.field)) ? forms[0] : forms
}

/** The metadata that is neither for layers nor a name. */
function metadataOf({ metadata }: ObjectText): JsonObject {
  const { id, formerly, labels, protect, ignore, sensitive, extraFields } = metadata
  return {
    ...(id === undefined ? {} : { id }),
    ...(formerly.length === 0 ? {} : { formerly }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(protect ? { protect } : {}),
    ...(ignore.length === 0 ? {} : { ignore: ignore.map(({ pointer }) => pointer) }),
    ...(sensitive.length === 0 ? {} : { sensitive: sensitive.map(({ pointer }) => pointer) }),
    ...(extraFields === 'pass' ? { extraFields: true } : {}),
  }
}
