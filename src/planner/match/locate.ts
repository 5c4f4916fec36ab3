import type { KindName } from '../../catalog/types.js'
import type { LiveIndex } from '../../live/live-index.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Name, Resource } from '../../manifest/resource.js'
import type { DeclaredIndex } from './declared.js'

/** A declared object, a live one, or both: what a name stands for. */
export interface Located {
  readonly address: string
  readonly resource: Resource | undefined
  readonly live: LiveObject | undefined
}

export type Finding = Located | 'nothing' | 'several'

/** What is declared and what is live, and which of them are one, as far as that is known. */
export interface Sides {
  readonly declared: DeclaredIndex
  readonly live: LiveIndex
  /** The live object that a declared one stands for, by address. */
  readonly matched: ReadonlyMap<string, LiveObject>
  /** The address of any live object: that of its declaration, or one made from its own names. */
  readonly addressOfLive: (object: LiveObject) => string
}

/** What a name stands for under a parent (undefined: at the root): what is declared comes before what is only live. */
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

/** True unless an id is said with the name that is not the resource's. */
const isMeant = ({ id, address }: Resource, name: Name, { matched }: Pick<Sides, 'matched'>): boolean =>
  name.id === undefined || name.id === (id ?? matched.get(address)?.id)

/** Names that `locate` would find there, for "did you mean"; an object that is renamed has its new name alone. */
export const namesThere = (
  { declared, live }: Pick<Sides, 'declared' | 'live'>,
  claimed: ReadonlyMap<LiveObject, Resource>,
  kind: KindName,
  parent: Located | undefined,
): readonly string[] => [
  ...declared.under(parent?.address, kind).flatMap((resource) => (resource.implied ? [] : [resource.key])),
  ...(parent && !parent.live ? [] : live.among(kind, parent?.live))
    .filter((object) => claimed.get(object)?.implied !== false)
    .map((object) => object.key),
]
