import { catalog } from '../../catalog/catalog.js'
import { inverseReferenceFields } from '../../catalog/queries.js'
import { type Json, objectOf } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import { rangeAt } from '../../manifest/reference-use.js'
import { placeOf } from '../../manifest/source.js'
import { ambiguousReference, referencesToRemoved, referenceToNothing } from '../../problems/planning.js'
import type { Problem } from '../../problems/problem.js'
import { limitedNearest } from '../../problems/suggest.js'
import type { Matches } from '../match/match.js'
import type { PossibleRename } from '../match/possible-renames.js'
import type { BrokenReference, Names, PlannedRemovals, ReferenceScope } from './scope.js'

/** Inverse references (`Endpoint.scheduledMaintenanceEvent`) whose target does not exist or would be deleted. */
export function brokenInverseReferences(
  { resources, matched, unclear }: Matches,
  { deleted }: Pick<PlannedRemovals, 'deleted'>,
): readonly BrokenReference[] {
  const all = [...resources.values()]
  const textOf = (...name: readonly (Json | undefined)[]) => JSON.stringify(name)
  const absent = new Map<string, BrokenReference['found']>()
  for (const { implicit, address, kind, key, id } of all) {
    const live = matched.get(address)
    if (!implicit || unclear.has(address) || (live && !deleted.has(live))) continue
    absent.set(textOf(kind, key, id), live ? { address, resource: undefined, live } : 'nothing')
  }
  if (absent.size === 0) return []
  return all.flatMap((from) =>
    inverseReferenceFields(catalog[from.kind]).flatMap(
      ({ field, owner: { name: kind } }): readonly BrokenReference[] => {
        const { name, id } = objectOf(from.inverseReferences[field.name])
        const found = absent.get(textOf(kind, name, id))
        if (typeof name !== 'string' || found === undefined) return []
        const named = { name, ...(typeof id === 'string' && { id }) }
        return [{ from, at: `/${field.name}`, kind, name: named, parent: undefined, found }]
      },
    ),
  )
}

/**
 * The problems of broken references, each reported once. References into one object that would be deleted have one problem
 * together, which names the create that may be its new name.
 */
export function referenceProblems(
  all: readonly BrokenReference[],
  renames: ReadonlyMap<string, PossibleRename>,
  { names, removals }: ReferenceScope,
): readonly Problem[] {
  const problems = new Map<string, Problem>()
  const removed = new Map<LiveObject, Map<string, BrokenReference>>()
  const known = knownNames(names)
  for (const broken of all) {
    const { from, at, kind, name, found } = broken
    const reference = `${from.address} ${at} ${kind} ${name.name} ${name.id ?? ''}`
    if (typeof found !== 'string' && found.live) {
      const gone = outermost(found.live, removals.deleted)
      const others = removed.get(gone) ?? new Map<string, BrokenReference>()
      removed.set(gone, others.set(reference, broken))
    } else if (!problems.has(reference)) problems.set(reference, problemOf(broken, names, known))
  }
  const newNames = new Map([...renames].map(([address, { live }]) => [live, address]))
  return [
    ...[...removed].map(([live, references]) => removedProblem(live, [...references.values()], newNames, names)),
    ...problems.values(),
  ]
}

/** The outermost ancestor of an object that is deleted too, or the object itself. */
const outermost = (object: LiveObject, deleted: ReadonlySet<LiveObject>): LiveObject =>
  object.parent && deleted.has(object.parent) ? outermost(object.parent, deleted) : object

function removedProblem(
  live: LiveObject,
  references: readonly BrokenReference[],
  newNames: ReadonlyMap<LiveObject, string>,
  { addressOfLive }: Names,
): Problem {
  const places = references.map(({ from, at }) => ({ from: from.address, place: placeOf(rangeAt(from, at)) }))
  const renamed = newNames.get(live)
  const rename = renamed === undefined ? undefined : { to: renamed, from: live.key }
  return referencesToRemoved(addressOfLive(live), places, rename)
}

type KnownTarget = (reference: BrokenReference) => 'exists' | { readonly suggestion: string | undefined }

/** Whether a name exists, with another id, or which name is meant. Thousands of references may name objects in one place. */
function knownNames(names: Names): KnownTarget {
  const nearest = limitedNearest()
  const listed = new Map<string, ReadonlySet<string>>()
  return ({ kind, name: { name }, parent }) => {
    const place = `${kind} ${parent?.address ?? ''}`
    const there = listed.get(place) ?? new Set(names.namesThere(kind, parent))
    listed.set(place, there)
    return there.has(name) ? 'exists' : { suggestion: nearest(name, () => [...there]) }
  }
}

function problemOf(broken: BrokenReference, names: Names, known: KnownTarget): Problem {
  const { from, at, kind, name, parent, found } = broken
  const place = placeOf(rangeAt(from, at))
  if (found === 'nothing') {
    const isReadOnly = !catalog[kind].operations.create
    const referred = { kind, isReadOnly, name: name.name, id: name.id, parent: parent?.address }
    return referenceToNothing(referred, from.address, known(broken), place)
  }
  const ids = names.live.find(kind, parent?.live, name.name).map((object) => object.id)
  return ambiguousReference(kind, name.name, from.address, [...ids].sort(), place)
}
