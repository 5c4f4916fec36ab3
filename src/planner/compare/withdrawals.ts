import { catalog } from '../../catalog/catalog.js'
import { type InverseReferenceField, inverseReferenceFields, referredKind } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import { append } from '../../json/groups.js'
import type { Json, JsonObject } from '../../json/json.js'
import { isList, isObject } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import { implicitResource } from '../../manifest/nest.js'
import type { Resource } from '../../manifest/resource.js'
import type { Base } from '../base/base-object.js'
import type { Matches } from '../match/match.js'
import type { ReferenceEntry } from '../plan.js'
import type { Names } from '../references/scope.js'

/** Entries that leave a list, because the objects that caused them no longer name the list, or write null. */
export interface Withdrawal {
  /** The object with the list, which no manifest writes. */
  readonly holder: LiveObject
  readonly list: string
  /** The objects that leave the list, each with its field that named the list. */
  readonly leaving: readonly Leaving[]
}

interface Leaving {
  readonly resource: Resource
  readonly live: LiveObject
  readonly field: string
}

interface WithdrawalInput {
  readonly world: Matches
  readonly base: Base | undefined
  /** Finds the objects that the base names. */
  readonly names: Names
}

/**
 * The withdrawals of a plan. An entry is withdrawn like every field that is no longer written, if the applied value is still
 * live. A written null removes the object from every list.
 */
export function withdrawalsIn(
  input: WithdrawalInput & { readonly deleted: ReadonlySet<LiveObject> },
): readonly Withdrawal[] {
  const { world, base, deleted } = input
  const found = new Map<LiveObject, { list: string; leaving: Leaving[] }>()
  const holdersOf = holderIndex(world)
  for (const resource of world.resources.values()) {
    for (const inverseReference of inverseReferenceFields(catalog[resource.kind])) {
      const field = inverseReference.field.name
      const live = base || resource.fields[field] === null ? world.matched.get(resource.address) : undefined
      if (!live) continue
      const known = base?.objects.get(resource.address)
      const then = known && (known.id === undefined || known.id === live.id) ? known.fields[field] : undefined
      const isCleared = resource.fields[field] === null
      if ((!isCleared && !isObject(then)) || resource.ignore.includes(`/${field}`)) continue
      const named = namedIn(then, inverseReference, input.names)
      const stays = namedIn(resource.inverseReferences[field], inverseReference, world)
      for (const holder of holdersOf(inverseReference, live.id)) {
        const isLeft = isCleared || holder === named
        const isWritten = world.claimed.get(holder)?.fields[inverseReference.list.name] !== undefined
        if (!isLeft || isWritten || holder === stays || deleted.has(holder)) continue
        const known = found.get(holder) ?? { list: inverseReference.list.name, leaving: [] }
        known.leaving.push({ resource, live, field })
        found.set(holder, known)
      }
    }
  }
  return [...found].map(([holder, rest]) => ({ holder, ...rest }))
}

/** The resource with the list and the leaving entries. It is implicit if no manifest declares it. */
export function holderResource({ holder, list, leaving }: Withdrawal, world: Matches): Resource {
  const [first] = leaving
  const declared = world.claimed.get(holder)
  const address = world.addressOfLive(holder)
  if (!first) throw new Error(`nothing leaves ${address}`)
  const { range } = first.resource
  const resource =
    declared ?? implicitResource({ address, kind: holder.kind, to: { name: holder.key, id: holder.id }, range })
  return {
    ...resource,
    withdrawals: { [list]: leaving.map(({ resource: by, live }) => ({ id: live.id, by: by.address })) },
  }
}

/**
 * Whether entries are missing in a list, and all of them were in it when it was last applied: somebody has removed them since.
 */
export function wereTakenOut(
  holder: LiveObject,
  list: string,
  entries: readonly ReferenceEntry[],
  { world, base, names }: WithdrawalInput,
): boolean {
  const present = new Set(entriesIn(holder, list).map(({ id }) => id))
  const missing = entries.filter(({ target }) => target.is === 'desired' || !present.has(target.id))
  const wasIn = ({ target }: ReferenceEntry): boolean => {
    const member = target.is === 'live' && referredIn(holder, list, target.id, world)
    const known = member && base?.objects.get(world.addressOfLive(member))
    if (!known || (known.id !== undefined && known.id !== member.id)) return false
    return inverseReferenceFields(catalog[member.kind]).some(
      (inverseReference) =>
        inverseReference.list.name === list &&
        namedIn(known.fields[inverseReference.field.name], inverseReference, names) === holder,
    )
  }
  return missing.length > 0 && missing.every(wasIn)
}

/**
 * Whether the list that an applied inverse reference named still contains the object. The platform may return another holder that
 * contains it too.
 */
export const isStillListed = ({ kind, id }: LiveObject, path: string, then: Json, names: Names): boolean =>
  inverseReferenceFields(catalog[kind]).some((inverseReference) => {
    if (path !== `/${inverseReference.field.name}`) return false
    const holder = namedIn(then, inverseReference, names)
    return holder !== undefined && entriesIn(holder, inverseReference.list.name).some((entry) => entry.id === id)
  })

function referredIn({ kind }: LiveObject, list: string, id: string, world: Matches): LiveObject | undefined {
  const field = catalog[kind].fields[list]
  const referred = field && referredKind(field)
  return referred && world.live.byId(referred, id)
}

/** The live entries of a list. */
export const entriesIn = (holder: LiveObject, list: string): readonly JsonObject[] => {
  const entries = holder.fields[list]
  return isList(entries) ? entries.filter(isObject) : []
}

/** Finds the live objects whose list contains an object. The index is made on demand. */
function holderIndex(world: Matches): (inverseReference: InverseReferenceField, id: string) => readonly LiveObject[] {
  const made = new Map<KindName, ReadonlyMap<string, readonly LiveObject[]>>()
  return ({ owner, list }, id) => {
    const known = made.get(owner.name) ?? indexOf(world.live.among(owner.name, undefined), list.name)
    made.set(owner.name, known)
    return known.get(id) ?? []
  }
}

function indexOf(holders: readonly LiveObject[], list: string): ReadonlyMap<string, readonly LiveObject[]> {
  const index = new Map<string, LiveObject[]>()
  for (const holder of holders) {
    for (const { id } of entriesIn(holder, list)) append(index, String(id), holder)
  }
  return index
}

/** The live object that an inverse reference names. The holders of such lists are kinds at the root. */
export function namedIn(
  value: Json | undefined,
  { owner }: InverseReferenceField,
  names: Names,
): LiveObject | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined
  const id = typeof value.id === 'string' ? { id: value.id } : {}
  const found = names.locate(owner.name, { name: value.name, ...id }, undefined)
  return typeof found === 'string' ? undefined : found.live
}
