import { addressAndAbove } from '../catalog/address.js'
import { catalog } from '../catalog/catalog.js'
import { referredKind } from '../catalog/queries.js'
import { shapes } from '../catalog/shapes.js'
import type { Field } from '../catalog/types.js'
import { sameValue } from '../catalog/value.js'
import { type Json, objectOf, sameJson } from '../json/json.js'
import { keysOf, pointerTo } from '../json/pointer.js'
import { indexLive } from '../live/live-index.js'
import type { LiveObject, Snapshot } from '../live/live-object.js'
import type { Manifests } from '../manifest/resource.js'
import { compareLive, type Difference, type FieldDifference, sameReferences } from './compare-areas.js'
import type { CausedDifference, CausedField, Joined, SideName } from './compare-environments.js'
import { type KeyName, liveAddresses } from './match/live-address.js'
import { match } from './match/match.js'

/** The live area of one environment, with the desired state of the environment. */
interface LiveEnvironment {
  readonly manifests: Manifests
  readonly snapshot: Snapshot
}

/** The input for comparing two live areas. */
interface LiveInput {
  readonly a: LiveEnvironment
  readonly b: LiveEnvironment
  /** `one`: both environments are in the same area, so objects that belong only to the other environment are not compared. */
  readonly area: 'one' | 'two'
  readonly joined: Joined
  /** The differences between the two desired states. */
  readonly desired: readonly CausedDifference[]
  readonly keyName: KeyName
}

/** The differences between two live areas, and the compared addresses. */
interface LiveComparison {
  readonly differences: readonly CausedDifference[]
  readonly addresses: readonly string[]
}

/**
 * Compares two live areas. Two live objects are the same if they belong to one object of the manifests, even if their names
 * differ. If a field differs exactly as desired, it has the causes of the desired difference.
 */
export function compareLiveEnvironments({ a, b, area, joined, desired, keyName }: LiveInput): LiveComparison {
  const matches = { a: match(a.manifests, a.snapshot, keyName), b: match(b.manifests, b.snapshot, keyName) }
  const partners = new Map<LiveObject, LiveObject>()
  for (const pair of joined.pairs) {
    const [one, other] = [matches.a.matched.get(pair.a.address), matches.b.matched.get(pair.b.address)]
    if (one && other) partners.set(other, one)
  }
  const ids = (side: SideName) => new Set([...matches[side].claimed.keys()].map(identityOf))
  const others = (side: SideName): ReadonlySet<string> => {
    if (area === 'two') return new Set()
    const own = ids(side)
    return new Set([...ids(side === 'a' ? 'b' : 'a')].filter((id) => !own.has(id)))
  }
  const first = copied(a.snapshot, { known: new Map(), others: others('a') }, keyName)
  const known = new Map(
    [...partners].flatMap(([other, one]): [LiveObject, KnownName][] => {
      const copy = first.copies.get(one)
      return copy ? [[other, { key: one.key, address: first.addressOf(copy) }]] : []
    }),
  )
  const second = copied(b.snapshot, { known, others: others('b') }, keyName)
  const resources = { a: resourcesBy(first, matches.a), b: resourcesBy(second, matches.b) }
  const likelyBy = {
    a: new Map(desired.filter((each) => each.in !== 'b').map((each) => [each.address, each])),
    b: new Map(desired.filter((each) => each.in === 'b').map((each) => [each.address, each])),
  }
  const written = (address: string, side: SideName) => likelyBy[side].get(resources[side].get(address) ?? '')
  const differences = compareLive(first, second).differences.map((difference): CausedDifference => {
    const named = withAddresses(difference, second.originalAddress)
    if (difference.in === 'both') {
      const likely = written(difference.address, 'a')
      return { ...named, fields: difference.fields.map((field) => caused(field, difference, likely)), causes: [] }
    }
    const { in: side } = difference
    const [likely] = withHolders(difference.address).flatMap((address) => written(address, side) ?? [])
    return { ...named, fields: [], causes: likely?.causes ?? [], ...(likely?.limited && { limited: likely.limited }) }
  })
  return { differences, addresses: [first, second].flatMap(({ live, addressOf }) => live.all.map(addressOf)) }
}

/** An address and those of its parents, the nearest first. */
const withHolders = (address: string): readonly string[] => addressAndAbove(address).toReversed()

const identityOf = ({ kind, id, parent, key }: LiveObject): string => `${kind} ${id || `${parent?.id} ${key}`}`

/** The name and address that an object has in the comparison. */
interface KnownName {
  readonly key: string
  readonly address: string
}

