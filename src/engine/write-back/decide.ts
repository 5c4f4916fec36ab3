import { catalog } from '../../catalog/catalog.js'
import {
  attributeField,
  type ChildField,
  childFields,
  inverseReferenceFields,
  isFieldOfParent,
  kinds,
  metadataWord,
  ownFields,
  referredKind,
} from '../../catalog/queries.js'
import { withoutSecrets } from '../../catalog/secret-places.js'
import { memberIn, memberName, shapes } from '../../catalog/shapes.js'
import type { Field, ShapeName } from '../../catalog/types.js'
import type { Json, JsonObject } from '../../json/json.js'
import { asList, entriesOf, isList, isObject, sameJson } from '../../json/json.js'
import { bySpelling } from '../../json/order.js'
import { withValueAt } from '../../json/patch.js'
import { isWithin, keysOf, overlaps, pointerTo } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import { attributesOf, childrenForm, fieldForm, inlineForm, singleForm } from '../../live/object-form.js'
import { type FormContext, referencesForm } from '../../live/references-form.js'
import { emptyForm, escaped, valueForm } from '../../live/value-form.js'
import type { Variables } from '../../live/variables.js'
import { addressesOfAncestors, addressOfAncestors } from '../../manifest/ancestors.js'
import { fieldUses, type ReferenceUse } from '../../manifest/reference-use.js'
import type { Resource } from '../../manifest/resource.js'
import { holds, placeOf } from '../../manifest/source.js'
import type { Edit, SetEdit } from '../../manifest/write/edit.js'
import { differences } from '../../planner/compare/fields.js'
import { isHiddenAt, valueAtPath } from '../../planner/compare/secret-values.js'
import { entriesIn, namedIn } from '../../planner/compare/withdrawals.js'
import type { Matches } from '../../planner/match/match.js'
import type { FieldChange } from '../../planner/plan.js'
import { resolve } from '../../planner/references/resolve.js'
import { type ReferenceScope, targetKey } from '../../planner/references/scope.js'
import { writtenNames } from '../../planner/references/written.js'
import type { Problem } from '../../problems/problem.js'
import { notWrittenBack } from '../../problems/write-back.js'

/** `export`: also writes objects and fields that no manifest has; `drift`: writes only managed ones. */
export type WriteBackPurpose = 'export' | 'drift'

/** The new names of declared objects that somebody has renamed on the platform, by their declared addresses. */
export interface NewNames {
  readonly isEmpty: boolean
  nameOf(address: string): string | undefined
}

export interface Deciding {
  readonly world: Matches
  readonly references: ReferenceScope
  readonly forms: FormContext
  /** The variables for secrets that manifests contain in clear. They do not depend on `forms`. */
  readonly variables: Variables
  readonly purpose: WriteBackPurpose
  readonly renamed: NewNames
  /** Whether a difference is to be written. */
  wants(resource: Resource, field: FieldChange): boolean
  /** Whether a live object that no manifest has may be written. An object that a Removed document names may not. */
  mayAdd(object: LiveObject): boolean
  report(problem: Problem): void
}

/** The edits that give a declared object and the lists of its children the live values. */
export function editsFor(resource: Resource, live: LiveObject, deciding: Deciding): readonly Edit[] {
  return [
    ...namingEdits(resource, live, deciding),
    ...differenceEdits(resource, live, deciding),
    ...inverseReferenceEdits(resource, live, deciding),
    ...(deciding.purpose === 'export' ? missingFields(resource, live, deciding) : []),
    ...childEdits(resource, live, deciding),
  ]
}

/** The edits for new names that an object and the targets of its references have got on the platform. */
export const namingEdits = (resource: Resource, live: LiveObject | undefined, deciding: Deciding): readonly Edit[] => [
  ...nameEdits(resource, deciding),
  ...(live ? referenceEdits(resource, live, deciding) : []),
]

/** The edits for a renamed object: at the object itself, at links to it, and in separate documents of objects inside it. */
export function nameEdits(
  resource: Resource,
  { renamed, world }: Pick<Deciding, 'renamed' | 'world'>,
): readonly Edit[] {
  if (renamed.isEmpty) return []
  const { kind, key, ancestors, address, range } = resource
  const rename = (word: string, name: string | undefined): readonly Edit[] =>
    name === undefined ? [] : [{ is: 'rename', at: range.start, word, name: escaped(name) }]
  const { association } = catalog[kind]
  const linked = association && world.declaredUnder(undefined, association).find((each) => each.key === key)?.address
  const named = association ? (linked ?? addressOfAncestors([{ kind: association, name: key }])) : address
  const addresses = addressesOfAncestors(ancestors)
  const outer = isInline(resource, world)
    ? []
    : ancestors.flatMap((ancestor, index) =>
        rename(metadataWord(catalog[ancestor.kind]), renamed.nameOf(addresses[index] ?? '')),
      )
  return [...rename('name', renamed.nameOf(named ?? '')), ...outer]
}

