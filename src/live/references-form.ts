import { catalog } from '../catalog/catalog.js'
import { metadataWord, referredKind, targetOf } from '../catalog/queries.js'
import { nestedReferenceForm, type ReferenceForm, referenceForm } from '../catalog/reference-form.js'
import type { Field, Kind, KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import { isObject } from '../json/json.js'
import { danglingReference } from '../problems/write-back.js'
import { pathTo } from './area-names.js'
import { escaped } from './escape.js'
import type { FormContext } from './form-context.js'
import type { LiveObject } from './live-object.js'
import { valueForm } from './value-form.js'

type Context = Pick<FormContext, 'names' | 'report' | 'fullness'>

/**
 * The references of one field by name; undefined where there are none to write, or where one of them is to something
 * that has no name here: a list without it would say that it shall go.
 */
export function referencesForm(object: LiveObject, field: Field, live: Json, context: Context): Json | undefined {
  const referred = referredKind(field)
  if (referred === undefined) return undefined
  const entries = listOf(live).filter(isObject)
  if (entries.length === 0) return context.fullness === 'full' && field.type.is === 'list' ? [] : undefined
  const form = referenceForm(catalog[object.kind], referred)
  const forms = entries.map((entry) => entryForm(entry, referred, form, context))
  const known = forms.filter((each) => each !== undefined)
  if (known.length < forms.length) {
    const ids = entries.filter((_, index) => forms[index] === undefined).map((entry) => String(entry.id))
    context.report(danglingReference(context.names.addressOf(object), field.name, ids))
    return undefined
  }
  return field.type.is === 'list' ? [...known].sort(byText) : known[0]
}

const byText = (left: Json, right: Json): number => {
  const [one, other] = [JSON.stringify(left), JSON.stringify(right)]
  if (one === other) return 0
  return one < other ? -1 : 1
}

const listOf = (value: Json | undefined): readonly Json[] => {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? (value as readonly Json[]) : [value]
}

function entryForm(entry: JsonObject, referred: KindName, form: ReferenceForm, context: Context): Json | undefined {
  const kind = catalog[referred]
  const target = context.names.byId(targetOf(kind).name, String(entry.id))
  const name = target?.key || entry.name
  if (typeof name !== 'string' || name === '' || (!target && form.parents.length > 0)) return undefined
  const parents = target ? parentsForm(target, form, context) : {}
  const isPinned = target !== undefined && context.names.isAmbiguous(target)
  const written: JsonObject = {
    ...parents,
    name: escaped(name),
    ...(isPinned ? { id: target.id } : {}),
    ...membersForm(entry, form),
    ...nestedForm(entry, target, form, context),
  }
  return Object.keys(written).length === 1 ? escaped(name) : written
}

/** The parents that a reference must name, each by its name, or by name and id where the name alone is not enough. */
function parentsForm(target: LiveObject, form: ReferenceForm, { names }: Context): JsonObject {
  const above = pathTo(target).filter((each) => form.parents.includes(metadataWord(catalog[each.kind])))
  return Object.fromEntries(
    above.map((each): [string, Json] => [
      metadataWord(catalog[each.kind]),
      names.isAmbiguous(each) ? { name: escaped(each.key), id: each.id } : escaped(each.key),
    ]),
  )
}

function membersForm(entry: JsonObject, { members }: ReferenceForm): JsonObject {
  const written = members.flatMap((field): [string, Json][] => {
    const live = entry[field.name]
    const form = live === undefined || live === null ? undefined : valueForm(field.type, live)
    return form === undefined ? [] : [[field.name, form]]
  })
  return Object.fromEntries(written)
}

/** What is picked inside the object referred to; nothing is said where there is nothing to pick from. */
function nestedForm(
  entry: JsonObject,
  target: LiveObject | undefined,
  { nested }: ReferenceForm,
  context: Context,
): JsonObject {
  const written = nested.flatMap(({ field, kind }): [string, Json][] => {
    const picked = entry[field]
    const isEmptyHanded = target?.children.every((child) => child.kind !== kind.name) ?? false
    if (!Array.isArray(picked) || (isEmptyHanded && picked.length === 0)) return []
    const forms = (picked as readonly Json[]).filter(isObject).map((each) => innerForm(each, kind, context))
    const known = forms.filter((each) => each !== undefined)
    return known.length === forms.length ? [[field, [...known].sort(byText)]] : []
  })
  return Object.fromEntries(written)
}

const innerForm = (entry: JsonObject, kind: Kind, context: Context): Json | undefined =>
  entryForm(entry, kind.name, nestedReferenceForm(kind), context)