interface NamedChanges {
  /** Objects that are compared under another name. */
  readonly known: ReadonlyMap<LiveObject, KnownName>
  /** Objects that are left out together with their contents. */
  readonly others: ReadonlySet<string>
}

/** A copy of a live side in which objects can have other names, and a map from the originals to the copies. */
function copied(snapshot: Snapshot, { known, others }: NamedChanges, keyName: KeyName) {
  const copies = new Map<LiveObject, LiveObject>()
  const copyOf = (object: LiveObject, parent: LiveObject | undefined): LiveObject => {
    const children: LiveObject[] = []
    const copy = { ...object, ...withKey(object, known.get(object)?.key), parent, children }
    copies.set(object, copy)
    for (const child of object.children) if (!others.has(identityOf(child))) children.push(copyOf(child, copy))
    return copy
  }
  const objects = snapshot.objects.filter((object) => !others.has(identityOf(object)))
  const live = indexLive({ ...snapshot, objects: objects.map((object) => copyOf(object, undefined)) })
  const given = [...known].flatMap(([object, { address }]): [LiveObject, Pick<KnownName, 'address'>][] => {
    const copy = copies.get(object)
    return copy ? [[copy, { address }]] : []
  })
  const addressOf = liveAddresses(live, new Map(given), keyName)
  const before = liveAddresses(indexLive(snapshot), new Map(), keyName)
  const addresses = new Map([...copies].map(([object, copy]) => [addressOf(copy), before(object)]))
  return { live, addressOf, copies, originalAddress: (address: string) => addresses.get(address) ?? address }
}

function withKey({ kind, fields }: LiveObject, key: string | undefined): Partial<LiveObject> {
  if (key === undefined) return {}
  const { naming = '' } = catalog[kind]
  return { key, fields: Object.hasOwn(fields, naming) ? { ...fields, [naming]: key } : fields }
}

/** The addresses in the manifests, by the addresses that live objects have in the comparison. */
const resourcesBy = (
  { addressOf, copies }: ReturnType<typeof copied>,
  { claimed }: Pick<ReturnType<typeof match>, 'claimed'>,
): ReadonlyMap<string, string> =>
  new Map(
    [...claimed].flatMap(([object, { address }]) => {
      const copy = copies.get(object)
      return copy ? [[addressOf(copy), address] as const] : []
    }),
  )

function withAddresses(difference: Difference, originalAddress: (address: string) => string): Difference {
  const other = difference.in === 'a' ? difference.address : originalAddress(difference.address)
  if (other === difference.address) return difference
  return difference.in === 'b' ? { ...difference, address: other } : { ...difference, addressInB: other }
}

/** If a field differs as desired, it has the causes of the desired difference. */
function caused(field: FieldDifference, { kind }: Difference, likely: CausedDifference | undefined): CausedField {
  const [name = ''] = keysOf(field.path)
  const row = catalog[kind].fields[name]
  const desired = likely?.fields.filter(({ path }) => keysOf(path)[0] === name) ?? []
  if (!row || desired.length === 0) return { ...field, causes: [] }
  const same = (one: Json | undefined, live: Json | undefined): boolean =>
    referredKind(row) === undefined
      ? sameValue(row.type, one, live, row.default)
      : sameReferences(one ?? null, live ?? null)
  const isDesired = (one: CausedField): boolean => same(one.a, field.a) && same(one.b, field.b)
  const areMembers = desired.every(({ path }) => keysOf(path).length > 1)
  const isExplained = areMembers ? membersExplained(field, row, desired) : desired.every(isDesired)
  return { ...field, causes: isExplained ? desired.flatMap(({ causes }) => causes) : [] }
}

/**
 * For a field whose members are managed one by one: whether exactly those members differ that should differ, with the desired
 * values.
 */
function membersExplained(field: FieldDifference, { type }: Field, desired: readonly CausedField[]): boolean {
  if (type.is !== 'shape') return false
  // The platform may leave out an object whose members are all empty.
  const [a, b] = [objectOf(field.a), objectOf(field.b)]
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => {
    const member = desired.find((each) => each.path === `${field.path}${pointerTo(key)}`)
    const row = shapes[type.shape][key]
    const same = (one: Json | undefined, live: Json | undefined): boolean =>
      row ? sameValue(row.type, one, live, row.default) : sameJson(one, live)
    const isExplained = member !== undefined && same(member.a, a[key]) && same(member.b, b[key])
    return isExplained || same(a[key], b[key])
  })
}