/** Whether its text is inside the text of its parent. */
export function isInline({ range, parent }: Resource, { resources }: Pick<Matches, 'resources'>): boolean {
  const outer = parent === undefined ? undefined : resources.get(parent)?.range
  return outer !== undefined && holds(outer, range)
}

/**
 * The edits of fields that refer to a renamed object. Only the name changes, because git may have changed the rest of the field.
 */
function referenceEdits(resource: Resource, live: LiveObject, deciding: Deciding): readonly Edit[] {
  const { renamed, references, wants } = deciding
  if (renamed.isEmpty) return []
  const changing = differences(resource, live, references).fields.filter((change) => wants(resource, change))
  return Object.values(catalog[resource.kind].fields).flatMap((field): readonly Edit[] => {
    const names = fieldUses(resource, field).flatMap((use) => newNames(use, resource, renamed))
    if (names.length === 0 || changing.some(({ path }) => path === `/${field.name}`)) return []
    const written = escaped(resource.fields[field.name] ?? null)
    const form = withShortReferences(
      names.reduce((value, { at, name }) => withValueAt(value, pointerTo(...at), name), written),
    )
    return [setEdit(resource, field, { path: [field.name], value: form, whole: form })]
  })
}

/** The positions of renamed targets in the value of a field, as keys, with the new names. */
function newNames(
  { ancestors, pointer = '' }: ReferenceUse,
  { fields }: Resource,
  renamed: Deciding['renamed'],
): readonly { readonly at: readonly string[]; readonly name: string }[] {
  const [field = '', ...path] = keysOf(pointer)
  const addresses = addressesOfAncestors(ancestors)
  return ancestors.flatMap(({ kind }, index) => {
    const name = renamed.nameOf(addresses[index] ?? '')
    const isItself = index === ancestors.length - 1
    const at = isItself ? [...path, 'name'] : [...path, metadataWord(catalog[kind]), 'name']
    return name === undefined || textAt(fields[field], at) === undefined ? [] : [{ at, name: escaped(name) }]
  })
}

function textAt(value: Json | undefined, [key, ...rest]: readonly string[]): string | undefined {
  if (key === undefined) return typeof value === 'string' ? value : undefined
  if (isList(value)) return textAt(value[Number(key)], rest)
  return isObject(value) ? textAt(value[key], rest) : undefined
}

/** References as people write them: a reference with only a name is a text. */
function withShortReferences(value: Json): Json {
  if (isList(value)) return value.map(withShortReferences)
  if (!isObject(value)) return value
  const { name, ...others } = value
  if (name !== undefined && Object.keys(others).length === 0) return name
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withShortReferences(each)]))
}

function differenceEdits(resource: Resource, live: LiveObject, deciding: Deciding): readonly Edit[] {
  return differences(resource, live, deciding.references)
    .fields.filter((change) => deciding.wants(resource, change) && !(change.sensitive && isHiddenAt(live, change.path)))
    .flatMap((change) => differenceEdit(resource, live, change, deciding))
}

function differenceEdit(
  resource: Resource,
  live: LiveObject,
  change: FieldChange,
  deciding: Deciding,
): readonly Edit[] {
  const { renamed, report, forms } = deciding
  const [name = '', ...members] = keysOf(change.path)
  const kind = catalog[resource.kind]
  const field = kind.fields[name] ?? attributeField(kind, name)
  const refuse = (reason: string): readonly Edit[] => {
    const place = placeOf(resource.ranges.at(`/${name}`) ?? resource.range)
    report(notWrittenBack(resource.address, [name, ...members].join('.'), reason, place))
    return []
  }
  if (name === kind.naming && renamed.nameOf(resource.address) !== undefined) return []
  if (name === kind.naming) return refuse('it is the name that other manifests may use')
  if (!field) return refuse('the field is unknown')
  if (resource.fields[name] === undefined) return refuse('it is written in the objects that it lists')
  if (!field.secret && (change.sensitive || forms.isSecret(valueAtPath(live.fields, change.path) ?? null)))
    return refuse('its value is secret')
  const whole = explicitForm(live, field, deciding)
  if (whole === undefined) return refuse('no manifest can have its live value')
  const all = withEverything(whole, resource, field, deciding.references)
  const value = members.length === 0 ? all : memberForm(field, live, members, forms)
  return [setEdit(resource, field, { path: [name, ...members], value: value ?? null, whole: all })]
}

