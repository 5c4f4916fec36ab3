import { catalog } from './catalog.js'
import type { Field, FieldType, Kind, KindName, LimitRow } from './types.js'

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

/** An answer that depends on the kind alone, found once for each: areas hold thousands of objects of a kind. */
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
 * The place of a kind in the sequence in which objects are made where nothing else decides (design §4, Order): behind its
 * parent, what it links to, and the kinds that its row names.
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

/** Whether the interface has no way to write objects of a kind: they are no more than referred to. */
export const isReadOnly = ({ blocked }: Kind): boolean =>
  blocked.create !== undefined && blocked.update !== undefined && blocked.delete !== undefined

/** Whether the document does not know a field of that name: it is in the field notes, or nowhere at all. */
export const isBeyondDocument = (kind: Kind, name: string): boolean => kind.fields[name]?.origin !== 'document'

/** Whether objects of a kind lie in others that the document does have: few hold any, and most answers say nothing of them. */
export const isExtra = ({ origin, parent }: Kind): boolean => origin === 'notes' && parent !== undefined

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
export const childFields = perKind((kind): readonly ChildField[] =>
  Object.values(kind.fields).flatMap((field) => {
    const element = elementOf(field.type)
    // A plan service shows the error sets of its service: they belong to that one.
    if (element.is !== 'child' || catalog[element.kind].parent?.kind !== kind.name) return []
    return [{ field: field.name, kind: catalog[element.kind], single: field.type.is === 'child' }]
  }),
)

/** The children of a new object that the platform adds by itself, under whatever name. */
export const addedChildren = (kind: Kind): readonly ChildField[] =>
  childFields(kind).filter((child) => Object.hasOwn(kind.addedByPlatform, child.field))

/** What a link picks out of an object that it refers to: any number of a list of children, or one of them. */
export interface PickedField {
  readonly field: string
  readonly kind: Kind
  readonly picks: 'any' | 'one'
}

/** What links pick out of objects of a kind that they refer to: methods of an endpoint, one filter of a method. */
export const pickedFields = perKind((kind): readonly PickedField[] =>
  childFields(kind).flatMap(({ field, kind: child, single }): readonly PickedField[] => {
    if (single) return []
    const { pickedAs } = child
    return [
      pickedAs === undefined ? { field, kind: child, picks: 'any' } : { field: pickedAs, kind: child, picks: 'one' },
    ]
  }),
)

/** The owned child that `field` of `kind` holds, or undefined. */
export function childField(kind: Kind, field: string): ChildField | undefined {
  return childFields(kind).find((each) => each.field === field)
}

/** A field that document and notes do not know, passed through under `metadata.extraFields`. */
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

/** The field for a text that an object has under a name that no table knows, where such texts are attributes of it. */
export const attributeField = (kind: Kind, name: string): Field | undefined =>
  kind.extendedAttributes && !kind.fields[name] ? extraField(name, { is: 'string' }) : undefined

/** The kind that a field refers to, if it holds references. */
export function referredKind(field: Field): KindName | undefined {
  const element = elementOf(field.type)
  return element.is === 'reference' ? element.kind : undefined
}

const ranks = perKind((kind) => new Map(Object.keys(kind.fields).map((name, rank) => [name, rank])))

/** The place of a field in the table of its kind; unknown ones come behind all others. */
export const rankOf = (kind: Kind, name: string): number => ranks(kind).get(name) ?? Number.MAX_SAFE_INTEGER

/** Fields that hold neither children nor anything else than the object's own values and references. */
export const ownFields = perKind((kind): readonly Field[] =>
  Object.values(kind.fields).filter((field) => elementOf(field.type).is !== 'child'),
)

/**
 * Whether the id of an object of a kind is its own, and names one object of the area: that of a link is the id of what it links
 * to, that of a member of a fixed set stands in every set, and a child that exists once has none.
 */
export function hasOwnId(kind: KindName): boolean {
  const { naming, association, fixedSet } = catalog[kind]
  return naming !== undefined && !association && !fixedSet
}

/** A field that a manifest may write: not ignored on create as well as on update, and not the identifier itself. */
export function isWritable(field: Field): boolean {
  return field.readOnly === undefined && !(isIgnored(field.create) && isIgnored(field.update))
}

const isIgnored = (rule: string) => rule === 'Ign' || rule === 'Ctx'

/** The parent's kind, its parent's kind and so on, outermost first. */
export const ancestors = perKind((kind): readonly Kind[] => {
  if (!kind.parent) return []
  const parent = catalog[kind.parent.kind]
  return [...ancestors(parent), parent]
})

/** The kinds of what lies in objects of a kind, however deep. */
export const kindsInside = perKind((kind): readonly KindName[] =>
  kinds.filter((each) => ancestors(each).includes(kind)).map(({ name }) => name),
)

