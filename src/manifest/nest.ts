import { catalog } from '../catalog/catalog.js'
import { inverseReferenceOf, isFieldOfParent, metadataWord } from '../catalog/queries.js'
import { referenceForm } from '../catalog/reference-form.js'
import type { KindName } from '../catalog/types.js'
import { append, groupBy } from '../json/groups.js'
import { entriesOf, isObject, type Json, type JsonObject, objectOf } from '../json/json.js'
import { by } from '../json/order.js'
import { duplicateObject } from '../problems/manifests.js'
import type { ReportProblem } from '../problems/problem.js'
import { addressOfAncestors } from './ancestors.js'
import type { InverseReference, ObjectCollector } from './object-collector.js'
import { noRanges, withRanges } from './ranges.js'
import { rangeAt } from './reference-use.js'
import type { Name, Resource } from './resource.js'
import { placeOf, type SourceRange } from './source.js'

/** Merges stand-alone documents of links into the field of their parent that holds them, if the parent writes that field. */
export function mergeLinks(resources: readonly Resource[], report: ReportProblem): readonly Resource[] {
  const links = resources.filter((resource) => isFieldOfParent(catalog[resource.kind]))
  if (links.length === 0) return resources
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]))
  const nested = new Set<Resource>()
  const lists = groupBy([...links].sort(by(({ address }) => address)), ({ parent, kind }) => `${parent}\n${kind}`)
  for (const [first, ...others] of lists.values()) {
    const field = first && catalog[first.kind].parent?.field
    const parent = first?.parent === undefined ? undefined : byAddress.get(first.parent)
    if (!first || !parent || field === undefined || parent.fields[field] === undefined) continue
    for (const link of [first, ...others]) nested.add(link)
    byAddress.set(parent.address, withLinks(parent, field, [first, ...others], report))
  }
  return resources.filter((resource) => !nested.has(resource)).map((each) => byAddress.get(each.address) ?? each)
}

/** The object with these links in one of its lists. There may be thousands, so the list is not searched for each of them. */
function withLinks(parent: Resource, field: string, links: readonly Resource[], report: ReportProblem): Resource {
  const entries = [...entriesOf(parent.fields[field])]
  const known = groupBy(entries.keys(), (index) => objectOf(entries[index]).name)
  const places = new Map<string, SourceRange>()
  const merged = { ...parent, ranges: withRanges(parent.ranges, places) }
  for (const link of links) {
    const same = known.get(link.key)?.find((index) => sameId(objectOf(entries[index]).id, link.id))
    if (same !== undefined) {
      const other = placeOf(rangeAt(merged, `/${field}/${same}`))
      report(duplicateObject(placeOf(link.range), link.address, other, 'by id'))
      continue
    }
    append(known, link.key, entries.length)
    places.set(`/${field}/${entries.length}`, link.range)
    entries.push({ name: link.key, ...idMember(link), ...link.fields })
  }
  return { ...merged, fields: { ...parent.fields, [field]: entries } }
}

const sameId = (left: Json | undefined, right: string | undefined): boolean =>
  left === undefined || right === undefined || left === right

const idMember = ({ id }: { readonly id?: string | undefined }): { readonly id?: string } =>
  id === undefined ? {} : { id }

/**
 * Merges objects that name their list (`Endpoint.scheduledMaintenanceEvent`) into that list: among its entries if the list is
 * written, otherwise as additions. If no manifest declares the object with the list, that object is implicit.
 */
export function mergeInverseReferences(
  resources: readonly Resource[],
  inverseReferences: readonly InverseReference[],
  pinned: ObjectCollector['pinned'],
): readonly Resource[] {
  if (inverseReferences.length === 0) return resources
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]))
  const related = inverseReferences.flatMap((inverseReference) => relatedEntry(inverseReference, pinned) ?? [])
  const lists = groupBy(related.sort(by(({ text }) => text)), ({ address, field }) => `${address}\n${field}`)
  for (const [first, ...others] of lists.values()) {
    if (!first) continue
    const target = byAddress.get(first.address) ?? implicitResource(first)
    byAddress.set(first.address, withEntries(target, first.field, [first, ...others]))
  }
  return [...byAddress.values()]
}

