import { catalog } from '../../catalog/catalog.js'
import {
  elementOf,
  metadataWord,
  type PickedField,
  pickedFields,
  referredKind,
  targetOf as targetKindOf,
} from '../../catalog/queries.js'
import { linkValues } from '../../catalog/reference-form.js'
import type { Field, KindName } from '../../catalog/types.js'
import { asList, isList as isListOf, isObject, type Json } from '../../json/json.js'
import type { Resource } from '../../manifest/resource.js'
import type { Located } from '../match/locate.js'
import type { ReferenceEntry } from '../plan.js'
import {
  allUnder,
  type BrokenReference,
  find,
  isBroken,
  type ReferenceName,
  type ReferenceScope,
  referenceTarget,
  targetKey,
} from './scope.js'
import { ownerOf, writtenNames } from './written.js'

/** References with live ids, or with addresses of objects that the plan creates; and the references that lead nowhere. */
export interface Resolved {
  readonly entries: readonly ReferenceEntry[]
  readonly broken: readonly BrokenReference[]
}

/** Resolves the value of a field of a resource. The result is empty for a field without references. */
export function resolve(resource: Resource, field: Field, written: Json, scope: ReferenceScope): Resolved {
  const kind = referredKind(field)
  if (kind === undefined || written === null) return none
  const use = { from: resource, kind, at: `/${field.name}` }
  const parent = parentFor(resource, kind, scope)
  if (written === '*') {
    if (!parent || isBroken(parent)) return joinedReferences([parent ? brokenOnly(parent) : none])
    return joinedReferences(allUnder(kind, parent, scope).map((located) => resolvedEntry(located, written, use, scope)))
  }
  const list = asList(written)
  const isList = elementOf(field.type) !== field.type
  const found = list.map((each, index) => {
    const place = isList ? { ...use, at: `${use.at}/${index}` } : use
    const located = locateEntry(each, place, parent && !isBroken(parent) ? parent : undefined, scope)
    if (!located) return none
    return isBroken(located) ? brokenOnly(located) : resolvedEntry(located, each, place, scope)
  })
  return joinedReferences(parent && isBroken(parent) ? [brokenOnly(parent), ...found] : found)
}

/** Resolves the linked object of a link: the service of a plan service. */
export function resolveLink(resource: Resource, scope: ReferenceScope): Resolved {
  const kind = catalog[resource.kind].association
  if (!kind) return none
  const found = find({ from: resource, at: '', kind, name: linkName(resource), parent: undefined }, scope)
  return isBroken(found) ? brokenOnly(found) : { entries: [plainEntry(found, scope)], broken: [] }
}

const none: Resolved = { entries: [], broken: [] }

const brokenOnly = (broken: BrokenReference): Resolved => ({ entries: [], broken: [broken] })

/** Joins the results. Two names of one object are one reference. */
function joinedReferences(parts: readonly Resolved[]): Resolved {
  const byTarget = new Map(parts.flatMap(({ entries }) => entries.map((entry) => [targetKey(entry.target), entry])))
  return { entries: [...byTarget.values()], broken: parts.flatMap(({ broken }) => broken) }
}

/** The position of a reference, and the kind of its target. */
interface ReferenceSite {
  readonly from: Resource
  readonly at: string
  readonly kind: KindName
}

function locateEntry(
  written: Json,
  { kind, ...use }: ReferenceSite,
  home: Located | undefined,
  scope: ReferenceScope,
): Located | BrokenReference | undefined {
  const [name] = writtenNames([written])
  if (!name) return undefined
  const target = targetKindOf(catalog[kind])
  if (!target.parent) return find({ ...use, kind: target.name, name, parent: undefined }, scope)
  // A reference to a child names its parent, unless the field itself determines the parent.
  const parentKind = target.parent.kind
  const own = isObject(written) ? writtenNames([written[metadataWord(catalog[parentKind])] ?? null])[0] : undefined
  const parent = own ? find({ ...use, kind: parentKind, name: own, parent: undefined }, scope) : home
  return !parent || isBroken(parent) ? parent : find({ ...use, kind: target.name, name, parent }, scope)
}

function resolvedEntry(located: Located, written: Json, use: ReferenceSite, scope: ReferenceScope): Resolved {
  const entry = {
    ...plainEntry(located, scope),
    owner: ownerOf(use.kind, written),
    extra: linkValues(use.kind, written),
  }
  const [picked] = pickedFields(catalog[use.kind])
  const inner = innerOf(written, picked)
  if (!picked || inner === undefined) return { entries: [entry], broken: [] }
  const { field, picks, kind } = picked
  const found = inside(located, inner, { ...use, kind: kind.name, at: `${use.at}/${field}` }, scope)
  const { entries, broken } = joinedReferences(found)
  return { entries: [{ ...entry, nested: { field, picks, entries } }], broken }
}

/** The written picks inside a reference. "*" means all if any number can be picked, and none if at most one can be picked. */
function innerOf(written: Json, picked: PickedField | undefined): Json | undefined {
  const isMany = picked?.picks === 'any'
  if (written === '*') return isMany ? '*' : undefined
  const inner = picked && isObject(written) ? written[picked.field] : undefined
  return inner === null && isMany ? undefined : inner
}

/** Resolves the picks inside a reference. "*" means all objects that will exist after the plan. */
function inside(parent: Located, written: Json, use: ReferenceSite, scope: ReferenceScope): readonly Resolved[] {
  if (written === '*') return allUnder(use.kind, parent, scope).map((each) => resolvedEntry(each, written, use, scope))
  const isList = isListOf(written)
  return asList(written).flatMap((each, index) => {
    const [name] = writtenNames([each])
    if (!name) return []
    const place = isList ? { ...use, at: `${use.at}/${index}` } : use
    const found = find({ ...place, name, parent }, scope)
    return isBroken(found) ? brokenOnly(found) : resolvedEntry(found, each, place, scope)
  })
}

const plainEntry = (located: Located, { removals }: ReferenceScope): ReferenceEntry => ({
  target: referenceTarget(located, removals),
  name: located.resource?.key ?? located.live?.key ?? '',
  owner: undefined,
  extra: {},
  nested: undefined,
})

/** The name of a link's linked object. */
const linkName = ({ key, id }: Resource) => (id === undefined ? { name: key } : { name: key, id })

/**
 * The parent in which a resource's references to children are looked up if they name none: the linked service, the key's package,
 * or an ancestor of the resource.
 */
function parentFor(
  resource: Resource,
  referred: KindName,
  scope: ReferenceScope,
): Located | BrokenReference | undefined {
  const kind = catalog[referred].parent?.kind
  if (!kind) return undefined
  const own = catalog[resource.kind]
  const reference = { from: resource, kind, parent: undefined } satisfies Partial<ReferenceName>
  if (own.association === kind) return find({ ...reference, at: '', name: linkName(resource) }, scope)
  const sibling = Object.values(own.fields).find((field) => referredKind(field) === kind)
  const written = sibling && resource.fields[sibling.name]
  if (sibling && isObject(written)) {
    const [name] = writtenNames([written])
    return name && find({ ...reference, at: `/${sibling.name}`, name }, scope)
  }
  const answered = sibling && scope.names.matched.get(resource.address)?.fields[sibling.name]
  if (isObject(answered)) {
    const live = scope.names.live.byId(kind, String(answered.id))
    return live && { address: scope.names.addressOfLive(live), resource: undefined, live }
  }
  const ancestor = resource.ancestors.find((each) => each.kind === kind)
  if (!ancestor) return undefined
  const found = scope.names.locate(kind, ancestor, undefined)
  return typeof found === 'string' ? undefined : found
}
