import { catalog } from '../catalog/catalog.js'
import { apiVersion, isNamedOpenly } from '../catalog/metadata-keys.js'
import {
  type ChildField,
  childFields,
  givenByParent,
  hasSecretName,
  isWritable,
  ownFields,
  owningList,
  referredKind,
} from '../catalog/queries.js'
import type { Field, Kind } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import type { Json, JsonObject } from '../json/json.js'
import { notWritableValue, unnamedObject } from '../problems/write-back.js'
import { escaped, variablePlaceholder } from './escape.js'
import type { FormContext } from './form-context.js'

import type { LiveObject } from './live-object.js'

import { referencesForm } from './references-form.js'

import { emptyForm, valueForm } from './value-form.js'

/** The manifest of a root object. */
export function documentForm(object: LiveObject, context: FormContext): JsonObject {
  const spec = contentsOf(object, context)
  const metadata = { name: escaped(object.key), ...(context.names.isAmbiguous(object) ? { id: object.id } : {}) }
  return { apiVersion, kind: object.kind, metadata, ...(Object.keys(spec).length === 0 ? {} : { spec }) }
}

/** An owned child as it stands in its parent; undefined where no manifest can name it. */
export function inlineForm(object: LiveObject, context: FormContext): JsonObject | undefined {
  const kind = catalog[object.kind]
  if (isNamedOpenly(kind) && object.key === '') {
    context.report(unnamedObject(context.names.addressOf(object), object.id))
    return undefined
  }
  const id = context.names.isAmbiguous(object) ? object.id : undefined
  return {
    ...namingForm(object, kind, context),
    ...(kind.linkTo && id !== undefined ? { id } : {}),
    ...contentsOf(object, context),
    ...(kind.linkTo || id === undefined ? {} : { metadata: { id } }),
  }
}

function namingForm(object: LiveObject, kind: Kind, context: FormContext): JsonObject {
  if (kind.naming === undefined) return {}
  if (!hasSecretName(kind)) return { [kind.naming]: escaped(object.key) }
  const placeholder = secretForm(object, kind.naming, context)
  return placeholder === undefined ? {} : { [kind.naming]: placeholder }
}

/** Everything that an object says and holds, its name apart, in the order in which people write it. */
function contentsOf(object: LiveObject, context: FormContext): JsonObject {
  const kind = catalog[object.kind]
  const contents: Record<string, Json> = {}
  for (const field of inWritingOrder(kind)) {
    const form = fieldForm(object, field, context)
    if (form !== undefined) contents[field.name] = form
  }
  for (const child of childrenInWritingOrder(kind)) {
    const form = childrenForm(object, child, context)
    if (form !== undefined) contents[child.field] = form
  }
  return contents
}

/** What a new object must have comes first, then what makes its address, then the rest as in the document's table. */
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

/** Children that exist once first; the lists from the last of the table on, so that the deepest one ends the object. */
function childrenInWritingOrder(kind: Kind): readonly ChildField[] {
  const children = childFields(kind)
  return [...children.filter((child) => child.single), ...children.filter((child) => !child.single).reverse()]
}

/** One own field as manifests write it; undefined where there is nothing to write. */
export function fieldForm(object: LiveObject, field: Field, context: FormContext): Json | undefined {
  const kind = catalog[object.kind]
  const isElsewhere = field.name === kind.naming || field.name === givenByParent(kind) || owningList(kind, field)
  if (!isWritable(field) || isElsewhere) return undefined
  if (field.secret) return secretForm(object, field.name, context)
  const live = object.fields[field.name]
  if (live === undefined) return undefined
  if (referredKind(field)) return referencesForm(object, field, live, context)
  const byDefault = bornValue(object, field) ?? field.default
  if (sameValue(field.type, undefined, live, byDefault) && !isEmptied(object, field, live)) {
    const isKept = context.fullness === 'full' && live !== null
    if (!isKept) return undefined
  }
  if (live === null) return emptyForm(field.type)
  const form = valueForm(field.type, live, context.fullness)
  if (form === undefined) context.report(notWritableValue(context.names.addressOf(object), field.name))
  return form
}

/** Somebody took away what the platform puts there: that must be written, or a new object gets it. */
function isEmptied(object: LiveObject, field: Field, live: Json): boolean {
  if (Array.isArray(live)) return live.length === 0 && field.default !== undefined
  return live === null && !sameValue(field.type, undefined, bornObject(object)?.[field.name], undefined)
}

function secretForm(object: LiveObject, field: string, context: FormContext): Json | undefined {
  const variable = context.variables.get(object)?.get(field)
  return variable && variablePlaceholder(variable.name)
}

/** What the platform puts into that field of an object that it makes by itself: the texts of an error message. */
function bornValue(object: LiveObject, field: Field): Json | undefined {
  return catalog[object.kind].fixedSet ? bornObject(object)?.[field.name] : undefined
}

function bornObject(object: LiveObject): JsonObject | undefined {
  const { parent, naming } = catalog[object.kind]
  if (!parent || naming === undefined) return undefined
  return catalog[parent.kind].bornWith[parent.field]?.find((each) => each[naming] === object.key)
}

/** The children of one field; undefined where there is nothing to write. */
export function childrenForm(object: LiveObject, child: ChildField, context: FormContext): Json | undefined {
  const children = object.children.filter((each) => each.kind === child.kind.name)
  if (child.single) return children.map((each) => singleForm(each, context))[0]
  if (context.fullness === 'short' && isAsBorn(object, child, children)) return undefined
  const forms = children.filter((each) => !isUntouched(each)).flatMap((each) => inlineForm(each, context) ?? [])
  if (forms.length > 0) return forms
  const mayBeEmpty = !child.kind.fixedSet && !catalog[object.kind].atLeastOne.includes(child.field)
  return context.fullness === 'full' && mayBeEmpty ? [] : undefined
}

/** A child that exists once and says nothing is not written: platforms show one everywhere. */
export function singleForm(object: LiveObject, context: FormContext): JsonObject | undefined {
  if (isBlank(object, context)) return undefined
  return inlineForm(object, context)
}

const silent = { report: () => undefined }

function isBlank(object: LiveObject, context: FormContext): boolean {
  return Object.keys(contentsOf(object, { ...context, ...silent, fullness: 'short' })).length === 0
}

/** Whether a list holds just what the platform puts there by itself. */
function isAsBorn(object: LiveObject, child: ChildField, children: readonly LiveObject[]): boolean {
  const born = catalog[object.kind].bornWith[child.field]
  return (
    born !== undefined && !child.kind.fixedSet && children.length === born.length && children.every(isUntouchedInFull)
  )
}

const isUntouchedInFull = (object: LiveObject): boolean =>
  sameAsBorn(object) && object.children.every(isUntouchedInFull)

/** One of a fixed set that is as the platform made it. */
const isUntouched = (object: LiveObject): boolean => catalog[object.kind].fixedSet && sameAsBorn(object)

function sameAsBorn(object: LiveObject): boolean {
  const born = bornObject(object)
  if (!born) return false
  const fields = ownFields(catalog[object.kind]).filter(isWritable)
  return fields.every((field) => {
    const live = object.fields[field.name]
    return live === undefined || sameValue(field.type, born[field.name] ?? field.default, live, undefined)
  })
}
