import { catalog } from '../../catalog/catalog.js'
import { append, groupBy } from '../../json/groups.js'
import { by } from '../../json/order.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { CreateChange, RenamedFrom, Similarity } from '../plan.js'
import type { Located } from './locate.js'
import type { Matches } from './match.js'
import { declaredFeatures, type Features, liveFeatures, similarity, similarityOfMoved } from './similarity.js'

/** The live object that a create probably renames: it would create a similar one beside it. */
export interface PossibleRename extends Pick<RenamedFrom, 'leftover' | 'similarity'> {
  readonly live: LiveObject
}

/**
 * The relation of a live object that no manifest declares to this plan. An object that is not ours never had another name of
 * ours.
 */
export type Leftover = RenamedFrom['leftover'] | 'not ours'

/**
 * Finds creates with a similar sibling that vanished or is unmanaged, and pairs each with the most similar free sibling. A new id
 * loses keys, so an undeclared rename must not be taken for a create (design §4, Adoption and renames; A140). The result is by
 * the address of the create. A create is compared with a few dozen siblings at most, which are found by common features.
 */
export function findPossibleRenames(
  creates: readonly CreateChange[],
  leftover: (object: LiveObject) => Leftover,
  world: Matches,
): ReadonlyMap<string, PossibleRename> {
  if (world.live.all.length === 0) return new Map()
  const groups = groupBy(
    creates.filter((create) => mayBeRenamed(create, world)),
    ({ kind, resource }) => `${kind}\n${resource.parent ?? ''}`,
  )
  return new Map([...groups.values()].flatMap((group) => [...pairsIn(group, leftover, world)]))
}

/** Links are identified by their linked objects, secret keys by their values: neither can be renamed. */
export function mayBeRenamed(change: CreateChange, world: Matches): boolean {
  const kind = catalog[change.kind]
  if (kind.naming === undefined || kind.association || kind.fixedSet || kind.fields[kind.naming]?.secret) return false
  return !world.matched.has(change.address)
}

/** The live siblings of the object to be created. */
export function siblings({ kind, resource }: CreateChange, world: Matches): readonly LiveObject[] {
  const { parent, ancestors } = resource
  if (parent === undefined) return world.live.among(kind, undefined)
  // A parent that no manifest declares is found by the names of the ancestors.
  const live = world.resources.has(parent) ? world.matched.get(parent) : liveParent(ancestors, world)
  return live ? world.live.among(kind, live) : []
}

function liveParent(ancestors: Resource['ancestors'], world: Matches): LiveObject | undefined {
  let nearest: Located | undefined
  for (const ancestor of ancestors) {
    const found = world.locate(ancestor.kind, ancestor, nearest)
    if (typeof found === 'string') return undefined
    nearest = found
  }
  return nearest?.live
}

/** The maximum number of siblings with which a create is compared in one round. */
const mostCompared = 24

/** The maximum number of rounds. A create whose best sibling was paired with another one is compared again. */
const mostRounds = 20

/** A create with its features. */
interface DescribedCreate {
  readonly create: CreateChange
  readonly features: Features
}

/** A live object that no manifest declares, with its features. */
interface RenameCandidate {
  readonly live: LiveObject
  readonly leftover: PossibleRename['leftover']
  readonly features: Features
  /** Whether most of its siblings have the same feature. */
  readonly isCommon: (name: string, text: string) => boolean
}

/** Pairs the creates of one kind under one parent with their most similar siblings. */
function pairsIn(
  creates: readonly CreateChange[],
  leftover: (object: LiveObject) => Leftover,
  world: Matches,
): ReadonlyMap<string, PossibleRename> {
  const pairs = new Map<string, PossibleRename>()
  let candidates = candidatesBeside(creates, leftover, world)
  if (candidates.length === 0) return pairs
  let open = creates.map((create): DescribedCreate => ({ create, features: declaredFeatures(create.resource, world) }))
  for (let round = 0; round < mostRounds; round += 1) {
    const found = bestPairs(open, candidates)
    if (found.length === 0) break
    const taken = new Set(found.map(({ candidate }) => candidate))
    for (const { create, candidate, similarity } of found) pairs.set(create.address, { ...candidate, similarity })
    candidates = candidates.filter((each) => !taken.has(each))
    open = open.filter(({ create }) => !pairs.has(create.address))
  }
  return pairs
}

