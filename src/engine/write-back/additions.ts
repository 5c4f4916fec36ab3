import { catalog } from '../../catalog/catalog.js'
import { type ChildField, childFields, isFieldOfParent, kinds, ownFields } from '../../catalog/queries.js'
import { memberName, shapes } from '../../catalog/shapes.js'
import type { Field, ShapeName } from '../../catalog/types.js'
import { entriesOf, isObject, type Json, type JsonObject } from '../../json/json.js'
import { overlaps, pointerTo } from '../../json/pointer.js'
import type { LiveObject } from '../../live/live-object.js'
import { attributesOf, childrenForm, fieldForm, inlineForm, singleForm } from '../../live/object-form.js'
import type { Resource } from '../../manifest/resource.js'
import type { Edit } from '../../manifest/write/edit.js'
import { resolve } from '../../planner/references/resolve.js'
import { targetKey } from '../../planner/references/scope.js'
import { type Deciding, setEdit } from './deciding.js'

/** Edits for everything that a new export of the object would contain and that its manifest does not. */
export function missingFields(resource: Resource, live: LiveObject, deciding: Deciding): readonly Edit[] {
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

export function childEdits(resource: Resource, live: LiveObject, deciding: Deciding): readonly Edit[] {
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
