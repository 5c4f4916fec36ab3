import { catalog } from '../../catalog/catalog.js'
import { ancestors, isFieldOfParent, kinds, linkFields, referredKind, rootOf, targetOf } from '../../catalog/queries.js'
import type { Kind, KindName } from '../../catalog/types.js'
import { fullSpec, readableFields } from '../../client/full-read.js'
import type { Holder, ReadSpec } from '../../live/live-object.js'
import type { Fullness } from '../../live/value-form.js'
import type { Manifests, Resource } from '../../manifest/resource.js'
import type { Base } from '../../planner/base/base-object.js'
import { extrasNeeded } from '../../planner/link-holders.js'

/**
 * What an export reads: everything, or the trees of some kinds with the names of the objects to which they refer. If links take a
 * request for each object, they are read only if manifests already contain some. Objects beyond the document that are not in
 * answers are read if they are written, were applied, or if a full export is requested.
 */
export function exportSpec(
  names: readonly KindName[],
  manifests: WrittenManifests,
  base: Base | undefined,
  fullness: Fullness = 'short',
): ReadSpec {
  const written = manifests.resources
  const needed = extrasNeeded(manifests, base)
  const extrasOf = fullness === 'full' ? (holder: Holder) => !isLinked(holder) || (needed?.(holder) ?? false) : needed
  const spec = { ...withExtraFields(treesOf(names), written), extrasOf }
  return spec.linksOf === 'all' && !written.some(hasLinks) ? { ...spec, linksOf: 'if made' } : spec
}

type WrittenManifests = Pick<Manifests, 'resources' | 'removals'>

/**
 * Whether the object is a link. Reading the picks of links would take a request for each, so only those that manifests write are
 * read (A316).
 */
const isLinked = ({ kind }: Holder): boolean => catalog[kind].association !== undefined

/** Adds fields that the catalogue does not know: platforms return them only if they are requested by name. */
function withExtraFields(spec: ReadSpec, written: readonly Resource[]): ReadSpec {
  const fields = new Map(spec.fields)
  for (const { kind, fields: own } of written) {
    const known = fields.get(kind)
    const extra = Object.keys(own).filter(
      (name) => !Object.hasOwn(catalog[kind].fields, name) && !known?.includes(name),
    )
    if (known && extra.length > 0) fields.set(kind, [...known, ...extra])
  }
  return { ...spec, fields }
}

const hasLinks = ({ kind, fields }: Resource): boolean =>
  linkFields(catalog[kind]).some(({ field }) => fields[field] !== undefined) || isLink(catalog[kind])

/** Whether a kind is a link that is read in a separate collection. */
const isLink = (kind: Kind): boolean => kind.association !== undefined && isFieldOfParent(kind)

function treesOf(names: readonly KindName[]): ReadSpec {
  if (names.length === 0) return fullSpec()
  const roots = new Set(names.map((name) => rootOf(catalog[name]).name))
  const inside = kinds.filter((kind) => kind.within === undefined && roots.has(rootOf(kind).name))
  const fields = new Map<KindName, readonly string[]>(inside.map((kind) => [kind.name, readableFields(kind)]))
  for (const kind of inside) {
    for (const referred of [kind.association, ...Object.values(kind.fields).map(referredKind)]) {
      if (referred === undefined) continue
      const target = targetOf(catalog[referred])
      for (const each of [...ancestors(target), target]) {
        // The roles of services are read only if the area has roles that are not the platform's.
        const own = each.platformOwned
        if (!fields.has(each.name)) fields.set(each.name, own ? [own.field] : [])
      }
    }
  }
  return { fields, refused: 'left out', linksOf: fullSpec(inside.map((kind) => kind.name)).linksOf }
}
