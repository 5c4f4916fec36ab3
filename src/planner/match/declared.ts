import { catalog } from '../../catalog/catalog.js'
import type { KindName } from '../../catalog/types.js'
import { lookUpBy } from '../../live/live-index.js'
import type { Resource } from '../../manifest/resource.js'

/** What manifests declare, found by where it is declared. */
export interface DeclaredIndex {
  /** Declared and implied objects by address, parents before their children. */
  readonly resources: ReadonlyMap<string, Resource>
  /** The same, siblings of one kind together: links come after what they link to. */
  readonly groups: readonly (readonly Resource[])[]
  /** The resources of a kind declared under a parent's address (undefined: at the root). */
  readonly under: (parent: string | undefined, kind: KindName) => readonly Resource[]
  /** Those of them that have a name. */
  readonly named: (parent: string | undefined, kind: KindName, name: string) => readonly Resource[]
  /** Those of them that say that they had a name earlier. */
  readonly formerlyNamed: (parent: string | undefined, kind: KindName, name: string) => readonly Resource[]
}

/** An index of resources, which may come in any order. */
export function declaredIn(resources: readonly Resource[]): DeclaredIndex {
  const ordered = parentsFirst(resources)
  const byParent = siblingsByParent(ordered)
  const withName = lookUpBy<Resource>(({ key }) => [key])
  const withFormerName = lookUpBy<Resource>(({ formerly }) => formerly)
  const under: DeclaredIndex['under'] = (parent, kind) =>
    byParent.get(parent)?.find((siblings) => siblings[0]?.kind === kind) ?? noResources
  const byAddress = new Map<string, Resource>()
  for (const resource of ordered) byAddress.set(resource.address, resource)
  return {
    resources: byAddress,
    groups: [...byParent.values()].flat(),
    under,
    named: (parent, kind, name) => withName(under(parent, kind), name),
    formerlyNamed: (parent, kind, name) => withFormerName(under(parent, kind), name),
  }
}

const noResources: readonly Resource[] = []

/** Level by level, each in the order of the addresses, as the manifests are. */
function parentsFirst(resources: readonly Resource[]): readonly Resource[] {
  const levels: Resource[][] = []
  for (const resource of resources) {
    // Links are matched by the object that they refer to, which must be matched before.
    const level = 2 * resource.ancestors.length + (catalog[resource.kind].association === undefined ? 0 : 1)
    while (levels.length <= level) levels.push([])
    levels[level]?.push(resource)
  }
  return levels.flat()
}

/** By the address of the parent: one list for each kind that is declared there. */
function siblingsByParent(
  resources: readonly Resource[],
): ReadonlyMap<string | undefined, readonly (readonly Resource[])[]> {
  const byParent = new Map<string | undefined, Resource[][]>()
  for (const resource of resources) {
    const groups = byParent.get(resource.parent)
    const siblings = groups?.find((each) => each[0]?.kind === resource.kind)
    if (siblings) siblings.push(resource)
    else if (groups) groups.push([resource])
    else byParent.set(resource.parent, [[resource]])
  }
  return byParent
}
