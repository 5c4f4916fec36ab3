import { catalog } from './catalog.js'
import type { Field, FieldType, Kind, KindName, LimitRow } from './types.js'

/** Questions about kinds. Code outside the catalogue uses these and never the name of a kind. */

export const kinds: readonly Kind[] = Object.values(catalog)

export const kindNames: readonly KindName[] = kinds.map((kind) => kind.name)

export function isKindName(name: string): name is KindName {
  return Object.hasOwn(catalog, name)
}

export function findKind(name: string): Kind | undefined {
  return isKindName(name) ? catalog[name] : undefined
}

/** Caches an answer for each kind that depends only on the kind, because areas contain thousands of objects of a kind. */
export function perKind<Answer>(find: (kind: Kind) => Answer): (kind: Kind) => Answer {
  const known = new Map<KindName, Answer>()
  return (kind) => {
    const found = known.get(kind.name)
    if (found !== undefined) return found
    const answer = find(kind)
    known.set(kind.name, answer)
    return answer
  }
}

/**
 * The position of a kind in the order of creation, if nothing else determines it (design §4, Order): after its parent, its link
 * target, and the kinds that its row names.
 */
export const creationRank = (kind: KindName): number => sequence.indexOf(kind)

const sequence: readonly KindName[] = sequenceOf(kindNames)

function sequenceOf(names: readonly KindName[]): readonly KindName[] {
  const placed = new Set<KindName>()
  const place = (name: KindName): void => {
    if (placed.has(name)) return
    const { parent, association, after } = catalog[name]
    for (const earlier of [parent?.kind, association, ...after]) if (earlier !== undefined) place(earlier)
    placed.add(name)
  }
  names.forEach(place)
  return [...placed]
}

/** Whether the interface cannot write objects of a kind: they can only be referred to. */
export const isReadOnly = ({ blocked }: Kind): boolean =>
  blocked.create !== undefined && blocked.update !== undefined && blocked.delete !== undefined

/** Whether the document does not have a field with that name. The field may be in the field notes. */
export const isBeyondDocument = (kind: Kind, name: string): boolean => kind.fields[name]?.origin !== 'document'

/**
 * Whether objects of a kind are nested in objects of the document, although the document does not have the kind. Few objects
 * contain any, and most answers do not mention them.
 */
export const isExtra = ({ origin, parent }: Kind): boolean => origin === 'notes' && parent !== undefined

/** The type of a list's elements, or the type itself if it is no list. */
export function elementOf(type: FieldType): FieldType {
  return type.is === 'list' ? type.of : type
}

/** A kind of owned children: the field of the parent, whether there is at most one, and the kind. */
export interface ChildField {
  readonly field: string
  readonly kind: Kind
  readonly single: boolean
}

/** The kinds of children that objects of a kind own, in the order of the table. */
export const childFields = perKind((kind): readonly ChildField[] =>
  Object.values(kind.fields).flatMap((field) => {
    const element = elementOf(field.type)
    // A plan service shows the error sets of its service, but does not own them.
    if (element.is !== 'child' || catalog[element.kind].parent?.kind !== kind.name) return []
    return [{ field: field.name, kind: catalog[element.kind], single: field.type.is === 'child' }]
  }),
)

/** The kinds of children that the platform adds to a new object by itself, with any name. */
export const addedChildren = (kind: Kind): readonly ChildField[] =>
  childFields(kind).filter((child) => Object.hasOwn(kind.addedByPlatform, child.field))

/** A field in which a link selects children of its target: any number from a list, or only one. */
export interface PickedField {
  readonly field: string
  readonly kind: Kind
  readonly picks: 'any' | 'one'
}

/** The fields in which links select children of objects of a kind: methods of an endpoint, one filter of a method. */
export const pickedFields = perKind((kind): readonly PickedField[] =>
  childFields(kind).flatMap(({ field, kind: child, single }): readonly PickedField[] => {
    if (single) return []
    const { pickedAs } = child
    return [
      pickedAs === undefined ? { field, kind: child, picks: 'any' } : { field: pickedAs, kind: child, picks: 'one' },
    ]
  }),
)

/** The owned children in `field` of `kind`, or undefined. */
export function childField(kind: Kind, field: string): ChildField | undefined {
  return childFields(kind).find((each) => each.field === field)
}

