import { addressOf, addressOfParent, escapeName, nameInAddress, pinnedId } from '../../catalog/address.js'
import { catalog } from '../../catalog/catalog.js'
import { hasOwnId, hasSecretName } from '../../catalog/queries.js'
import type { KindName } from '../../catalog/types.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Matches } from '../match/match.js'
import type { Names } from '../references/scope.js'
import type { Base, BaseObject } from './base-object.js'
import { withLinksInOneForm } from './links-of-base.js'

/**
 * The base under today's addresses of its objects. Records name an object as it was applied; since then manifests may have
 * renamed it or one of its ancestors (A80). All other code reads the base only after this.
 */
export function todaysBase(base: Base, world: Matches): Base {
  return { ...base, objects: withLinksInOneForm(underTodaysAddresses(base, world), world) }
}

function underTodaysAddresses(base: Base, world: Matches): Base['objects'] {
  // This is the usual case, and it avoids a search for each of thousands of objects.
  if ([...base.objects.values()].every((known) => isAsRecorded(known, world))) return base.objects
  const today = todayIn(base, world)
  const objects = new Map<string, BaseObject>()
  const live = new Map<string, LiveObject | undefined>()
  for (const known of base.objects.values()) {
    const there = today(known.kind, known.address)
    const { address } = there
    // An object can have two records: one under an earlier name, and one of a run that did not remove the earlier record.
    const isFirst = !objects.has(address)
    const isBetter = there.live ? !live.get(address) || known.address === address : false
    if (!isFirst && !isBetter) continue
    live.set(address, there.live)
    objects.set(address, known.address === address ? known : { recorded: known.address, ...known, address })
  }
  return objects
}

/** Whether the object is declared under its recorded address, and is still the same object. This is the usual case. */
function isAsRecorded({ address, id }: Pick<BaseObject, 'address' | 'id'>, world: Matches): boolean {
  const matched = world.matched.get(address)
  return matched !== undefined && (id === undefined || matched.id === id)
}

/** The address and the live object of an address in the base, as they are today. */
interface Today {
  readonly address: string
  readonly live: LiveObject | undefined
}

function todayIn(base: Base, world: Matches): (kind: KindName, address: string) => Today {
  const known = new Map<string, Today>()
  const today = (kind: KindName, address: string): Today => {
    const id = base.objects.get(address)?.id
    if (isAsRecorded({ address, id }, world)) return { address, live: world.matched.get(address) }
    const found = known.get(address) ?? lookUp(kind, address, id)
    known.set(address, found)
    return found
  }
  const lookUp = (name: KindName, address: string, id: string | undefined): Today => {
    const kind = catalog[name]
    const parent = kind.parent && today(kind.parent.kind, addressOfParent(kind, address))
    const last = kind.naming === undefined ? undefined : nameInAddress(address)
    // A rollback knows only the address of an object that the run did not change.
    const pinOf = (text = '') => pinnedId(text, (each) => hasOwnId(name) && world.live.byId(name, each) !== undefined)
    const recorded = { kind: name, name: last, id: id ?? pinOf(last), parent }
    const live = liveOf(recorded, world)
    const own = parent ? addressOf(kind, last, parent.address) : address
    return { address: (live ? addressOfPart(live, own, world) : renamed(recorded, world)?.address) ?? own, live }
  }
  return today
}

interface RecordedPart {
  readonly kind: KindName
  readonly name: string | undefined
  readonly id: string | undefined
  /** Undefined at the root. */
  readonly parent: Today | undefined
}

function liveOf({ kind, name, id, parent }: RecordedPart, world: Matches): LiveObject | undefined {
  if (id !== undefined && hasOwnId(kind)) return world.live.byId(kind, id)
  if (parent && !parent.live) return undefined
  if (name === undefined) return world.live.among(kind, parent?.live)[0]
  // The id of a link is the id of its linked object. A git reference has no ids at all.
  const isLink = id !== undefined && catalog[kind].association !== undefined
  const found = isLink ? world.live.withId(kind, parent?.live, id) : world.live.find(kind, parent?.live, name)
  return found.length === 1 ? found[0] : undefined
}

/**
 * Only manifests can change an address: if an object was renamed on the platform and is not declared, it keeps the address with
 * which it was applied. The names of links and keys are names of other objects, which may have changed.
 */
function addressOfPart(live: LiveObject, own: string, world: Matches): string | undefined {
  const kind = catalog[live.kind]
  const declared = world.claimed.get(live)
  if (declared) return declared.address
  // No manifest pins the id any more, so the address is the name alone again.
  const isPin = own.endsWith(`/${escapeName(live.key)}~${escapeName(live.id)}`)
  const isOfOthers = kind.association || (hasSecretName(kind) && !world.resources.has(own))
  return isPin || isOfOthers ? world.addressOfLive(live) : undefined
}

/** The declared sibling that had this name earlier, according to its manifest. */
function renamed({ kind, name, parent }: Omit<RecordedPart, 'id'>, world: Matches): Resource | undefined {
  if (name === undefined) return undefined
  return world.declared.formerlyNamed(parent?.address, kind, name)[0]
}

/**
 * All addresses that declared objects can have in the records, each with today's address. They are made from the earlier names of
 * the object, its ancestors and its linked object in the manifests.
 */
export function recordedAddresses(resources: readonly Resource[]): ReadonlyMap<string, string> {
  const declared = resources.map(({ address }) => [address, address] as const)
  const formerly = new Map(resources.filter(isRenamed).map((each) => [each.address, each.formerly]))
  if (formerly.size === 0) return new Map(declared)
  const all = new Map<string, readonly string[]>()
  // The resources are sorted by address, so a parent comes before its children.
  for (const { address, parent, kind, key } of resources) {
    const { association } = catalog[kind]
    const earlier = formerly.get(association ? addressOf(catalog[association], key, undefined) : address) ?? []
    const parents = parent === undefined ? [undefined] : (all.get(parent) ?? [parent])
    const own = address.slice(parent === undefined ? 0 : parent.length + 1)
    const under = (each: string | undefined) => [
      each === undefined ? own : `${each}/${own}`,
      ...earlier.map((name) => addressOf(catalog[kind], name, each)),
    ]
    all.set(address, parents.flatMap(under))
  }
  const earlier = [...all].flatMap(([address, names]) => names.map((name) => [name, address] as const))
  return new Map([...earlier, ...declared])
}

const isRenamed = (resource: Resource): boolean => resource.formerly.length > 0

/**
 * How names of the base are looked up. Earlier names are found too, because an applied reference may have the name that its
 * target had then. An applied "*" does not include objects that were declared later (A81).
 */
export function asApplied(world: Matches, base: Base | undefined): Names {
  const { live, matched } = world
  return {
    live,
    matched,
    addressOfLive: world.addressOfLive,
    declaredUnder: (parent, kind) =>
      world.declaredUnder(parent, kind).filter((resource) => base?.objects.has(resource.address)),
    namesThere: world.namesThere,
    locate: (kind, name, parent) => {
      const found = world.locate(kind, name, parent)
      const resource = found === 'nothing' ? renamed({ kind, name: name.name, parent }, world) : undefined
      return resource ? { address: resource.address, resource, live: matched.get(resource.address) } : found
    },
  }
}
