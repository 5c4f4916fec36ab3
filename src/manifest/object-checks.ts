import { hostIn, isHostName } from '../catalog/domains.js'
import { isNamedOpenly } from '../catalog/metadata-keys.js'
import { attributeField, childField, givenByParent, isWritable, perKind, wordsForName } from '../catalog/queries.js'
import { ownValue } from '../catalog/record.js'
import { documentName, shapes } from '../catalog/shapes.js'
import type { FieldType, Kind } from '../catalog/types.js'
import { holdsHosts, parseDatetime } from '../catalog/value.js'
import { asList, isList } from '../json/json.js'
import { keysOf, pointerTo } from '../json/pointer.js'
import {
  badPointer,
  missingOnCreate,
  nameDiffers,
  notHost,
  notInOrder,
  outOfRange,
  pointerToChildren,
} from '../problems/manifests.js'
import type { Place, ReportProblem } from '../problems/problem.js'
import { isMistyped, nearest } from '../problems/suggest.js'
import type { Entry } from './node.js'
import type { ObjectText } from './object-text.js'
import type { ObjectReading } from './reading.js'
import { rangeAt } from './reference-use.js'
import type { Resource } from './resource.js'
import { hide, placeOf } from './source.js'
import { hasPlaceholders } from './values.js'

/** Checks one object after all its fields are read. */
export function checkObject(reading: ObjectReading, resource: Resource): void {
  checkPointers(reading)
  checkGivenByParent(reading, resource)
  checkRequired(reading, resource)
  checkValues(reading, resource)
}

/** Checks the values alone, whatever else the object has. */
export function checkValues(reading: ObjectReading, resource: Resource): void {
  checkRanges(reading, resource)
  checkOrder(reading, resource)
  checkHosts(reading, resource)
}

function checkPointers({ text, scope }: ObjectReading): void {
  const { ignore, sensitive, without } = text.metadata
  if (ignore.length + sensitive.length + without.length === 0) return
  for (const { pointer, range } of [...ignore, ...sensitive, ...without]) {
    checkPointer(pointer, text, placeOf(range), scope.report)
  }
}

/**
 * Reports a JSON Pointer that leads neither to a field of a kind, nor to a member of one, nor to another written value. A pointer
 * to an owned child is reported as well: children have metadata of their own.
 */
export function checkPointer(
  pointer: string,
  { kind, entries }: Pick<ObjectText, 'kind' | 'entries'>,
  place: Place,
  report: ReportProblem,
): void {
  const path = keysOf(pointer).map(documentName)
  const child = childField(kind, path[0] ?? '')
  if (child) {
    report(pointerToChildren(place, pointer, child.kind.name))
    return
  }
  const end = endOf(path, kind)
  if (end === undefined || isWritten(path.slice(0, end.at + 1), entries)) return
  const above = path.slice(0, end.at)
  const near = nearest(path[end.at] ?? '', end.known)
  const isBelowValue = end.known.length === 0
  report(badPointer(place, pointer, isBelowValue ? pointerTo(...above) : near && pointerTo(...above, near)))
}

interface End {
  readonly at: number
  /** The names that are possible there. */
  readonly known: readonly string[]
}

/** Where a path leaves the fields of a kind; undefined if it does not. */
function endOf([first = '', ...members]: readonly string[], kind: Kind): End | undefined {
  const { fields } = kind
  const known = Object.keys(fields)
  const field = ownValue(fields, first)
  // A name that is similar to that of a field counts as a typing mistake (A224).
  const type = (field ?? (nearest(first, known) === undefined ? attributeField(kind, first) : undefined))?.type
  return type ? endBelow(type, members, 1) : { at: 0, known }
}

function endBelow(type: FieldType, [name, ...inner]: readonly string[], at: number): End | undefined {
  if (name === undefined) return undefined
  // The content of maps and lists is not known.
  if (type.is !== 'shape') return withContents.includes(type.is) ? undefined : { at, known: [] }
  const members = shapes[type.shape]
  const member = ownValue(members, name)
  return member ? endBelow(member.type, inner, at + 1) : { at, known: Object.keys(members) }
}

const withContents: readonly FieldType['is'][] = ['map', 'list', 'child', 'reference', 'domain']