/** A field that neither document nor notes have. It is passed through with `metadata.extraFields`. */
export const extraField = (name: string, type: FieldType = { is: 'map', of: 'any' }): Field => ({
  name,
  type,
  create: 'Opt',
  update: 'Opt',
  fetch: 'Exp',
  printedRules: undefined,
  note: '',
  printedType: undefined,
  origin: 'notes',
  immutable: false,
  writeOnly: false,
  secret: false,
  default: undefined,
  range: undefined,
  readOnly: undefined,
  afterCreate: false,
  clearedAs: undefined,
  sentInLinks: {},
})

/** The field for a text with an unknown name, if such texts are attributes of the kind's objects. */
export const attributeField = (kind: Kind, name: string): Field | undefined =>
  kind.extendedAttributes && !kind.fields[name] ? extraField(name, { is: 'string' }) : undefined

/** The kind to which a field refers, if it contains references. */
export function referredKind(field: Field): KindName | undefined {
  const element = elementOf(field.type)
  return element.is === 'reference' ? element.kind : undefined
}

const ranks = perKind((kind) => new Map(Object.keys(kind.fields).map((name, rank) => [name, rank])))

/** The position of a field in the table of its kind. Unknown fields come last. */
export const rankOf = (kind: Kind, name: string): number => ranks(kind).get(name) ?? Number.MAX_SAFE_INTEGER

/** The fields with host names that the platform allows only in the area's domains. */
export const domainFields = perKind((kind): readonly Field[] =>
  Object.values(kind.fields).filter((field) => elementOf(field.type).is === 'domain'),
)

/** The fields with the object's own values and references, without children. */
export const ownFields = perKind((kind): readonly Field[] =>
  Object.values(kind.fields).filter((field) => elementOf(field.type).is !== 'child'),
)

/**
 * Whether the id of an object is its own, and unique in the area. The id of a link is that of its target, each set contains the
 * same members of a fixed set, and a single child has no id.
 */
export function hasOwnId(kind: KindName): boolean {
  const { naming, association, fixedSet } = catalog[kind]
  return naming !== undefined && !association && !fixedSet
}

/** Whether a manifest may contain the field: it is not the identifier, and it is not ignored both on create and on update. */
export function isWritable(field: Field): boolean {
  return field.readOnly === undefined && !(isIgnored(field.create) && isIgnored(field.update))
}

const isIgnored = (rule: string) => rule === 'Ign' || rule === 'Ctx'

/** The ancestors of a kind, outermost first. */
export const ancestors = perKind((kind): readonly Kind[] => {
  if (!kind.parent) return []
  const parent = catalog[kind.parent.kind]
  return [...ancestors(parent), parent]
})

/** The kinds of all objects inside objects of a kind, at any depth. */
export const kindsInside = perKind((kind): readonly KindName[] =>
  kinds.filter((each) => ancestors(each).includes(kind)).map(({ name }) => name),
)

/** The outermost ancestor of a kind, whose collection contains its objects: Service for a Method. */
export function rootOf(kind: Kind): Kind {
  return ancestors(kind)[0] ?? kind
}

/** The field that an object gets from its parent, with the name of the parent's naming field: an application's username. */
export function givenByParent(kind: Kind): string | undefined {
  const naming = kind.parent && catalog[kind.parent.kind].naming
  return naming !== undefined && naming !== kind.naming && kind.fields[naming] ? naming : undefined
}

/** The field by which a collection is sorted while it is read in pages: the creation time, or the name. */
export const sortField = (kind: Kind): string | undefined => (kind.fields.created ? 'created' : kind.naming)

/**
 * Fields whose change may weaken protection or redirect calls. Exports always write them, so that drift sees their changes
 * (A130).
 */
export const watchedFields = perKind((kind): ReadonlySet<string> => {
  const { weaker, exemptions, routes, watched } = kind.consequences
  return new Set([...Object.keys(weaker ?? {}), ...(exemptions ?? []), ...(routes ?? []), ...(watched ?? [])])
})

/** Whether the names of objects of a kind are secret, so that addresses and metadata cannot contain them. */
export const hasSecretName = perKind((kind) => kind.naming !== undefined && (kind.fields[kind.naming]?.secret ?? false))

