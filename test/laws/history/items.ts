import { isWritable, ownFields, referredKind } from '../../../src/catalog/queries.js'
import type { Field, Kind, KindName } from '../../../src/catalog/types.js'
import type { Json } from '../../../src/json/json.js'
import { hasTheRulesPrinted } from '../drawn.js'

/**
 * An object of a project, identified by itself and not by its name, so that a history can rename it together with its
 * references. Relations are separate from values, each in one place.
 */
export interface Item {
  readonly number: number
  readonly kind: Kind
  /** The value of the naming field; '' if a parent has only one of the kind. */
  name: string
  formerly: string[]
  parent: Item | undefined
  children: Item[]
  /** Written values; null is cleared. Values that are not written any more are not in it. */
  readonly fields: Map<string, Json>
  /** Values of secret fields, which manifests take from the environment. */
  readonly secrets: Map<string, string>
  /** Written in its parent, or in a separate document. */
  home: 'inline' | 'apart'
  file: number
  /** How often it became another object with the same name: by moving to another parent. */
  moves: number
  readonly links: Links
}

/** The references of an item; undefined is not written. */
export interface Links {
  /** Roles of a service, with their actions, and of a member. */
  roles?: Map<Item, string> | undefined
  /** Whether the roles of a service are a list in it, or separate documents. */
  rolesIn?: 'list' | 'documents'
  /** Endpoints of a maintenance event. */
  endpoints?: Set<Item> | undefined
  /** Whether the event lists its endpoints, or they name their event. */
  endpointsIn?: 'list' | 'endpoints'
  /** The service to which a plan service gives access. */
  service?: Item
  access?: '*' | Map<Item, '*' | Set<Item>> | undefined
  /** For a key. */
  package?: Item
  plan?: Item
  /** For an endpoint. */
  errorSet?: Item | undefined
  /** Whether an endpoint has named an event before: then it says that it has none. */
  hadEvent?: boolean
}

/** The objects of a project at one commit. */
export interface Project {
  readonly roots: Item[]
  /** Names of earlier objects: a new object does not get one of these, so that it is never taken for the old one. */
  readonly names: Set<string>
  next: number
}

export const emptyProject = (): Project => ({ roots: [], names: new Set(), next: 1 })

/** The items of a list, each followed by its children. */
export const withChildren = (items: readonly Item[]): readonly Item[] =>
  items.flatMap((item) => [item, ...withChildren(item.children)])

export const allItems = ({ roots }: Project): readonly Item[] => withChildren(roots)

export const itemsOf = (project: Project, kind: KindName): readonly Item[] =>
  allItems(project).filter((item) => item.kind.name === kind)

export const childrenOf = (item: Item, kind: KindName): readonly Item[] =>
  item.children.filter((child) => child.kind.name === kind)

/** The item's name, or that of the target of a link. */
export const nameOf = (item: Item): string => item.links.service?.name ?? item.name

/** The text for an item in a finding. */
export const shown = (item: Item): string =>
  `${item.parent ? `${shown(item.parent)}/` : ''}${item.kind.name} ${JSON.stringify(nameOf(item))}`

/** Whether the parent of a kind has at most one of it. */
export function isSingle(kind: Kind): boolean {
  return kind.parent?.single === true
}

export type Origin = 'known' | 'documented'

const isOf = (field: Field, origin: Origin): boolean =>
  (origin === 'known' || field.origin === 'document') && hasTheRulesPrinted(field)

/** Fields with plain values that a history may write. */
export function valueFields(kind: Kind, origin: Origin): readonly Field[] {
  if (kind.association || kind.blocked.create) return []
  return ownFields(kind).filter(
    (field) =>
      isWritable(field) &&
      isOf(field, origin) &&
      field.name !== kind.naming &&
      field.name !== 'username' &&
      field.name !== kind.route?.path &&
      referredKind(field) === undefined,
  )
}

export const isRequired = (field: Field): boolean => field.create === 'Req' || field.update === 'Req'

export const isSecret = (field: Field): boolean => field.secret || field.writeOnly

/** Removes an item with its children from the project, and from all references. */
export function removeItem(project: Project, item: Item): void {
  const gone = new Set(withChildren([item]))
  const siblings = item.parent ? item.parent.children : project.roots
  siblings.splice(siblings.indexOf(item), 1)
  for (const each of allItems(project)) forget(each, gone)
  const orphans = allItems(project).filter(({ links }) =>
    [links.service, links.package, links.plan].some((target) => target && gone.has(target)),
  )
  for (const orphan of orphans) removeItem(project, orphan)
}

function forget({ links }: Item, gone: ReadonlySet<Item>): void {
  for (const each of gone) {
    links.roles?.delete(each)
    links.endpoints?.delete(each)
    if (links.access instanceof Map) {
      links.access.delete(each)
      for (const methods of links.access.values()) if (methods !== '*') methods.delete(each)
    }
    if (links.errorSet === each) links.errorSet = undefined
  }
}
