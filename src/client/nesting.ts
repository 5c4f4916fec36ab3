import { catalog } from '../catalog/catalog.js'
import { childFields, isExtra, kinds, linkFields, perKind, rootOf } from '../catalog/queries.js'
import type { Kind, KindName, Operation } from '../catalog/types.js'
import { unusableId } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'

/** How the catalogue's kinds are nested in answers. */

/** The requested kinds, each with its own fields. */
export type Requested = ReadonlyMap<KindName, readonly string[]>

/** A list of objects inside another object of an answer: owned children, or links, which a field refers to as well. */
export interface Nested {
  readonly field: string
  readonly kind: Kind
  readonly holds: 'children' | 'links' | 'single'
  /** It is not in the document: answers without the field do not show whether there are any, and few objects have any. */
  readonly isExtra: boolean
}

/** The lists that objects of a kind may contain, in the order of the table; links (the roles of a service) come last. */
export const nestedIn = perKind((kind): readonly Nested[] => {
  const owned = childFields(kind).map(
    ({ field, kind: child, single }): Nested => ({
      field,
      kind: child,
      holds: single ? 'single' : 'children',
      isExtra: isExtra(child),
    }),
  )
  return [...owned, ...linkFields(kind).map((each): Nested => ({ ...each, holds: 'links', isExtra: false }))]
})

/** Whether the kind, or one inside it, is requested. */
export function isRequested(kind: Kind, requested: Requested): boolean {
  return requested.has(kind.name) || nestedIn(kind).some((nested) => isRequested(nested.kind, requested))
}

/** The kind and all kinds inside it that are requested, or that contain requested ones. */
export function requestedBelow(kind: Kind, requested: Requested): readonly KindName[] {
  if (!isRequested(kind, requested)) return []
  return [kind.name, ...nestedIn(kind).flatMap((nested) => requestedBelow(nested.kind, requested))]
}

/** The root kinds of the requested kinds, in the catalogue's order. */
export function rootsOf(requested: Requested): readonly Kind[] {
  const roots = new Set([...requested.keys()].map((name) => rootOf(catalog[name]).name))
  return kinds.filter((kind) => roots.has(kind.name))
}

/** The name of the collection in a snapshot that contains the objects of a root kind: the first segment of its path. */
export const collectionOf = (kind: Kind): string => kind.operations.list?.path.split('/')[1] ?? kind.name

/** The root kind whose objects a snapshot has under that name. */
export const kindOfCollection = (name: string): Kind | undefined =>
  kinds.find((kind) => kind.parent === undefined && collectionOf(kind) === name)

/** The last segment of a kind's list: the name of the list inside its owner. */
export const segmentOf = (kind: Kind): string => kind.operations.list?.path.split('/').at(-1) ?? kind.name

/** The list operation with the most parameters that the given ids can fill in. */
export function listOperation(kind: Kind, ids: Readonly<Record<string, string>>): Operation | undefined {
  return Object.values(kind.operations)
    .filter((operation) => /^list(Of[A-Z]|$)/.test(operation.name))
    .filter((operation) => parameters(operation.path).every((name) => ids[name] !== undefined))
    .sort((left, right) => parameters(right.path).length - parameters(left.path).length)[0]
}

const parameters = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

/**
 * A path with its parameters filled in. A missing parameter is a mistake of the caller. An id that would lead to another path,
 * such as "..", throws a ProblemError.
 */
export function filledPath(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name]
    if (id === undefined || id === '') throw new Error(`no ${name} for ${path}`)
    if (!isSegment(id)) throw new ProblemError([unusableId(name, id)])
    return encodeURIComponent(id)
  })
}

/** Whether a URL keeps the id as one segment of its path; half of a surrogate pair cannot even be written in one. */
const isSegment = (id: string): boolean =>
  /^[\w-]+$/.test(id) ||
  (!/\p{Surrogate}/u.test(id) &&
    new URL(`/${encodeURIComponent(id)}/`, 'http://host').pathname === `/${encodeURIComponent(id)}/`)