/** The form in which a name identifies an object. Host names are compared without case (A72). */
export const keyOfName = (kind: Kind, name: string): string => (isNamedByHost(kind) ? name.toLowerCase() : name)

/** Whether the names of objects of a kind are host names. */
export const isNamedByHost = perKind((kind) => {
  const type = kind.naming === undefined ? undefined : kind.fields[kind.naming]?.type
  return type?.is === 'string' && type.isHost === true
})

/** Whether objects of this kind are references in a field of the parent (roles of a service) and not owned children. */
export const isFieldOfParent = perKind((kind) => {
  const field = kind.parent && catalog[kind.parent.kind].fields[kind.parent.field]
  return field !== undefined && elementOf(field.type).is === 'reference'
})

/** The fields of a kind that contain links, each with its own collection: roles of a service. */
export const linkFields = perKind((kind): readonly { readonly field: string; readonly kind: Kind }[] =>
  kinds.flatMap((each) =>
    each.parent?.kind === kind.name && isFieldOfParent(each) ? [{ field: each.parent.field, kind: each }] : [],
  ),
)

/** The link's own members, in addition to those of its target: the action of a service's role. */
export const linkMembers = perKind((kind): readonly Field[] =>
  kind.association === undefined
    ? []
    : ownFields(kind).filter(
        (field) => isWritable(field) && field.name !== kind.naming && referredKind(field) === undefined,
      ),
)

/** The list in the referenced kind that holds the inverse reference, or undefined: endpoints of an event. */
export function inverseReferenceOf(kind: Kind, field: Field): Field | undefined {
  if (field.type.is !== 'reference') return undefined
  const candidates = Object.values(catalog[field.type.kind].fields)
  return candidates.find((each) => each.type.is === 'list' && referredKind(each) === kind.name)
}

/** A field that represents an entry in a list of the referenced kind: the event of an endpoint. */
export interface InverseReferenceField {
  readonly field: Field
  readonly owner: Kind
  readonly list: Field
}

export const inverseReferenceFields = perKind((kind): readonly InverseReferenceField[] =>
  Object.values(kind.fields).flatMap((field) => {
    const list = inverseReferenceOf(kind, field)
    return list && field.type.is === 'reference' ? [{ field, owner: catalog[field.type.kind], list }] : []
  }),
)

/** The kind of a link's target, or the kind itself if it is no link: Role for a service role. */
export function targetOf(kind: Kind): Kind {
  return kind.association ? catalog[kind.association] : kind
}

/** The kind whose limits apply to objects of a kind. */
export function limitingKind({ limited, fields }: Kind): KindName | undefined {
  const field = limited && fields[limited.by]
  const referred = field && referredKind(field)
  return referred && targetOf(catalog[referred]).name
}

/** The limits that objects of a kind set for objects of another kind, by name. */
export const limitsSetBy = perKind(
  (kind): Readonly<Record<string, LimitRow>> =>
    kinds.find((each) => limitingKind(each) === kind.name)?.limited?.fields ?? {},
)

/**
 * Fields in which two objects must never conflict, not even for a moment: routes, limits, and the references to the objects that
 * set the limits.
 */
export const sharedFields = perKind((kind): ReadonlySet<string> => {
  const limits = Object.entries({ ...kind.limited?.fields, ...limitsSetBy(kind) })
  const route = kind.route ? [kind.route.verbs, kind.route.domains, kind.route.path] : []
  const limitedBy = kind.limited ? [kind.limited.by] : []
  return new Set([
    ...route,
    ...limitedBy,
    ...limits.flatMap(([name, { exempt, period }]) => [name, exempt, period ?? name]),
  ])
})

/** The key with which `metadata` names an ancestor: `service` for Service, `errorSet` for ErrorSet. */
export function metadataWord(kind: Kind): string {
  return kind.name.charAt(0).toLowerCase() + kind.name.slice(1)
}

/** Words that users write instead of `name`: `service` in a list of services, `username` in the metadata of a member. */
export const wordsForName = perKind((kind): readonly string[] => [
  metadataWord(kind),
  metadataWord(targetOf(kind)),
  ...(kind.naming === undefined || kind.naming === 'name' || hasSecretName(kind) ? [] : [kind.naming]),
])
