import { catalog } from '../catalog/catalog.js'
import { childField, isBeyondDocument, isExtra, linkMembers, pickedFields, referredKind } from '../catalog/queries.js'
import type { Field, Kind } from '../catalog/types.js'
import { isRequested, type Nested, nestedIn, type Requested } from './nesting.js'

/**
 * The paths of the `fields` parameter for the requested fields of a kind and of all kinds inside it. `fields` replaces the
 * default set, so id and naming field are requested at every level (document, Conventions).
 */
export function fieldPaths(kind: Kind, requested: Requested): readonly string[] {
  const link = kind.association ? linkPaths(kind) : []
  return [...new Set([...link, ...ownPaths(kind, requested), ...nestedPaths(kind, requested)])]
}

/** The same without what is not in the document: real platforms ignore such names silently, but a strict one may not (A220). */
export const documentedPaths = (kind: Kind, requested: Requested): readonly string[] =>
  fieldPaths(
    kind,
    new Map(
      [...requested]
        .filter(([name]) => name === kind.name || isDocumented(catalog[name]))
        .map(([name, fields]) => [name, fields.filter((field) => !isBeyondDocument(catalog[name], field))]),
    ),
  )

/** Whether the document has a kind inside its parent's objects: the roles of a service are only in a list of their own. */
const isDocumented = ({ origin, parent }: Kind): boolean =>
  origin === 'document' && (parent === undefined || !isBeyondDocument(catalog[parent.kind], parent.field))

/** The fields that identify an object of a kind. */
export function identifying(kind: Kind): readonly string[] {
  const id = kind.fields.id ? ['id'] : []
  return [...new Set([...id, ...(kind.naming === undefined ? [] : [kind.naming])])]
}

function ownPaths(kind: Kind, requested: Requested): readonly string[] {
  return [...identifying(kind), ...(requested.get(kind.name) ?? [])].flatMap((name) => {
    const field = kind.fields[name]
    if (!field) return [name]
    if (field.writeOnly || childField(kind, name)) return []
    return referredKind(field) ? referencePaths(kind, field, requested) : [name]
  })
}

function nestedPaths(kind: Kind, requested: Requested): readonly string[] {
  return nestedIn(kind)
    .filter((nested) => isRequested(nested.kind, requested))
    .flatMap((nested) => pathsOf(nested, requested))
}

function pathsOf({ field, kind, holds }: Nested, requested: Requested): readonly string[] {
  switch (holds) {
    case 'single':
      return [field]
    case 'children':
      return below(field, fieldPaths(kind, requested))
    case 'links':
      return below(field, linkPaths(kind))
  }
}

function referencePaths(kind: Kind, field: Field, requested: Requested): readonly string[] {
  const name = referredKind(field)
  if (name === undefined) return [field.name]
  const referred = catalog[name]
  const older = kind.olderPaths[field.name]
  const paths = referred.association ? linkPaths(referred) : referredPaths(referred)
  // A link picks objects inside the one that it refers to, so these are requested as well: plan service endpoints and their
  // methods.
  const picked = kind.association ? pickedPaths(referred, requested) : []
  return [...below(field.name, [...paths, ...picked]), ...(older === undefined ? [] : below(older, paths))]
}

/** What a link picks inside the objects that it refers to; what is not in the document only if it is requested. */
const pickedPaths = (kind: Kind, requested: Requested): readonly string[] =>
  pickedFields(kind)
    .filter((picked) => !isExtra(picked.kind) || requested.has(picked.kind.name))
    .flatMap(({ field, kind: inner }) => below(field, [...referredPaths(inner), ...pickedPaths(inner, requested)]))

/** A referred object is identified by id and name; a secret name is not requested. */
const referredPaths = (kind: Kind): readonly string[] => identifying(kind).filter((name) => !kind.fields[name]?.secret)

const linkPaths = (kind: Kind): readonly string[] => [
  ...identifying(kind),
  ...linkMembers(kind).map(({ name }) => name),
]

const below = (prefix: string, paths: readonly string[]): readonly string[] => paths.map((path) => `${prefix}.${path}`)

/** Common servers and proxies refuse longer URLs than this. */
const longestUrl = 8000

/**
 * The paths in as many groups as the length of a URL requires. Every group has the ids of all objects around its paths, so that
 * the answers can be merged.
 */
export function pathGroups(paths: readonly string[], otherLength: number, longest = longestUrl): readonly string[][] {
  const room = longest - otherLength
  const known = new Set(paths)
  const groups: string[][] = []
  let group = new Set<string>()
  let length = 0
  for (const path of paths) {
    const needed = [...idsOnTheWay(path, known), path]
    const added = lengthOf(needed.filter((each) => !group.has(each)))
    if (group.size > 0 && length + added > room) {
      groups.push([...group])
      group = new Set(needed)
      length = lengthOf([...group])
    } else {
      for (const each of needed) group.add(each)
      length += added
    }
  }
  return [...groups, [...group]]
}

/** The length of the paths as a list, with a comma behind each. */
const lengthOf = (paths: readonly string[]): number => paths.reduce((sum, each) => sum + each.length + 1, 0)

function idsOnTheWay(path: string, known: ReadonlySet<string>): readonly string[] {
  const ids = ['id']
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) ids.push(`${path.slice(0, dot)}.id`)
  return ids.filter((id) => id !== path && known.has(id))
}
