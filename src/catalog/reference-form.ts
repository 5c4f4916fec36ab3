import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { catalog } from './catalog.js'
import {
  ancestors,
  elementOf,
  kinds,
  linkMembers,
  metadataWord,
  ownFields,
  type PickedField,
  perKind,
  pickedFields,
  referredKind,
  targetOf,
  wordsForName,
} from './queries.js'
import type { Field, Kind, KindName } from './types.js'

/**
 * How a reference finds the parent of what it refers to:
 * `root` it has none · `link` the holder is a link to the parent (endpoints of a plan's service) · `ancestor` the holder
 * lives in the same parent (error set of an endpoint) · `sibling` another field of the holder refers to the parent (plan
 * and package of a key) · `entry` the reference itself names it (endpoints of an event).
 */
export type ReferenceParent =
  | { readonly by: 'root' }
  | { readonly by: 'link' }
  | { readonly by: 'ancestor'; readonly kind: Kind }
  | { readonly by: 'sibling'; readonly field: string }
  | { readonly by: 'entry'; readonly ancestors: readonly Kind[] }

/** Where a reference held by one kind to another takes the parent from. */
export function referenceParent(holder: Kind, target: Kind): ReferenceParent {
  if (!target.parent) return { by: 'root' }
  const parent = catalog[target.parent.kind]
  if (holder.association === parent.name) return { by: 'link' }
  if (ancestors(holder).includes(parent)) return { by: 'ancestor', kind: parent }
  const sibling = Object.values(holder.fields).find((field) => refersTo(field, parent))
  return sibling ? { by: 'sibling', field: sibling.name } : { by: 'entry', ancestors: ancestors(target) }
}

function refersTo({ type }: Field, kind: Kind): boolean {
  const element = elementOf(type)
  return type.is !== 'list' && element.is === 'reference' && element.kind === kind.name
}

/** A field that refers to one object in the same parent: the error set of an endpoint. */
interface SiblingReference {
  readonly holder: Kind
  readonly field: string
  readonly target: Kind
}

/** The fields of a kind that refer to one object in the same parent. */
export const siblingReferences = perKind((holder): readonly SiblingReference[] =>
  ownFields(holder).flatMap((field) => {
    const referred = elementOf(field.type) === field.type ? referredKind(field) : undefined
    const target = referred && targetOf(catalog[referred])
    return target && referenceParent(holder, target).by === 'ancestor' ? [{ holder, field: field.name, target }] : []
  }),
)

/** The fields of other kinds that refer to one object of a kind in the same parent. */
export const siblingReferencesTo = perKind((target): readonly SiblingReference[] =>
  kinds.flatMap(siblingReferences).filter((each) => each.target === target),
)

/** What the references of one field may say in manifests, besides name and id. */
export interface ReferenceForm {
  /** Words of parents that the reference itself must name. */
  readonly parents: readonly string[]
  /** Fields of a link, such as the action of a service's role. */
  readonly members: readonly Field[]
  /** Whether "*" may stand for all of them, with all that they contain. */
  readonly everything: 'allowed' | 'refused'
  /** References below it, such as the methods of a plan's endpoint. */
  readonly nested: readonly PickedField[]
  /** Words that people write in place of `name`. */
  readonly wordsForName: readonly string[]
}

/** The form of the references to `referred` that objects of `holder` hold. */
export function referenceForm(holder: Kind, referred: KindName): ReferenceForm {
  const kind = catalog[referred]
  const parent = referenceParent(holder, targetOf(kind))
  return {
    parents: parent.by === 'entry' ? parent.ancestors.map(metadataWord) : [],
    members: linkMembers(kind),
    everything: parent.by === 'link' ? 'allowed' : 'refused',
    nested: parent.by === 'link' ? pickedFields(kind) : [],
    wordsForName: wordsForName(kind),
  }
}

/** The form of references nested in others: the methods of a plan's endpoint. */
export const nestedReferenceForm = (kind: Kind): ReferenceForm => ({
  parents: [],
  members: [],
  everything: kind.pickedAs === undefined ? 'allowed' : 'refused',
  nested: pickedFields(kind),
  wordsForName: wordsForName(kind),
})

/** Whether a reference says that beside the names by which it is known: members of links, and lists of what lies in it. */
export const isBesideNames = (word: string): boolean => besideNames.has(word)

const besideNames: ReadonlySet<string> = new Set([
  'id',
  ...kinds.flatMap((kind) => [
    ...linkMembers(kind).map(({ name }) => name),
    ...pickedFields(kind).map(({ field }) => field),
  ]),
])

/** What a reference to a link says of it, as written or as answered: {action} of a service's role. */
export function linkValues(referred: KindName, reference: Json): JsonObject {
  if (!isObject(reference)) return {}
  const values = linkMembers(catalog[referred]).flatMap(({ name }): [string, Json][] => {
    const value = reference[name]
    return value === undefined || value === null ? [] : [[name, value]]
  })
  return Object.fromEntries(values)
}
