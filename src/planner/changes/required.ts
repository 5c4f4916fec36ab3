import { catalog } from '../../catalog/catalog.js'
import { perKind } from '../../catalog/queries.js'
import { isObject } from '../../json/json.js'
import { overlaps, pointerTo } from '../../json/pointer.js'
import type { Resource } from '../../manifest/resource.js'
import { placeOf } from '../../manifest/source.js'
import { requiredFieldsMissing } from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import type { FieldValues, PlanSettings } from '../plan.js'

/** A problem if a create or an update with these values does not have all fields that the interface requires. */
export function lacking(
  resource: Resource,
  values: FieldValues,
  operation: keyof typeof requiredFields,
  { madeFor }: PlanSettings,
): readonly Problem[] {
  const isForeseen = madeFor === undefined || (madeFor === 'rollback' && operation === 'update')
  return isForeseen ? lackingIn(resource, values, operation) : []
}

/** The same, whatever the purpose of the plan is. */
export function lackingIn(
  resource: Resource,
  values: FieldValues,
  operation: keyof typeof requiredFields,
): readonly Problem[] {
  const kind = catalog[resource.kind]
  // If an object cannot be written at all, it is blocked, and no field is missing.
  if (kind.association || kind.blocked[operation] !== undefined) return []
  const missing = requiredFields[operation](kind)
    .filter((field) => isMissing(values, field.name))
    // An unavailable secret counts as written.
    .filter((field) => !resource.unavailable.some((path) => overlaps(path, pointerTo(field.name))))
    // A reference that leads nowhere counts as written, and already has a problem.
    .filter((field) => !isObject(resource.fields[field.name]))
    .map((field) => field.name)
  return missing.length === 0
    ? []
    : [requiredFieldsMissing(resource.address, operation, missing, placeOf(resource.range))]
}

const requiredFields = {
  create: perKind(({ fields }) =>
    Object.values(fields).filter((field) => field.create === 'Req' && field.readOnly === undefined),
  ),
  update: perKind(({ fields }) => Object.values(fields).filter((field) => field.update === 'Req')),
}

function isMissing(values: FieldValues, name: string): boolean {
  const value = values[name]
  return value === undefined || (value.is === 'value' && (value.value === null || value.value === ''))
}
