import { catalog } from '../catalog/catalog.js'
import { apiVersion, isNamedOpenly } from '../catalog/metadata-keys.js'
import {
  attributeField,
  type ChildField,
  childFields,
  elementOf,
  givenByParent,
  hasSecretName,
  inverseReferenceOf,
  isExtra,
  isWritable,
  ownFields,
  referredKind,
  watchedFields,
} from '../catalog/queries.js'
import { secretPlaces, withoutSecrets } from '../catalog/secret-places.js'
import type { Field, Kind } from '../catalog/types.js'
import { datetimeText, sameValue } from '../catalog/value.js'
import type { Json, JsonObject } from '../json/json.js'
import { keysOf, pointerTo } from '../json/pointer.js'
import { notWritableValue, unnamedObject } from '../problems/write-back.js'
import type { LiveIndex } from './live-index.js'
import type { LiveObject } from './live-object.js'
import { addressOfLive, hasSibling, isAmbiguous, nameForm, parentNames } from './names.js'
import { displayedReferences, type FormContext, referencesForm } from './references-form.js'
import { emptyForm, escaped, unwritablePlaces, valueForm } from './value-form.js'
import { variablePlaceholder } from './variables.js'

/** The manifest of an object, with or without its children. */
export function documentForm(object: LiveObject, children: 'inside' | 'left out', context: FormContext): JsonObject {
  const kind = catalog[object.kind]
  const metadata = {
    ...parentNames(object, (parent) => nameForm(parent, context.live)),
    ...(kind.within ? { [kind.within.metadata]: object.owner ?? '' } : {}),
    ...(isNamedOpenly(kind) ? { name: object.key } : {}),
    ...(needsId(object, context) ? { id: object.id } : {}),
    ...ignoreForm([object], context),
  }
  const spec = children === 'inside' ? contentsOf(object, context) : ownContentsOf(object, context)
  return {
    apiVersion,
    kind: object.kind,
    metadata: escaped(metadata),
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  }
}

