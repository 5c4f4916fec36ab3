import { catalog } from '../catalog/catalog.js'
import type { Resource } from './resource.js'

/**
 * The resources without the lists that must not be empty and of which the environment leaves out every entry: manifests cannot
 * write such a list, so it counts as not written (A484).
 */
export function withoutEmptiedLists(resources: readonly Resource[]): readonly Resource[] {
  const parents = resources.filter((resource) => mandatoryLists(resource).length > 0)
  if (parents.length === 0) return resources
  const filled = new Set(
    resources.flatMap(({ kind, parent, isInside }) => (isInside ? [listKey(parent, catalog[kind].parent?.field)] : [])),
  )
  const isEmptied = (resource: Resource, field: string) =>
    mandatoryLists(resource).includes(field) && !filled.has(listKey(resource.address, field))
  const emptied = new Set(parents.filter((resource) => resource.wholeLists.some((field) => isEmptied(resource, field))))
  if (emptied.size === 0) return resources
  return resources.map((resource) =>
    emptied.has(resource)
      ? { ...resource, wholeLists: resource.wholeLists.filter((field) => !isEmptied(resource, field)) }
      : resource,
  )
}

const mandatoryLists = ({ kind, wholeLists }: Resource): readonly string[] =>
  wholeLists.filter((field) => catalog[kind].atLeastOne.includes(field))

const listKey = (parent = '', field = ''): string => `${parent}\n${field}`
