import type { KindName } from '../../catalog/types.js'
import type { LiveIndex } from '../../live/live-index.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Name, Resource } from '../../manifest/resource.js'
import type { DeclaredIndex } from './declared.js'

/** The declared object, the live object, or both, that a name means. */
export interface Located {
  readonly address: string
  readonly resource: Resource | undefined
  readonly live: LiveObject | undefined
}

export type Finding = Located | 'nothing' | 'several'

/** The declared and the live objects, and the matches between them that are known so far. */
export interface Sides {
  readonly declared: DeclaredIndex
  readonly live: LiveIndex
  /** The live object of each declared object, by address. */
  readonly matched: ReadonlyMap<string, LiveObject>
  /** The address of any live object: that of its declaration, or else an address made from its own names. */
  readonly addressOfLive: (object: LiveObject) => string
}

/** The object that a name means under a parent (undefined: at the root). A declared object comes before one that is only live. */
export function locate(sides: Sides, kind: KindName, name: Name, parent: Located | undefined): Finding {
  const { declared, live, matched, addressOfLive } = sides
  const [resource, second] = declared
    .named(parent?.address, kind, name.name)
    .filter((each) => isMeant(each, name, sides))
  if (second) return 'several'
  if (resource) return { address: resource.address, resource, live: matched.get(resource.address) }
  if (parent && !parent.live) return 'nothing'
  const found = live.find(kind, parent?.live, name.name).filter((object) => !name.id || object.id === name.id)
  const [object, other] = found
  if (!object) return 'nothing'
  return other ? 'several' : { address: addressOfLive(object), resource: undefined, live: object }
}

/** True unless the name has an id that differs from that of the resource. */
const isMeant = ({ id, address }: Resource, name: Name, { matched }: Pick<Sides, 'matched'>): boolean =>
  name.id === undefined || name.id === (id ?? matched.get(address)?.id)

/** The names that `locate` finds there, for "did you mean". A renamed object has only its new name. */
export const namesThere = (
  { declared, live }: Pick<Sides, 'declared' | 'live'>,
  claimed: ReadonlyMap<LiveObject, Resource>,
  kind: KindName,
  parent: Located | undefined,
): readonly string[] => [
  ...declared.under(parent?.address, kind).flatMap((resource) => (resource.implicit ? [] : [resource.key])),
  ...(parent && !parent.live ? [] : live.among(kind, parent?.live))
    .filter((object) => claimed.get(object)?.implicit !== false)
    .map((object) => object.key),
]