interface Related {
  readonly address: string
  readonly kind: KindName
  readonly to: Name
  readonly field: string
  readonly entry: JsonObject
  readonly text: string
  readonly range: SourceRange
}

function relatedEntry(inverseReference: InverseReference, pinned: ObjectCollector['pinned']): Related | undefined {
  const { from, range } = inverseReference
  const source = catalog[from.kind]
  const field = source.fields[inverseReference.field]
  const list = field && inverseReferenceOf(source, field)
  if (field?.type.is !== 'reference' || !list) return undefined
  const kind = field.type.kind
  // Objects with such a list are of a kind at the root: the name alone identifies them.
  const [to] = pinned([{ kind, ...inverseReference.to }], () => range)
  const address = to && addressOfAncestors([to])
  if (!to || address === undefined) return undefined
  const words = referenceForm(catalog[kind], from.kind).parents
  const parents = from.ancestors.filter((ancestor) => words.includes(metadataWord(catalog[ancestor.kind])))
  const entry = {
    ...Object.fromEntries(
      parents.map((parent) => [metadataWord(catalog[parent.kind]), { name: parent.name, ...idMember(parent) }]),
    ),
    name: from.key,
    ...idMember(from),
  }
  return { address, kind, to, field: list.name, entry, text: JSON.stringify(entry), range }
}

/**
 * The object with these entries in one of its lists, each once. There may be thousands of entries, so the list is not searched
 * for each of them.
 */
function withEntries(target: Resource, field: string, related: readonly Related[]): Resource {
  const written = target.fields[field]
  if (written === undefined) {
    return { ...target, additions: { ...target.additions, [field]: related.map(({ entry }) => entry) } }
  }
  const entries = [...entriesOf(written)]
  const words = Object.keys(related[0]?.entry ?? {}).filter((word) => word !== 'id')
  const known = groupBy(entries.filter(isObject), (entry) => namesKey(entry, words))
  const places = new Map<string, SourceRange>()
  for (const { entry, range } of related) {
    const names = namesKey(entry, words)
    if (known.get(names)?.some((each) => sameIds(each, entry))) continue
    places.set(`/${field}/${entries.length}`, range)
    entries.push(entry)
    append(known, names, entry)
  }
  return { ...target, fields: { ...target.fields, [field]: entries }, ranges: withRanges(target.ranges, places) }
}

/** The names in an entry: its own, and those of the parents that it names. Ids are not included. */
const namesKey = (entry: JsonObject, words: readonly string[]): string =>
  JSON.stringify(words.map((word) => objectOf(entry[word]).name ?? entry[word] ?? null))

/** Whether two entries with the same names name the same object. Ids are compared if both entries have them. */
const sameIds = (left: JsonObject, right: JsonObject): boolean =>
  Object.entries(right).every(([key, value]) => {
    const other = left[key]
    if (key === 'id') return typeof value !== 'string' || sameId(other, value)
    return !isObject(value) || !isObject(other) || sameIds(other, value)
  })

/** An object of which manifests give only entries for its lists. */
export function implicitResource({
  address,
  kind,
  to,
  range,
}: Pick<Related, 'address' | 'kind' | 'to' | 'range'>): Resource {
  return {
    kind,
    address,
    parent: undefined,
    ancestors: [],
    isInside: false,
    owner: undefined,
    key: to.name,
    id: to.id,
    formerly: [],
    labels: {},
    protect: false,
    ignore: [],
    sensitive: [],
    unavailable: [],
    fields: {},
    additions: {},
    inverseReferences: {},
    wholeLists: [],
    removedChildren: [],
    implicit: true,
    range,
    ranges: noRanges,
  }
}
