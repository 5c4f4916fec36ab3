import { catalog } from '../../catalog/catalog.js'
import { attributeField, inverseReferenceFields, referredKind } from '../../catalog/queries.js'
import { withoutSecrets } from '../../catalog/secret-places.js'
import { memberIn, memberName } from '../../catalog/shapes.js'
import type { Field } from '../../catalog/types.js'
import type { Json } from '../../json/json.js'
import { asList, isList, isObject, sameJson } from '../../json/json.js'
import { bySpelling } from '../../json/order.js'
import { keysOf, pointerTo } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import { fieldForm } from '../../live/object-form.js'
import { type FormContext, referencesForm } from '../../live/references-form.js'
import { emptyForm, valueForm } from '../../live/value-form.js'
import type { Resource } from '../../manifest/resource.js'
import { placeOf } from '../../manifest/source.js'
import type { Edit } from '../../manifest/write/edit.js'
import { differences } from '../../planner/compare/fields.js'
import { isHiddenAt, valueAtPath } from '../../planner/compare/secret-values.js'
import { entriesIn, namedIn } from '../../planner/compare/withdrawals.js'
import type { FieldChange } from '../../planner/plan.js'
import { resolve } from '../../planner/references/resolve.js'
import type { ReferenceScope } from '../../planner/references/scope.js'
import { writtenNames } from '../../planner/references/written.js'
import { notWrittenBack } from '../../problems/write-back.js'
import { childEdits, missingFields } from './additions.js'
import { type Deciding, setEdit } from './deciding.js'
import { nameEdits, referenceEdits } from './rename-edits.js'

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
