import { catalog } from '../../catalog/catalog.js'
import { childFields, elementOf, metadataWord, referredKind, targetOf as targetKindOf } from '../../catalog/queries.js'
import { linkValues } from '../../catalog/reference-form.js'
import type { Field, KindName } from '../../catalog/types.js'
import { asList, isObject, type Json } from '../../json/json.js'
import type { Resource } from '../../manifest/resource.js'
import type { Located } from '../match/locate.js'
import type { ReferenceEntry } from '../plan.js'
import { linkName, parentFor } from './parent.js'
import { allUnder, type BrokenReference, find, isBroken, type ReferenceScope, targetKey, targetOf } from './scope.js'
import { innerOf, namesIn, ownerOf } from './written.js'

/** References as live ids, or as addresses of objects that the plan creates; and those that lead nowhere. */
export interface Resolved {
  readonly entries: readonly ReferenceEntry[]
  readonly broken: readonly BrokenReference[]
}

/** Resolves what is written in a field of a resource; nothing in a field that refers to nothing. */
export function resolve(resource: Resource, field: Field, written: Json, scope: ReferenceScope): Resolved {
  const kind = referredKind(field)
  if (kind === undefined || written === null) return none
  const use = { from: resource, kind, at: `/${field.name}` }
  const parent = parentFor(resource, kind, scope)
  if (written === '*') {
    if (!parent || isBroken(parent)) return joined([parent ? brokenOnly(parent) : none])
    return joined(allUnder(kind, parent, scope).map((located) => resolvedEntry(located, written, use, scope)))
  }
  const list = asList(written)
  const isList = elementOf(field.type) !== field.type
  const found = list.map((each, index) => {
    const place = isList ? { ...use, at: `${use.at}/${index}` } : use
    const located = locateEntry(each, place, parent && !isBroken(parent) ? parent : undefined, scope)
    if (!located) return none
    return isBroken(located) ? brokenOnly(located) : resolvedEntry(located, each, place, scope)
  })
  return joined(parent && isBroken(parent) ? [brokenOnly(parent), ...found] : found)
}

/** The object that a link stands for: the service of a plan service. */
export function resolveLink(resource: Resource, scope: ReferenceScope): Resolved {
  const kind = catalog[resource.kind].association
  if (!kind) return none
  const found = find({ from: resource, at: '', kind, name: linkName(resource), parent: undefined }, scope)
  return isBroken(found) ? brokenOnly(found) : { entries: [plainEntry(found, scope)], broken: [] }
}

const none: Resolved = { entries: [], broken: [] }

const brokenOnly = (broken: BrokenReference): Resolved => ({ entries: [], broken: [broken] })

/** Two names for one object are one reference. */
function joined(parts: readonly Resolved[]): Resolved {
  const byTarget = new Map(parts.flatMap(({ entries }) => entries.map((entry) => [targetKey(entry.target), entry])))
  return { entries: [...byTarget.values()], broken: parts.flatMap(({ broken }) => broken) }
}

/** Where a reference is written, and the kind that it refers to. */
interface Use {
  readonly from: Resource
  readonly at: string
  readonly kind: KindName
}

function locateEntry(
  written: Json,
  { kind, ...use }: Use,
  home: Located | undefined,
  scope: ReferenceScope,
): Located | BrokenReference | undefined {
  const [name] = namesIn([written])
  if (!name) return undefined
  const target = targetKindOf(catalog[kind])
  if (!target.parent) return find({ ...use, kind: target.name, name, parent: undefined }, scope)
  // A reference to a child names its parent, unless the field itself says which parent that is.
  const parentKind = target.parent.kind
  const own = isObject(written) ? namesIn([written[metadataWord(catalog[parentKind])] ?? null])[0] : undefined
  const parent = own ? find({ ...use, kind: parentKind, name: own, parent: undefined }, scope) : home
  return !parent || isBroken(parent) ? parent : find({ ...use, kind: target.name, name, parent }, scope)
}

function resolvedEntry(located: Located, written: Json, use: Use, scope: ReferenceScope): Resolved {
  const entry = {
    ...plainEntry(located, scope),
    owner: ownerOf(use.kind, written),
    extra: linkValues(use.kind, written),
  }
  const nested = nestedField(use.kind)
  const inner = innerOf(written, nested?.field)
  if (!nested || inner === undefined || inner === null) return { entries: [entry], broken: [] }
  const found = inside(located, inner, { ...use, kind: nested.kind.name, at: `${use.at}/${nested.field}` }, scope)
  const entries = found.flatMap((each) => (isBroken(each) ? [] : [plainEntry(each, scope)]))
  return { entries: [{ ...entry, nested: { field: nested.field, entries } }], broken: found.filter(isBroken) }
}

/** The one list of references that an object referred to carries along: the methods of a plan's endpoint. */
const nestedField = (kind: KindName) => childFields(catalog[kind]).find((child) => !child.single)

/** The objects that a list inside a reference names: "*" is expanded to all that will be there. */
function inside(
  parent: Located,
  written: Json,
  use: Use,
  scope: ReferenceScope,
): readonly (Located | BrokenReference)[] {
  if (written === '*') return allUnder(use.kind, parent, scope)
  return namesIn(written).map((name, index) => find({ ...use, name, parent, at: `${use.at}/${index}` }, scope))
}

const plainEntry = (located: Located, { removals }: ReferenceScope): ReferenceEntry => ({
  target: targetOf(located, removals),
  name: located.resource?.key ?? located.live?.key ?? '',
  owner: undefined,
  extra: {},
  nested: undefined,
})