/** The kind whose collection holds objects of this kind at its root: Service for a Method. */
export function rootOf(kind: Kind): Kind {
  return ancestors(kind)[0] ?? kind
}

/** The field that an object takes from its parent, under the parent's naming field: an application's username. */
export function givenByParent(kind: Kind): string | undefined {
  const naming = kind.parent && catalog[kind.parent.kind].naming
  return naming !== undefined && naming !== kind.naming && kind.fields[naming] ? naming : undefined
}

/** The field whose order objects of a kind keep while a collection is read in pages: when they were made, or their name. */
export const sortField = (kind: Kind): string | undefined => (kind.fields.created ? 'created' : kind.naming)

/** Fields whose change may protect less or send calls elsewhere: exports always write them, so that drift sees them (A130). */
export const watchedFields = perKind((kind): ReadonlySet<string> => {
  const { weaker, exemptions, routes, watched } = kind.consequences
  return new Set([...Object.keys(weaker ?? {}), ...(exemptions ?? []), ...(routes ?? []), ...(watched ?? [])])
})

/** Whether objects of a kind are named by a secret, so that addresses and metadata cannot name them. */
export const hasSecretName = perKind((kind) => kind.naming !== undefined && (kind.fields[kind.naming]?.secret ?? false))

/** A name as it identifies an object of a kind: host names do so in any case (A72). */
export const keyOfName = (kind: Kind, name: string): string => (isNamedByHost(kind) ? name.toLowerCase() : name)

/** Whether objects of a kind are named by a host name. */
export const isNamedByHost = perKind((kind) => {
  const type = kind.naming === undefined ? undefined : kind.fields[kind.naming]?.type
  return type?.is === 'string' && type.isHost === true
})

/** Whether the parent holds objects of this kind as a field of its own (roles of a service), not as owned children. */
export const isFieldOfParent = perKind((kind) => {
  const field = kind.parent && catalog[kind.parent.kind].fields[kind.parent.field]
  return field !== undefined && elementOf(field.type).is === 'reference'
})

/** The fields of a kind that hold links, each of which has a collection of its own: roles of a service. */
export const linkFields = perKind((kind): readonly { readonly field: string; readonly kind: Kind }[] =>
  kinds.flatMap((each) =>
    each.parent?.kind === kind.name && isFieldOfParent(each) ? [{ field: each.parent.field, kind: each }] : [],
  ),
)

/** What a link says of itself beside the object that it stands for: the action of a service's role. */
export const linkMembers = perKind((kind): readonly Field[] =>
  kind.association === undefined
    ? []
    : ownFields(kind).filter(
        (field) => isWritable(field) && field.name !== kind.naming && referredKind(field) === undefined,
      ),
)

/** The list in the kind referred to that owns the inverse reference of a field, or undefined: endpoints of an event. */
export function owningList(kind: Kind, field: Field): Field | undefined {
  if (field.type.is !== 'reference') return undefined
  const candidates = Object.values(catalog[field.type.kind].fields)
  return candidates.find((each) => each.type.is === 'list' && referredKind(each) === kind.name)
}

/** A field that stands for an entry in a list of the kind that it refers to: the event of an endpoint. */
export interface InverseReferenceField {
  readonly field: Field
  readonly owner: Kind
  readonly list: Field
}

export const inverseReferenceFields = perKind((kind): readonly InverseReferenceField[] =>
  Object.values(kind.fields).flatMap((field) => {
    const list = owningList(kind, field)
    return list && field.type.is === 'reference' ? [{ field, owner: catalog[field.type.kind], list }] : []
  }),
)

/** The kind that an object referred to is in the end: Role for a service role. */
export function targetOf(kind: Kind): Kind {
  return kind.association ? catalog[kind.association] : kind
}

/** The kind whose limits objects of a kind are under. */
export function limitingKind({ limited, fields }: Kind): KindName | undefined {
  const field = limited && fields[limited.by]
  const referred = field && referredKind(field)
  return referred && targetOf(catalog[referred]).name
}

/** The limits that objects of a kind set for those of another one, by their names. */
export const limitsSetBy = perKind(
  (kind): Readonly<Record<string, LimitRow>> =>
    kinds.find((each) => limitingKind(each) === kind.name)?.limited?.fields ?? {},
)

/** Fields in which an object must not be at odds with another one at any moment: routes, limits, and what sets the limits. */
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

/** The word by which `metadata` names an ancestor: `service` for Service, `errorSet` for ErrorSet. */
export function metadataWord(kind: Kind): string {
  return kind.name.charAt(0).toLowerCase() + kind.name.slice(1)
}

/** Words that people write in place of `name`: `service` in a list of services, `username` in the metadata of a member. */
export const wordsForName = perKind((kind): readonly string[] => [
  metadataWord(kind),
  metadataWord(targetOf(kind)),
  ...(kind.naming === undefined || kind.naming === 'name' || hasSecretName(kind) ? [] : [kind.naming]),
])
