import { catalog } from '../../catalog/catalog.js'
import { append, groupBy } from '../../json/groups.js'
import { by } from '../../json/order.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { CreateChange, RenamedFrom, Similarity } from '../plan.js'
import type { Located } from './locate.js'
import type { Matches } from './match.js'
import { declaredFeatures, type Features, liveFeatures, similarity, similarityOfMoved } from './similarity.js'

/** A create that is most likely a rename: the live object that it would be a second one of. */
export interface PossibleRename extends Pick<RenamedFrom, 'leftover' | 'similarity'> {
  readonly live: LiveObject
}

/** What a live object that no manifest declares is to the plan: what is not ours was never another name of ours. */
export type Leftover = RenamedFrom['leftover'] | 'not ours'

/**
 * Creates beside a vanished or unmanaged sibling that is similar, each with the most similar one that is left: a new id
 * loses keys, so a rename that was not declared must not pass for a create (design §4, Adoption and renames; A140). By the
 * address of the create. A create is compared with a few dozen siblings at most, found by what they have in common.
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

/** Links are known by what they link to, secret keys by their value: neither can be renamed. */
export function mayBeRenamed(change: CreateChange, world: Matches): boolean {
  const kind = catalog[change.kind]
  if (kind.naming === undefined || kind.association || kind.fixedSet || kind.fields[kind.naming]?.secret) return false
  return !world.matched.has(change.address)
}

/** The live objects among which a create would put another one. */
export function siblings({ kind, resource }: CreateChange, world: Matches): readonly LiveObject[] {
  const { parent, ancestors } = resource
  if (parent === undefined) return world.live.among(kind, undefined)
  // A parent that no manifest declares is looked for along its names.
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

/** So many siblings a create is compared with in one round. */
const mostCompared = 24

/** Who finds that the sibling it asked for has been given to another asks again. */
const mostRounds = 20

/** A create with what it is like. */
interface Described {
  readonly create: CreateChange
  readonly features: Features
}

/** A live object that no manifest declares, with what it is like. */
interface Candidate {
  readonly live: LiveObject
  readonly leftover: PossibleRename['leftover']
  readonly features: Features
  /** Whether most of its siblings have a feature as well. */
  readonly isCommon: (name: string, text: string) => boolean
}

/** The creates of one kind under one parent with the siblings that they may be. */
function pairsIn(
  creates: readonly CreateChange[],
  leftover: (object: LiveObject) => Leftover,
  world: Matches,
): ReadonlyMap<string, PossibleRename> {
  const pairs = new Map<string, PossibleRename>()
  let candidates = candidatesBeside(creates, leftover, world)
  if (candidates.length === 0) return pairs
  let open = creates.map((create): Described => ({ create, features: declaredFeatures(create.resource, world) }))
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

/** The siblings that no manifest declares, by their names. */
function candidatesBeside(
  [first]: readonly CreateChange[],
  leftoverOf: (object: LiveObject) => Leftover,
  world: Matches,
): readonly Candidate[] {
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

interface Pair {
  readonly create: CreateChange
  readonly candidate: Candidate
  readonly similarity: Similarity
  /** How near their paths are, where that tells one from another. */
  readonly near: number
}

/** Names of what is generated follow its paths: a path that changed looks like a delete and a create. */
function compared(
  { kind, resource }: CreateChange,
  features: Features,
  { features: live, leftover, isCommon }: Candidate,
): Pick<Pair, 'similarity' | 'near'> {
  const isMoved = resource.generatedBy && leftover === 'vanished'
  const moved = isMoved ? similarityOfMoved(catalog[kind], features, live, isCommon) : undefined
  return moved ?? { similarity: similarity(catalog[kind], features, live, isCommon), near: 0 }
}

/** Pairs that are similar, the most similar first: each create and each candidate is in one of them at most. */
function bestPairs(creates: readonly Described[], candidates: readonly Candidate[]): readonly Pair[] {
  const near = byFeature(candidates)
  const proposals = creates.flatMap(({ create, features }, rank) =>
    near(features, rank).flatMap((candidate): Pair[] => {
      const found = compared(create, features, candidate)
      return isSimilar(found.similarity, candidate.leftover) ? [{ create, candidate, ...found }] : []
    }),
  )
  const taken = new Set<CreateChange | Candidate>()
  return proposals
    .sort((left, right) => score(right) - score(left))
    .filter(({ create, candidate }) => {
      if (taken.has(create) || taken.has(candidate)) return false
      taken.add(create).add(candidate)
      return true
    })
}

/**
 * Most of the fields, or most of the children, are the same, or all but one. What is about to vanish may have only common
 * values: to delete it by mistake costs more than a question. What is only unmanaged must have two things in common that
 * tell it from others.
 */
function isSimilar({ fields, children }: Similarity, leftover: PossibleRename['leftover']): boolean {
  if (leftover === 'vanished') {
    return [fields, children].some(({ same, different }) => same > different || (same > 0 && different <= 1))
  }
  const isMostly = [fields, children].some(({ rare, different }) => rare > different)
  return isMostly && fields.rare + children.rare > 1
}

const score = ({ candidate, similarity: { fields, children }, near }: Pair): number =>
  near +
  (candidate.leftover === 'vanished' ? 0.5 : 0) +
  [fields, children].reduce((sum, { same, rare, different }) => sum + same + rare - different, 0)

/** Fewer siblings than these say nothing of what is common. */
const fewSiblings = 2

/** Of so many siblings at most the features are counted. */
const mostCounted = 500

/** Whether more than half of the other siblings of an object have a feature as well. */
function commonness(all: readonly LiveObject[], world: Matches): (object: LiveObject) => Candidate['isCommon'] {
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
 * Finds candidates that have features in common with something: those with the rarest feature first. Of many that are alike
 * it gives each asker (`rank`) others, so that everybody finds one.
 */
function byFeature(candidates: readonly Candidate[]): (features: Features, rank: number) => readonly Candidate[] {
  const lists = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    for (const [name, text] of candidate.features) if (text !== '') append(lists, `${name}\n${text}`, candidate)
  }
  return (features, rank) => {
    const shared = [...features].map(([name, text]) => lists.get(`${name}\n${text}`) ?? [])
    const found = new Set<Candidate>()
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