/** The live references. A "*" inside a written reference is kept if it still means all picks. */
function withEverything(form: Json, resource: Resource, field: Field, scope: ReferenceScope): Json {
  const written = asList(resource.fields[field.name] ?? [])
  if (!isList(form) || !written.some((each) => isObject(each) && Object.values(each).includes('*'))) return form
  const { entries } = resolve(resource, field, written, scope)
  return form.map((each) => {
    const name = writtenNames([each])[0]?.name
    const nested = entries.find((entry) => entry.name === name)?.nested
    const own = written.find((other) => writtenNames([other])[0]?.name === name)
    if (!nested || !isObject(each) || !isObject(own) || own[nested.field] !== '*') return each
    const all = nested.entries.map((entry) => entry.name).sort(bySpelling)
    return sameJson(each[nested.field], all) ? { ...each, [nested.field]: '*' } : each
  })
}

function setEdit(resource: Resource, field: Field | undefined, what: Pick<SetEdit, 'path' | 'value' | 'whole'>): Edit {
  const depth = field && referredKind(field) ? 'references' : 'exact'
  const holdsSecret = field && resource.sensitive.some((path) => isWithin(path, pointerTo(field.name)))
  const beside = holdsSecret ? 'beside a secret' : 'open'
  const secrecy = field?.secret ? 'secret' : beside
  return { is: 'set', at: resource.range.start, ...what, depth, secrecy, of: field ? 'field' : 'child' }
}

/**
 * The live value of a field that is already written, even if it is empty or the platform's default. Undefined if no manifest can
 * or may contain it.
 */
export function explicitForm(
  live: LiveObject,
  field: Field,
  { forms, variables }: Pick<Deciding, 'forms' | 'variables'>,
): Json | undefined {
  if (field.secret) return fieldForm(live, field, { ...forms, variables }) ?? ''
  const value = live.fields[field.name] ?? null
  if (value === null) return emptyForm(field.type)
  if (withoutSecrets(field.type, value, forms.isSecret) === undefined) return undefined
  if (!referredKind(field)) return valueForm(field.type, value, { ...forms, fullness: 'short' })
  const isNone = Array.isArray(value) && value.length === 0
  return isNone ? [] : referencesForm(live, field, value, forms)
}

/** The same for a member of a value object, by its keys. */
export function memberForm(
  field: Field,
  live: LiveObject,
  path: readonly string[],
  forms: FormContext,
): Json | undefined {
  let { type } = field
  let value: Json | undefined = live.fields[field.name]
  let byDefault: Json | undefined
  for (const name of path) {
    const own = type.is === 'shape' ? memberName(type.shape, name, 'document') : name
    value = isObject(value) ? value[own] : undefined
    const member = memberIn(type, own)
    byDefault = member.default
    type = member.type
  }
  if (value === undefined || value === null) return byDefault ?? emptyForm(type)
  if (withoutSecrets(type, value, forms.isSecret) === undefined) return undefined
  return valueForm(type, value, { ...forms, fullness: 'short' })
}

/**
 * The edits of inverse references: if an object is no longer in the list that it names, it names the list that contains it now,
 * or none.
 */
function inverseReferenceEdits(resource: Resource, live: LiveObject, deciding: Deciding): readonly Edit[] {
  const { world, forms, wants } = deciding
  return inverseReferenceFields(catalog[resource.kind]).flatMap((inverseReference): readonly Edit[] => {
    const { field, owner, list } = inverseReference
    const has = (holder: LiveObject) => entriesIn(holder, list.name).some(({ id }) => id === live.id)
    const named = namedIn(resource.inverseReferences[field.name], inverseReference, world)
    const holding = named && world.claimed.get(named)
    const change = { path: pointerTo(list.name), sensitive: false, verdict: 'drift' } as const
    if (!named || !holding || has(named) || !wants(holding, change)) return []
    const now = world.live.among(owner.name, undefined).find(has)
    const form = now ? referencesForm(live, field, { id: now.id, name: now.key }, forms) : null
    return form === undefined ? [] : [setEdit(resource, field, { path: [field.name], value: form, whole: form })]
  })
}

