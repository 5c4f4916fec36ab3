import { catalog } from '../../catalog/catalog.js'
import type { KindName } from '../../catalog/types.js'
import { lookUpBy } from '../../live/live-index.js'
import type { Resource } from '../../manifest/resource.js'

/** The declared objects, indexed by their parents and names. */
export interface DeclaredIndex {
  /** Declared and implicit objects by address, parents before their children. */
  readonly resources: ReadonlyMap<string, Resource>
  /** The same objects, siblings of one kind together. Links come after their linked objects. */
  readonly groups: readonly (readonly Resource[])[]
  /** The resources of a kind that are declared under a parent's address (undefined: at the root). */
  readonly under: (parent: string | undefined, kind: KindName) => readonly Resource[]
  /** The resources among these that have a name. */
  readonly named: (parent: string | undefined, kind: KindName, name: string) => readonly Resource[]
  /** The resources among these with that earlier name. */
  readonly formerlyNamed: (parent: string | undefined, kind: KindName, name: string) => readonly Resource[]
}

/** Makes the index. The resources can have any order. */
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

/** Sorts by level. Within a level, the order of the addresses is kept. */
function parentsFirst(resources: readonly Resource[]): readonly Resource[] {
  const levels: Resource[][] = []
  for (const resource of resources) {
    // A link is matched by its linked object, so that must be matched first.
    const level = 2 * resource.ancestors.length + (catalog[resource.kind].association === undefined ? 0 : 1)
    while (levels.length <= level) levels.push([])
    levels[level]?.push(resource)
  }
  return levels.flat()
}

/** Groups siblings by the address of their parent: one list for each kind. */
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
