import { catalog } from './catalog.js'
import type { Field, FieldType, Kind, KindName, Operation } from './types.js'

/** Questions to the catalogue. Code outside asks these, never a kind's name. */

export const kinds: readonly Kind[] = Object.values(catalog)

export const kindNames: readonly KindName[] = kinds.map((kind) => kind.name)

export function isKindName(name: string): name is KindName {
  return Object.hasOwn(catalog, name)
}

/** The kind of that name, or undefined. */
export function findKind(name: string): Kind | undefined {
  return isKindName(name) ? catalog[name] : undefined
}

/** The type of one element of a list, or the type itself. */
export function elementOf(type: FieldType): FieldType {
  return type.is === 'list' ? type.of : type
}

/** An owned child: the field of its parent, whether there is at most one, and its kind. */
export interface ChildField {
  readonly field: string
  readonly kind: Kind
  readonly single: boolean
}

/** The children that objects of a kind own, in the order of the table. */
export function childFields(kind: Kind): readonly ChildField[] {
  return childFieldsByKind[kind.name]
}

/** The owned child that `field` of `kind` holds, or undefined. */
export function childField(kind: Kind, field: string): ChildField | undefined {
  return childFields(kind).find((each) => each.field === field)
}

/** The kind that a field refers to, if it holds references. */
export function referredKind(field: Field): KindName | undefined {
  const element = elementOf(field.type)
  return element.is === 'reference' ? element.kind : undefined
}

/** Fields that hold neither children nor anything else than the object's own values and references. */
export function ownFields(kind: Kind): readonly Field[] {
  return Object.values(kind.fields).filter((field) => elementOf(field.type).is !== 'child')
}

/** A field that a manifest may write: not ignored on create as well as on update, and not the identifier itself. */
export function isWritable(field: Field): boolean {
  return field.readOnly === undefined && !(isIgnored(field.create) && isIgnored(field.update))
}

const isIgnored = (rule: string) => rule === 'Ign' || rule === 'Ctx'

/** The parent's kind, its parent's kind and so on, outermost first. */
export function ancestors(kind: Kind): readonly Kind[] {
  if (!kind.parent) return []
  const parent = catalog[kind.parent.kind]
  return [...ancestors(parent), parent]
}

/** The kind whose collection holds objects of this kind at its root: Service for a Method. */
export function rootOf(kind: Kind): Kind {
  return ancestors(kind)[0] ?? kind
}

/** The word by which `metadata` names an ancestor: `service` for Service, `errorSet` for ErrorSet. */
export function metadataWord(kind: Kind): string {
  return kind.name.charAt(0).toLowerCase() + kind.name.slice(1)
}

/** A Domain in the manifest or an endpoint's `cache`: the operation of that name, or undefined where there is none. */
export function operationOf(kind: Kind, name: string): Operation | undefined {
  return kind.operations[name]
}

const childFieldsByKind: Readonly<Record<KindName, readonly ChildField[]>> = Object.fromEntries(
  kinds.map((kind) => [kind.name, findChildFields(kind)]),
) as Record<KindName, readonly ChildField[]>

function findChildFields(kind: Kind): readonly ChildField[] {
  return Object.values(kind.fields).flatMap((field) => {
    const element = elementOf(field.type)
    if (element.is !== 'child') return []
    return [{ field: field.name, kind: catalog[element.kind], single: field.type.is === 'child' }]
  })
}
