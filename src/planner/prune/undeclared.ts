import { catalog } from '../../catalog/catalog.js'
import { isFieldOfParent } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Removal } from '../../manifest/resource.js'
import type { Base } from '../base/base-object.js'
import { isBlank } from '../compare/blank.js'
import type { Matches } from '../match/match.js'
import { extrasInLists, isListed } from './listed.js'
import { isAdded, isPlatformOwned } from './ownership.js'

interface UndeclaredInput {
  readonly base: Base | undefined
  readonly removals: readonly Removal[]
  /** All objects of that kind. Undefined: objects of every kind, without objects that are inside another one of them. */
  readonly kind: KindName | undefined
}

/**
 * The live objects that no manifest has. Not among them: fixed messages, links that are fields of their parents, and objects that
 * the platform added by itself. The latter are included if a written list does not have them.
 */
export function undeclaredObjects(world: Matches, { base, removals, kind }: UndeclaredInput): readonly LiveObject[] {
  const inLists = extrasInLists(world)
  const removed = new Set(removals.map(({ address }) => address))
  const isMeant = (object: LiveObject): boolean => {
    if (kind !== undefined) return object.kind === kind && !isBlank(object)
    return isListed(object) && (object.parent === undefined || world.claimed.has(object.parent))
  }
  return world.live.all.filter((object) => {
    const { fixedSet } = catalog[object.kind]
    if (world.claimed.has(object) || fixedSet || isFieldOfParent(catalog[object.kind]) || !isMeant(object)) return false
    if (isPlatformOwned(object) || removed.has(world.addressOfLive(object))) return false
    return inLists.has(object) || !isAdded(object, base, world)
  })
}
