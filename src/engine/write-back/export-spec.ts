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
 * What an export reads: everything, or the trees of some kinds and the names of what they refer to. Links that cost a
 * request for each object are all read where manifests written so far hold some of them; what the document does not have, and
 * answers do not tell, if it is written or was applied, or everything is asked for.
 */
export function exportSpec(
  names: readonly KindName[],
  manifests: Written,
  base: Base | undefined,
  fullness: Fullness = 'short',
): ReadSpec {
  const written = manifests.resources
  const needed = extrasNeeded(manifests, base)
  const extrasOf = fullness === 'full' ? (holder: Holder) => !isLinked(holder) || (needed?.(holder) ?? false) : needed
  const spec = { ...withExtraFields(treesOf(names), written), extrasOf }
  return spec.linksOf === 'all' && !written.some(hasLinks) ? { ...spec, linksOf: 'if made' } : spec
}

type Written = Pick<Manifests, 'resources' | 'removals'>

/** Which of its objects a link picks would cost a request for each of them: only what manifests write is asked for (A316). */
const isLinked = ({ kind }: Holder): boolean => catalog[kind].association !== undefined

/** Fields that the catalogue does not know are answered to whoever asks for them by name. */
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

/** A link that is read in a collection of its own. */
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
        // Whether an area has roles of its own decides whether services are asked for theirs.
        const own = each.platformOwned
        if (!fields.has(each.name)) fields.set(each.name, own ? [own.field] : [])
      }
    }
  }
  return { fields, refused: 'left out', linksOf: fullSpec(inside.map((kind) => kind.name)).linksOf }
}
