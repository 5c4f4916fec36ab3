import { isNamedOpenly } from '../catalog/metadata-keys.js'
import { givenByParent, perKind } from '../catalog/queries.js'
import { badPointer, missingOnCreate, nameDiffers } from '../problem.js'
import type { Reading } from './reading.js'
import type { Resource } from './resource.js'
import { placeOf } from './source.js'
import { closest } from './suggest.js'

/** What can be told of one object once all its fields are read. */
export function checkObject(reading: Reading, resource: Resource): void {
  checkIgnored(reading)
  checkGivenByParent(reading)
  checkRequired(reading, resource)
}

function checkIgnored({ text, scope }: Reading): void {
  const written = text.entries.map((entry) => entry.key)
  for (const { pointer, mark } of text.metadata.ignore) {
    const [, first = ''] = pointer.split('/')
    if (Object.hasOwn(text.kind.fields, first) || written.includes(first)) continue
    const suggestion = closest(first, Object.keys(text.kind.fields))
    scope.report(badPointer(placeOf(mark), pointer, suggestion === undefined ? undefined : `/${suggestion}`))
  }
}

/** What the parent gives may be repeated, with the parent's value. */
function checkGivenByParent({ text, scope, fields, marks }: Reading): void {
  const given = givenByParent(text.kind)
  const parent = text.ancestors.at(-1)
  const value = given === undefined ? undefined : fields.get(given)
  if (given === undefined || !parent || typeof value !== 'string' || value === parent.name) return
  scope.report(nameDiffers(placeOf(marks[`/${given}`] ?? text.mark), `${text.kind.name}.${given}`, value, parent.name))
}

const neededFields = perKind((kind) =>
  Object.values(kind.fields).filter(
    (field) =>
      field.create === 'Req' &&
      field.readOnly === undefined &&
      field.name !== kind.naming &&
      field.name !== givenByParent(kind),
  ),
)

/** A pinned object exists, and a link is made by naming it: neither lacks anything. */
function checkRequired({ text, scope }: Reading, resource: Resource): void {
  const { kind, entries } = text
  if (kind.linkTo || kind.fixedSet || kind.blocked.create !== undefined || resource.id !== undefined) return
  const missing = neededFields(kind).filter((field) => !entries.some((entry) => entry.key === field.name))
  if (missing.length === 0) return
  const what = isNamedOpenly(kind) ? `${kind.name} "${resource.key}"` : `this ${kind.name}`
  scope.report(
    missingOnCreate(
      placeOf(text.mark),
      what,
      missing.map((field) => field.name),
    ),
  )
}
