import { catalog } from '../catalog/catalog.js'
import { ancestors, metadataWord, type PickedField, perKind, referredKind, targetOf } from '../catalog/queries.js'
import { nestedReferenceForm, referenceForm, referenceParent } from '../catalog/reference-form.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { asList, entriesOf, isObject, objectOf } from '../json/json.js'
import { pointerTo } from '../json/pointer.js'
import type { Place } from '../problems/problem.js'
import { metadataRange, writtenMetadata } from './ranges.js'
import type { Ancestor, Resource } from './resource.js'
import { placeOf, type SourceRange } from './source.js'

/** One use of a name: the named object after its parents, and the object that names it. */
export interface ReferenceUse {
  readonly ancestors: readonly Ancestor[]
  readonly by: Resource
  /** The JSON Pointer of the list entry or field, or undefined for parents and for the key of a link. */
  readonly pointer: string | undefined
  readonly is: 'parent' | 'link' | 'reference'
}

/** Where it is written; for parents, where the last of them is named. */
export function rangeOfUse({ ancestors, by, pointer, is }: ReferenceUse): SourceRange {
  const nearest = ancestors.at(-1)
  if (is === 'parent' && nearest) return rangeOfParent(by, nearest.kind)
  if (is === 'link') return by.ranges.at(`/${catalog[by.kind].naming}`) ?? metadataRange(by.range, 'name')
  return pointer === undefined ? by.range : rangeAt(by, pointer)
}

/** Where a document names its parent of a kind; an object inside its parent names none. */
export const rangeOfParent = ({ range, generatedBy }: Resource, kind: KindName): SourceRange =>
  rangeOfParentKey(generatedBy ?? range, kind)

export const rangeOfParentKey = (document: SourceRange, kind: KindName): SourceRange =>
  metadataRange(document, metadataWord(catalog[kind]))

/** Where the name of an object is written. If it has none, or a secret one, where its other identification is written. */
export function rangeOfName({ kind, range, ranges, generatedBy }: Resource): SourceRange {
  const { naming, namedBy } = catalog[kind]
  const places = [naming, namedBy].flatMap((field) => (field === undefined ? [] : pointerTo(field)))
  const written = generatedBy ? undefined : writtenMetadata(range, 'name')
  const values = places.flatMap((place) => ranges.layersAt(place)[0]?.value.range ?? [])
  return values[0] ?? written ?? places.flatMap((place) => ranges.at(place) ?? [])[0] ?? range
}

/** Where the id is written that pins an object. */
export const rangeOfPin = ({ range, generatedBy }: Resource): SourceRange => metadataRange(generatedBy ?? range, 'id')

/** Every object that a resource names: its parents, the target of a link, and the objects that its fields refer to. */
export function referenceUses(resource: Resource): readonly ReferenceUse[] {
  const kind = catalog[resource.kind]
  return [
    ...parentUse(resource),
    ...linkUse(resource, kind),
    ...referringFields(kind).flatMap((field) => fieldUses(resource, field)),
  ]
}

/** Whether a resource names anything besides its parents. */
export function refersToOthers(resource: Resource): boolean {
  const kind = catalog[resource.kind]
  return (
    kind.association !== undefined || referringFields(kind).some((field) => resource.fields[field.name] !== undefined)
  )
}

const referringFields = perKind((kind) => Object.values(kind.fields).filter((field) => referredKind(field)))

const parentUse = (by: Resource): readonly ReferenceUse[] =>
  by.ancestors.length === 0 ? [] : [{ ancestors: by.ancestors, by, pointer: undefined, is: 'parent' }]

function linkUse(resource: Resource, kind: Kind): readonly ReferenceUse[] {
  if (!kind.association) return []
  const ancestors = [ancestorNamed(catalog[kind.association], resource.key, resource.id)]
  return [{ ancestors, by: resource, pointer: undefined, is: 'link' }]
}

/** The references in one field of a resource. */
export function fieldUses(resource: Resource, field: Field): readonly ReferenceUse[] {
  const referred = referredKind(field)
  const value = resource.fields[field.name]
  if (!referred || value === undefined || value === null) return []
  const kind = targetOf(catalog[referred])
  const pointer = `/${field.name}`
  if (isObject(value)) return entryUses(resource, kind, value, pointer)
  return entriesOf(value)
    .filter(isObject)
    .flatMap((entry, index) => entryUses(resource, kind, entry, `${pointer}/${index}`))
}

function entryUses(resource: Resource, kind: Kind, entry: JsonObject, pointer: string): readonly ReferenceUse[] {
  const parents = parentsOf(resource, kind, entry)
  if (!parents) return []
  const ancestors = [...parents, ancestorIn(kind, entry)]
  const { nested } = referenceForm(catalog[resource.kind], kind.name)
  return [
    { ancestors, by: resource, pointer, is: 'reference' },
    ...pickedUses(resource, nested, entry, { ancestors, pointer }),
  ]
}

/** References to objects inside the object that an entry names. */
const pickedUses = (
  by: Resource,
  nested: readonly PickedField[],
  entry: JsonObject,
  around: { readonly ancestors: readonly Ancestor[]; readonly pointer: string },
): readonly ReferenceUse[] =>
  nested.flatMap(({ field, kind, picks }) =>
    asList(entry[field])
      .filter(isObject)
      .flatMap((inner, index): readonly ReferenceUse[] => {
        const ancestors = [...around.ancestors, ancestorIn(kind, inner)]
        const pointer = `${around.pointer}/${field}${picks === 'any' ? `/${index}` : ''}`
        const own: ReferenceUse = { ancestors, by, pointer, is: 'reference' }
        return [own, ...pickedUses(by, nestedReferenceForm(kind).nested, inner, { ancestors, pointer })]
      }),
  )

function parentsOf(resource: Resource, kind: Kind, entry: JsonObject): readonly Ancestor[] | undefined {
  const holder = catalog[resource.kind]
  const parent = referenceParent(holder, kind)
  switch (parent.by) {
    case 'root':
      return []
    case 'link':
      return holder.association && [ancestorNamed(catalog[holder.association], resource.key, resource.id)]
    case 'ancestor':
      return resource.ancestors.slice(0, ancestors(holder).indexOf(parent.kind) + 1)
    case 'sibling': {
      const sibling = resource.fields[parent.field]
      return kind.parent && isObject(sibling) ? [ancestorIn(catalog[kind.parent.kind], sibling)] : undefined
    }
    case 'entry':
      return parent.ancestors.map((ancestor) => {
        const name = entry[metadataWord(ancestor)]
        return ancestorIn(ancestor, objectOf(name))
      })
  }
}

const ancestorIn = (kind: Kind, entry: JsonObject): Ancestor =>
  ancestorNamed(kind, textIfWritten(entry.name) ?? '', textIfWritten(entry.id))

const ancestorNamed = (kind: Kind, name: string, id: string | undefined): Ancestor =>
  id === undefined ? { kind: kind.name, name } : { kind: kind.name, name, id }

const textIfWritten = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/** The place of the first of these fields, for a message about several. */
export const placeOfFirst = ([path = '']: readonly string[], resource: Resource): Place =>
  placeOf(rangeAt(resource, path))

/** The place of a JSON Pointer, or of the nearest value around it. */
export function rangeAt(resource: Resource, pointer: string): SourceRange {
  for (let path = pointer; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
    const range = resource.ranges.at(path)
    if (range) return range
  }
  return resource.range
}