/** Edits for everything that a new export of the object would contain and that its manifest does not. */
function missingFields(resource: Resource, live: LiveObject, deciding: Deciding): readonly Edit[] {
  const ignored = (path: readonly string[]) => resource.ignore.includes(`/${path.join('/')}`)
  return [...ownFields(catalog[resource.kind]), ...attributesOf(live)].flatMap((field): readonly Edit[] => {
    if (
      field.writeOnly ||
      ignored([field.name]) ||
      isInAdditions(field, resource, live, deciding) ||
      isHeldByDocuments(field, resource, deciding)
    )
      return []
    const written = resource.fields[field.name]
    const form = fieldForm(live, field, deciding.forms)
    if (form === undefined) return []
    if (written === undefined) {
      // The field is written, but its placeholder could not be resolved.
      return resource.ranges.at(`/${field.name}`)
        ? []
        : [setEdit(resource, field, { path: [field.name], value: form, whole: form })]
    }
    if (field.type.is !== 'shape' || !isObject(written) || !isObject(form)) return []
    // A member with an unset placeholder is written, but it is not among the fields.
    const isUnset = (path: readonly string[]) => resource.unavailable.some((each) => overlaps(each, pointerTo(...path)))
    return missingMembers(field.type.shape, written, form, [field.name])
      .filter(({ path }) => !ignored(path) && !isUnset(path))
      .map(({ path, value }) => setEdit(resource, field, { path, value, whole: form }))
  })
}

/** Whether other objects already name all entries of a list: endpoints that name their event. */
function isInAdditions(field: Field, resource: Resource, live: LiveObject, { references }: Deciding): boolean {
  const added = resource.additions[field.name]
  if (!added) return false
  const known = new Set(resolve(resource, field, added, references).entries.map(({ target }) => targetKey(target)))
  const entries = live.fields[field.name]
  return entriesOf(entries).every(
    (entry) => isObject(entry) && known.has(targetKey({ is: 'live', id: String(entry.id) })),
  )
}

/** Whether the entries of a field are separate documents, such as the roles of a service. */
function isHeldByDocuments(field: Field, resource: Resource, { world }: Deciding): boolean {
  return kinds.some(
    (kind) =>
      kind.parent?.field === field.name &&
      isFieldOfParent(kind) &&
      world.declaredUnder(resource.address, kind.name).length > 0,
  )
}

interface MissingMember {
  readonly path: readonly string[]
  readonly value: Json
}

function missingMembers(
  shape: ShapeName,
  written: JsonObject,
  form: JsonObject,
  path: readonly string[],
): readonly MissingMember[] {
  return Object.entries(form).flatMap(([name, value]): readonly MissingMember[] => {
    const own = memberName(shape, name, 'document')
    const known = written[own]
    if (known === undefined) return [{ path: [...path, name], value }]
    const type = shapes[shape][own]?.type
    if (type?.is !== 'shape' || !isObject(known) || !isObject(value)) return []
    return missingMembers(type.shape, known, value, [...path, name])
  })
}

function childEdits(resource: Resource, live: LiveObject, deciding: Deciding): readonly Edit[] {
  return childFields(catalog[resource.kind]).flatMap((child) =>
    child.single ? singleEdits(resource, live, child, deciding) : listEdits(resource, live, child, deciding),
  )
}

function singleEdits(resource: Resource, live: LiveObject, child: ChildField, deciding: Deciding): readonly Edit[] {
  const isNull = resource.removedChildren.includes(child.field)
  const isDeclared = deciding.world.declaredUnder(resource.address, child.kind.name).length > 0
  if (isDeclared || !(isNull || deciding.purpose === 'export')) return []
  const object = live.children.find((each) => each.kind === child.kind.name)
  const form = object && deciding.mayAdd(object) ? singleForm(object, deciding.forms) : undefined
  return form === undefined ? [] : [setEdit(resource, undefined, { path: [child.field], value: form, whole: form })]
}

function listEdits(resource: Resource, live: LiveObject, child: ChildField, deciding: Deciding): readonly Edit[] {
  const isWhole = resource.wholeLists.includes(child.field)
  if (!isWhole && deciding.purpose === 'drift') return []
  const { world, forms } = deciding
  const claimed = new Set(
    world.declaredUnder(resource.address, child.kind.name).map((each) => world.matched.get(each.address)),
  )
  const extra = live.children.filter(
    (each) => each.kind === child.kind.name && !claimed.has(each) && deciding.mayAdd(each),
  )
  if (extra.length === 0) return []
  const whole = childrenForm(live, child, forms)
  if (whole === undefined && !isWhole) return []
  // A member of a fixed set that is still as the platform created it is not written.
  const writable = child.kind.fixedSet
    ? extra.filter((each) => childrenForm({ ...live, children: [each] }, child, forms))
    : extra
  return writable.flatMap((each): readonly Edit[] => {
    const value = inlineForm(each, forms)
    return value === undefined
      ? []
      : [{ is: 'append', at: resource.range.start, field: child.field, value, whole: whole ?? [value] }]
  })
}