/** An owned child in its inline form; undefined if no manifest can name it. */
export function inlineForm(object: LiveObject, context: FormContext): JsonObject | undefined {
  const kind = catalog[object.kind]
  if (isNamedOpenly(kind) && object.key === '') {
    context.report(unnamedObject(addressOfLive(object), object.id))
    return undefined
  }
  const id = needsId(object, context) ? object.id : undefined
  const metadata = {
    ...(kind.association || id === undefined ? {} : { id }),
    ...ignoreForm([object], context),
  }
  return {
    ...namingForm(object, kind, context),
    ...(kind.association && id !== undefined ? { id } : {}),
    ...contentsOf(object, context),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
}

/**
 * Paths for `metadata.ignore`: values that were applied with a secret in them, and that the manifest of these objects does not
 * write. Without them, a plan would unset these values (A371).
 */
export function ignoreForm(objects: readonly LiveObject[], { isSecret, wasSecret }: FormContext): JsonObject {
  if (!wasSecret) return {}
  const paths = objects.flatMap((object) =>
    [...ownFields(catalog[object.kind]), ...attributesOf(object)]
      .filter((field) => isWritable(field) && !field.secret)
      .flatMap(({ name, type }) =>
        secretPlaces(type, object.fields[name] ?? null, isSecret).map((place) => pointerTo(name) + place),
      )
      .filter((path) => wasSecret(object, path)),
  )
  return paths.length === 0 ? {} : { ignore: [...new Set(paths)] }
}

/** Whether the written part of its name may also mean another object: a secret name may not be written at all. */
export function needsId(object: LiveObject, { live, variables }: FormContext): boolean {
  const kind = catalog[object.kind]
  const isNamed = kind.naming === undefined || !hasSecretName(kind) || variables.get(object)?.has(kind.naming)
  // Some platforms do not answer the package of a key. The variable of its value may not be set, so only the id is sure.
  if (kind.namedBy !== undefined && isUnset(object.fields[kind.namedBy])) return true
  return isNamed ? isAmbiguous(object, live) : hasSibling(object, live)
}

/** The name of an object as its own field; empty if no field can contain it. */
export function namingForm(object: LiveObject, kind: Kind, context: FormContext): JsonObject {
  if (kind.naming === undefined) return {}
  if (!hasSecretName(kind)) return { [kind.naming]: escaped(object.key) }
  const placeholder = secretForm(object, kind.naming, context)
  return placeholder === undefined ? {} : { [kind.naming]: placeholder }
}

/** Everything in an object except its name, in the order in which people write it. */
function contentsOf(object: LiveObject, context: FormContext): JsonObject {
  const children = childrenInWritingOrder(catalog[object.kind])
  return {
    ...fieldsForm(object, context),
    ...written(children, (child) => [child.field, childrenForm(object, child, context)]),
  }
}

/** The own content of an object, including the lists that it belongs to, because they may not be written elsewhere. */
function ownContentsOf(object: LiveObject, context: FormContext): JsonObject {
  const kind = catalog[object.kind]
  const inverseReferences = ownFields(kind).filter((field) => isWritable(field) && inverseReferenceOf(kind, field))
  return {
    ...fieldsForm(object, context),
    ...written(inverseReferences, (field) => [
      field.name,
      referencesForm(object, field, object.fields[field.name] ?? null, context),
    ]),
  }
}

/** The own fields of an object in the order in which people write them. */
export const fieldsForm = (object: LiveObject, context: FormContext): JsonObject =>
  written([...inWritingOrder(catalog[object.kind]), ...attributesOf(object)], (field) => [
    field.name,
    fieldForm(object, field, context),
  ])

/** The attributes that an object has, as fields. */
export function attributesOf({ kind, fields }: LiveObject): readonly Field[] {
  if (!catalog[kind].extendedAttributes) return []
  return Object.keys(fields).flatMap((name) =>
    typeof fields[name] === 'string' ? (attributeField(catalog[kind], name) ?? []) : [],
  )
}

/** A member for each of these items that has a value to write. */
const written = <Item>(items: readonly Item[], memberOf: (item: Item) => [string, Json | undefined]): JsonObject =>
  Object.fromEntries(
    items.flatMap((item): [string, Json][] => {
      const [name, form] = memberOf(item)
      return form === undefined ? [] : [[name, form]]
    }),
  )

/** Fields that a new object requires come first, then those of its address, then the others as in the document's table. */
function inWritingOrder(kind: Kind): readonly Field[] {
  const route: readonly string[] = kind.route ? Object.values(kind.route) : []
  const rank = (field: Field): number => {
    if (field.create === 'Req') return 0
    return route.includes(field.name) ? 1 : 2
  }
  return ownFields(kind)
    .map((field, index) => ({ field, index }))
    .sort((left, right) => rank(left.field) - rank(right.field) || left.index - right.index)
    .map(({ field }) => field)
}

/** Single children come first; then the lists, from the end of the table on, so that the deepest list ends the object. */
export function childrenInWritingOrder(kind: Kind): readonly ChildField[] {
  const children = childFields(kind)
  return [...children.filter((child) => child.single), ...children.filter((child) => !child.single).reverse()]
}

/** One own field in the form of manifests; undefined if there is nothing to write. */
export function fieldForm(object: LiveObject, field: Field, context: FormContext): Json | undefined {
  const kind = catalog[object.kind]
  if (!isWritable(field) || field.name === kind.naming || field.name === givenByParent(kind)) return undefined
  const live = object.fields[field.name]
  // In full form, a field that was answered empty is written as well: it stays empty.
  const isEmptyInFull = context.fullness === 'full' && live === null && mayBeNull(field)
  if (inverseReferenceOf(kind, field)) return isEmptyInFull ? null : undefined
  if (field.secret) return secretForm(object, field.name, context) ?? (isEmptyInFull ? null : undefined)
  const isWatched = watchedFields(kind).has(field.name)
  if (isWatched && isUnset(live) && field.create !== 'Req') {
    // A field that is not in the document, or that the document ignores, is not written unless the platform is known to have it.
    return field.origin === 'notes' || field.printedRules ? undefined : (field.default ?? null)
  }
  // A value that is only a secret is not written.
  const open = live === undefined ? undefined : withoutSecrets(field.type, live, context.isSecret)
  if (live === undefined || open === undefined) return undefined
  if (referredKind(field)) return referencesForm(object, field, live, context) ?? (isEmptyInFull ? null : undefined)
  const byDefault = platformValue(object, field) ?? field.default
  if (sameValue(field.type, undefined, open, byDefault) && !isEmptied(object, field, live)) {
    if (live === null) return isEmptyInFull ? null : undefined
    if (!isWatched && context.fullness === 'short') return undefined
  }
  if (live === null) return emptyForm(field.type)
  for (const place of unwritablePlaces(field.type, open)) {
    context.report(notWritableValue(addressOfLive(object), keysOf(pointerTo(field.name) + place).join('.')))
  }
  return valueForm(field.type, live, context)
}

/** A field that must have a value cannot be cleared. A field that is not in the document is not written if it is empty. */
const mayBeNull = ({ create, update, origin, printedRules }: Field): boolean =>
  create !== 'Req' && update !== 'Req' && origin === 'document' && printedRules === undefined

const isUnset = (live: Json | undefined): boolean =>
  live === undefined || live === null || live === '' || (Array.isArray(live) && live.length === 0)

/** Somebody has removed the platform's default. This must be written, because a new object would get the default. */
function isEmptied(object: LiveObject, field: Field, live: Json): boolean {
  if (Array.isArray(live)) return live.length === 0 && field.default !== undefined
  return live === null && !sameValue(field.type, undefined, platformObject(object)?.[field.name], undefined)
}

function secretForm(object: LiveObject, field: string, context: FormContext): Json | undefined {
  const variable = context.variables.get(object)?.get(field)
  return variable && variablePlaceholder(variable.name)
}

/** The platform's value of a field in an object that it creates by itself: the texts of an error message. */
function platformValue(object: LiveObject, field: Field): Json | undefined {
  return catalog[object.kind].fixedSet ? platformObject(object)?.[field.name] : undefined
}

/** An object that the platform creates by itself in its parent, with the platform's values. */
function platformObject(object: LiveObject): JsonObject | undefined {
  const { parent, naming } = catalog[object.kind]
  if (!parent || naming === undefined) return undefined
  return catalog[parent.kind].platformDefaults[parent.field]?.find((each) => each[naming] === object.key)
}

/** The children in one field; undefined if there is nothing to write. */
export function childrenForm(object: LiveObject, child: ChildField, context: FormContext): Json | undefined {
  const children = object.children.filter((each) => each.kind === child.kind.name && !context.leavesOut?.(each))
  if (child.single) {
    const [only] = children
    if (only) return singleForm(only, context)
    return context.fullness === 'full' ? null : undefined
  }
  if (isLeftToPlatform(object, child, context)) return undefined
  const written = context.fullness === 'full' ? children : children.filter((each) => !isUntouched(each))
  const forms = written.flatMap((each) => inlineForm(each, context) ?? [])
  if (forms.length > 0) return forms
  const mayBeEmpty =
    !child.kind.fixedSet && !isExtra(child.kind) && !catalog[object.kind].atLeastOne.includes(child.field)
  return context.fullness === 'full' && mayBeEmpty ? [] : undefined
}

/** A single child without content is not written: platforms show one everywhere. */
export function singleForm(object: LiveObject, context: FormContext): JsonObject | undefined {
  if (context.fullness === 'short' && isBlankForm(object, context)) return undefined
  return inlineForm(object, context)
}

function isBlankForm(object: LiveObject, context: FormContext): boolean {
  // A secret that is left out still counts: without its object, a plan would delete it.
  if (ownFields(catalog[object.kind]).some(({ name, secret }) => secret && !isUnset(object.fields[name]))) return false
  if (Object.keys(ignoreForm([object], context)).length > 0) return false
  let hasReported = false
  // The same is true of a value that no manifest may have.
  const report = () => {
    hasReported = true
  }
  return Object.keys(contentsOf(object, { ...context, report, fullness: 'short' })).length === 0 && !hasReported
}

/** Whether a list is not written because it contains only what the platform creates by itself. */
export const isLeftToPlatform = (object: LiveObject, child: ChildField, { fullness }: FormContext): boolean =>
  fullness === 'short' &&
  holdsPlatformDefaults(
    object,
    child,
    object.children.filter((each) => each.kind === child.kind.name),
  )

/** Whether a list contains only what the platform creates by itself. */
function holdsPlatformDefaults(object: LiveObject, child: ChildField, children: readonly LiveObject[]): boolean {
  const defaults = catalog[object.kind].platformDefaults[child.field]
  return (
    defaults !== undefined &&
    !child.kind.fixedSet &&
    children.length === defaults.length &&
    children.every(isUntouchedInFull)
  )
}

const isUntouchedInFull = (object: LiveObject): boolean =>
  asPlatformMadeIt(object) && object.children.every(isUntouchedInFull)

/** Whether an object of a fixed set is as the platform created it. */
export const isUntouched = (object: LiveObject): boolean => catalog[object.kind].fixedSet && asPlatformMadeIt(object)

function asPlatformMadeIt(object: LiveObject): boolean {
  const made = platformObject(object)
  if (!made) return false
  const fields = ownFields(catalog[object.kind]).filter(isWritable)
  return fields.every((field) => {
    const live = object.fields[field.name]
    return live === undefined || sameValue(field.type, made[field.name] ?? field.default, live, undefined)
  })
}

/**
 * The fields of a live object in the form of plans and records, in the order of the kind's table: references by name, datetimes
 * in the form of the document. Secrets are not masked: the caller must mask them before it shows them.
 */
export function liveFields(object: LiveObject, live: LiveIndex): JsonObject {
  const { fields } = catalog[object.kind]
  const known = Object.values(fields).filter((field) => Object.hasOwn(object.fields, field.name))
  const extra = Object.entries(object.fields).filter(([name]) => !Object.hasOwn(fields, name))
  return Object.fromEntries([
    ...known.map((field): [string, Json] => [field.name, displayedField(object, field, live)]),
    ...extra,
  ])
}

function displayedField(object: LiveObject, field: Field, live: LiveIndex): Json {
  const value = object.fields[field.name] ?? null
  return referredKind(field) ? displayedReferences(object, field, value, live) : displayedValue(field, value)
}

/** A live value that is not a reference. */
export const displayedValue = (field: Field | undefined, value: Json): Json =>
  field && elementOf(field.type).is === 'datetime' && typeof value === 'number' ? datetimeText(value) : value