/** The siblings that no manifest declares, sorted by name. */
function candidatesBeside(
  [first]: readonly CreateChange[],
  leftoverOf: (object: LiveObject) => Leftover,
  world: Matches,
): readonly RenameCandidate[] {
  const all = first ? siblings(first, world) : []
  const free = all.flatMap((live) => {
    const leftover = world.claimed.has(live) ? 'not ours' : leftoverOf(live)
    return leftover === 'not ours' ? [] : [{ live, leftover }]
  })
  if (free.length === 0) return []
  const isCommonBeside = commonness(all, world)
  return free
    .sort(by(({ live }) => `${live.key}\n${live.id}`))
    .map((each) => ({ ...each, features: liveFeatures(each.live, world), isCommon: isCommonBeside(each.live) }))
}

interface RenamePair {
  readonly create: CreateChange
  readonly candidate: RenameCandidate
  readonly similarity: Similarity
  /** The number of segments that their paths share, if that is relevant for moved objects. */
  readonly near: number
}

/** The names of generated objects follow from their paths, so a changed path looks like a delete and a create. */
function compared(
  { kind, resource }: CreateChange,
  features: Features,
  { features: live, leftover, isCommon }: RenameCandidate,
): Pick<RenamePair, 'similarity' | 'near'> {
  const isMoved = resource.generatedBy && leftover === 'vanished'
  const moved = isMoved ? similarityOfMoved(catalog[kind], features, live, isCommon) : undefined
  return moved ?? { similarity: similarity(catalog[kind], features, live, isCommon), near: 0 }
}

/** Similar pairs, the most similar first. Each create and each candidate is in one pair at most. */
function bestPairs(creates: readonly DescribedCreate[], candidates: readonly RenameCandidate[]): readonly RenamePair[] {
  const near = byFeature(candidates)
  const proposals = creates.flatMap(({ create, features }, rank) =>
    near(features, rank).flatMap((candidate): RenamePair[] => {
      const found = compared(create, features, candidate)
      return isSimilar(found.similarity, candidate.leftover) ? [{ create, candidate, ...found }] : []
    }),
  )
  const taken = new Set<CreateChange | RenameCandidate>()
  return proposals
    .sort((left, right) => score(right) - score(left))
    .filter(({ create, candidate }) => {
      if (taken.has(create) || taken.has(candidate)) return false
      taken.add(create).add(candidate)
      return true
    })
}

/**
 * Whether most of the fields or most of the children are the same, or all but one. For an object that is about to vanish, common
 * values are enough: a wrong delete costs more than a question. An object that is only unmanaged must share two features that
 * most siblings do not have.
 */
function isSimilar({ fields, children }: Similarity, leftover: PossibleRename['leftover']): boolean {
  if (leftover === 'vanished') {
    return [fields, children].some(({ same, different }) => same > different || (same > 0 && different <= 1))
  }
  const isMostly = [fields, children].some(({ rare, different }) => rare > different)
  return isMostly && fields.rare + children.rare > 1
}

const score = ({ candidate, similarity: { fields, children }, near }: RenamePair): number =>
  near +
  (candidate.leftover === 'vanished' ? 0.5 : 0) +
  [fields, children].reduce((sum, { same, rare, different }) => sum + same + rare - different, 0)

/** With fewer siblings, no feature counts as common. */
const fewSiblings = 2

/** The maximum number of siblings whose features are counted. */
const mostCounted = 500

/** Whether more than half of the other siblings of an object have the same feature. */
function commonness(all: readonly LiveObject[], world: Matches): (object: LiveObject) => RenameCandidate['isCommon'] {
  const counted = new Set(all.slice(0, mostCounted))
  const counts = new Map<string, number>()
  for (const object of counted) {
    for (const feature of liveFeatures(object, world)) {
      const text = feature.join('\n')
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
  }
  return (object) => {
    const own = counted.has(object) ? 1 : 0
    const others = counted.size - own
    return (name, text) => others >= fewSiblings && 2 * ((counts.get(`${name}\n${text}`) ?? 0) - own) > others
  }
}

/**
 * Finds candidates with common features, those with the rarest common feature first. If many candidates have a feature, each
 * create (`rank`) gets different ones, so that every create finds one.
 */
function byFeature(
  candidates: readonly RenameCandidate[],
): (features: Features, rank: number) => readonly RenameCandidate[] {
  const lists = new Map<string, RenameCandidate[]>()
  for (const candidate of candidates) {
    for (const [name, text] of candidate.features) if (text !== '') append(lists, `${name}\n${text}`, candidate)
  }
  return (features, rank) => {
    const shared = [...features].map(([name, text]) => lists.get(`${name}\n${text}`) ?? [])
    const found = new Set<RenameCandidate>()
    for (const list of shared.sort((left, right) => left.length - right.length)) {
      const start = list.length > mostCompared ? rank : 0
      for (let step = 0; step < Math.min(list.length, mostCompared) && found.size < mostCompared; step += 1) {
        const candidate = list[(start + step) % list.length]
        if (candidate) found.add(candidate)
      }
    }
    return [...found]
  }
}
