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
 * How a reference finds the parent of its target:
 * `root`: the target has no parent · `link`: the holder is a link to the parent (endpoints of a plan's service) · `ancestor`: the
 * holder is in the same parent (error set of an endpoint) · `sibling`: another field of the holder refers to the parent (plan and
 * package of a key) · `entry`: the reference itself names it (endpoints of an event).
 */
type ReferenceParent =
  | { readonly by: 'root' }
  | { readonly by: 'link' }
  | { readonly by: 'ancestor'; readonly kind: Kind }
  | { readonly by: 'sibling'; readonly field: string }
  | { readonly by: 'entry'; readonly ancestors: readonly Kind[] }

/** How a reference from one kind to another finds the parent of its target. */
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

/** The fields of other kinds that refer to one object of this kind in the same parent. */
export const siblingReferencesTo = perKind((target): readonly SiblingReference[] =>
  kinds.flatMap(siblingReferences).filter((each) => each.target === target),
)

/** What the references in one field may contain in manifests, in addition to name and id. */
export interface ReferenceForm {
  /** The keys for parents that the reference must name. */
  readonly parents: readonly string[]
  /** Members of a link, such as the action of a service's role. */
  readonly members: readonly Field[]
  /** Whether "*" may stand for all targets with all their contents. */
  readonly everything: 'allowed' | 'refused'
  /** Nested references, such as the methods of a plan's endpoint. */
  readonly nested: readonly PickedField[]
  /** Words that users write instead of `name`. */
  readonly wordsForName: readonly string[]
}

/** The form of the references from objects of `holder` to `referred`. */
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

/** The form of nested references: the methods of a plan's endpoint. */
export const nestedReferenceForm = (kind: Kind): ReferenceForm => ({
  parents: [],
  members: [],
  everything: kind.pickedAs === undefined ? 'allowed' : 'refused',
  nested: pickedFields(kind),
  wordsForName: wordsForName(kind),
})

/** Whether a word in a reference is not part of the target's name: the id, members of links, and lists of nested references. */
export const isBesideNames = (word: string): boolean => besideNames.has(word)

const besideNames: ReadonlySet<string> = new Set([
  'id',
  ...kinds.flatMap((kind) => [
    ...linkMembers(kind).map(({ name }) => name),
    ...pickedFields(kind).map(({ field }) => field),
  ]),
])

/** The members of the link in a reference, as written or as answered: {action} of a service's role. */
export function linkValues(referred: KindName, reference: Json): JsonObject {
  if (!isObject(reference)) return {}
  const values = linkMembers(catalog[referred]).flatMap(({ name }): [string, Json][] => {
    const value = reference[name]
    return value === undefined || value === null ? [] : [[name, value]]
  })
  return Object.fromEntries(values)
}