function isWritten([first = '', ...members]: readonly string[], entries: readonly Entry[]): boolean {
  const value = entries.find(({ key }) => key === first)?.value
  return value !== undefined && (members.length === 0 || (value.is === 'map' && isWritten(members, value.entries)))
}

/** A field that the parent gives may be written again, with the parent's value. */
function checkGivenByParent({ text, scope, fields }: ObjectReading, { ranges }: Resource): void {
  const given = givenByParent(text.kind)
  const parent = text.ancestors.at(-1)
  if (given === undefined || !parent) return
  const value = fields.find((field) => field.name === given)?.value
  if (typeof value !== 'string' || value === parent.name) return
  const range = ranges.at(`/${given}`) ?? text.range
  scope.report(nameDiffers(placeOf(range), `${text.kind.name}.${given}`, value, parent.name))
}

const rangedFields = perKind((kind) => Object.values(kind.fields).filter((field) => field.range !== undefined))

function checkRanges({ text, scope }: ObjectReading, resource: Resource): void {
  for (const { name, range } of rangedFields(text.kind)) {
    const value = resource.fields[name]
    if (!range || typeof value !== 'number' || (value >= range[0] && value <= range[1])) continue
    const displayed = resource.sensitive.includes(pointerTo(name)) ? undefined : value
    scope.report(outOfRange(placeOf(rangeAt(resource, `/${name}`)), `${text.kind.name}.${name}`, displayed, range))
  }
}

function checkOrder({ text, scope }: ObjectReading, resource: Resource): void {
  for (const [first, second] of text.kind.inOrder) {
    const [start, end] = [parseDatetime(resource.fields[first]), parseDatetime(resource.fields[second])]
    if (start === undefined || end === undefined || start <= end) continue
    scope.report(notInOrder(placeOf(rangeAt(resource, `/${second}`)), `${text.kind.name}.${second}`, first))
  }
}

const hostFields = perKind((kind) => Object.values(kind.fields).filter(({ type }) => holdsHosts(type)))

/** Reports a URL in the place of a host: platforms take it as a name, or refuse it, and it never reaches the host. */
function checkHosts({ text, scope }: ObjectReading, resource: Resource): void {
  for (const { name } of hostFields(text.kind)) {
    const value = resource.fields[name]
    if (value === undefined || value === null) continue
    const isSecret = resource.sensitive.includes(pointerTo(name))
    for (const [index, host] of asList(value).entries()) {
      if (typeof host !== 'string' || isHostName(host) || hasPlaceholders(host)) continue
      const range = rangeAt(resource, isList(value) ? pointerTo(name, String(index)) : pointerTo(name))
      // The text before an "@" may be a login.
      const isHidden = isSecret || host.includes('@')
      if (isHidden) hide(range)
      scope.report(
        notHost(
          placeOf(range),
          `${text.kind.name}.${name}`,
          isHidden ? undefined : host,
          isSecret ? undefined : hostIn(host),
        ),
      )
    }
  }
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

const writableNames = perKind((kind) =>
  Object.values(kind.fields)
    .filter(isWritable)
    .map(({ name }) => name),
)

/** Whether a field is written under a mistyped name, which is reported as unknown. */
export const isMistypedField = (kind: Kind, name: string, entries: readonly Entry[]): boolean =>
  isMistyped(
    name,
    entries.map(({ key }) => key),
    writableNames(kind),
    name === kind.naming ? wordsForName(kind) : [],
  )

/** A pinned object exists already, and a link only names an object: neither needs more fields. */
function checkRequired({ text, scope, collector }: ObjectReading, resource: Resource): void {
  const { kind, entries } = text
  if (kind.association || kind.fixedSet || kind.blocked.create !== undefined || resource.id !== undefined) return
  const needed = neededFields(kind)
  if (needed.length === 0) return
  const missing = needed.filter(
    ({ name }) =>
      !entries.some((entry) => entry.key === name) &&
      (scope.extraFields === 'pass' || !isMistypedField(kind, name, entries)),
  )
  if (missing.length === 0) return
  const what = isNamedOpenly(kind) && resource.key !== '' ? `${kind.name} "${resource.key}"` : `this ${kind.name}`
  const fields = missing.map((field) => field.name)
  const problem = missingOnCreate(placeOf(text.range), what, fields)
  if (missing.every((field) => field.secret)) collector.lacksSecrets({ kind: kind.name, fields, alone: problem })
  else scope.report(problem)
}
