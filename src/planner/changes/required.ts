import { catalog } from '../../catalog/catalog.js'
import { perKind } from '../../catalog/queries.js'
import { isObject } from '../../json/json.js'
import { overlaps, pointerTo } from '../../json/pointer.js'
import type { Resource } from '../../manifest/resource.js'
import { placeOf } from '../../manifest/source.js'
import { requiredFieldsMissing } from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import type { FieldValues, PlanSettings } from '../plan.js'

/** A problem if a create or an update with these values lacks what the interface requires of it. */
export function lacking(
  resource: Resource,
  values: FieldValues,
  operation: keyof typeof requiredFields,
  { madeFor }: PlanSettings,
): readonly Problem[] {
  const isForeseen = madeFor === undefined || (madeFor === 'rollback' && operation === 'update')
  return isForeseen ? lackingIn(resource, values, operation) : []
}

/** The same whatever the plan is made for. */
export function lackingIn(
  resource: Resource,
  values: FieldValues,
  operation: keyof typeof requiredFields,
): readonly Problem[] {
  const kind = catalog[resource.kind]
  // What cannot be made at all is blocked, and lacks nothing.
  if (kind.association || kind.blocked[operation] !== undefined) return []
  const missing = requiredFields[operation](kind)
    .filter((field) => isMissing(values, field.name))
    // A secret that is not set here is written all the same.
    .filter((field) => !resource.unavailable.some((path) => overlaps(path, pointerTo(field.name))))
    // A reference that leads nowhere is written, and has been told.
    .filter((field) => !isObject(resource.fields[field.name]))
    .map((field) => field.name)
  return missing.length === 0
    ? []
    : [requiredFieldsMissing(resource.address, operation, missing, placeOf(resource.mark))]
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
