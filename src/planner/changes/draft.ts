import { catalog } from '../../catalog/catalog.js'
import type { KindName } from '../../catalog/types.js'
import type { Json } from '../../json/json.js'
import type { LiveObject } from '../../live/live-object.js'
import type { Resource } from '../../manifest/resource.js'
import type { Problem } from '../../problems/problem.js'
import type { Fingerprint } from '../../secrets/fingerprint.js'
import type { Base } from '../base/base-object.js'
import { throughParent } from '../block.js'
import type { BaseReading } from '../compare/since-base.js'
import type { Located } from '../match/locate.js'
import type { Matches } from '../match/match.js'
import type { AcceptedDrift, Change, PlanSettings, ReferenceTarget, Skipped } from '../plan.js'
import { type BrokenReference, type ReferenceScope, targetOf } from '../references/scope.js'
import type { Acceptances } from '../safety/accept.js'
import type { Acceptance } from '../safety/acceptance.js'

/** What the changes of a plan are drafted from: nothing of it changes meanwhile. */
export interface DraftContext {
  readonly world: Matches
  readonly base: Base | undefined
  readonly settings: PlanSettings
  readonly fingerprint: Fingerprint
  /** Resolves names of today's manifests. */
  readonly references: ReferenceScope
  /** Reads the base, which has nothing about objects that this plan will delete or replace. */
  readonly earlier: BaseReading
  /** Resources of which a field differs that cannot change, with these fields. */
  readonly different: ReadonlyMap<string, readonly string[]>
  /** Why one of them may not be deleted and created again. */
  readonly forbidden: ReadonlyMap<string, string>
  /** Those of them that may be. */
  readonly replaced: ReadonlyMap<string, readonly string[]>
  readonly accepted: Acceptances
  /** Declared objects that are accepted to be gone, by address. */
  readonly gone: ReadonlyMap<string, Acceptance | undefined>
  /** A digest of a text, "sha256:…". */
  readonly digest: (text: string) => string
}

/** What planning one object comes to, if there is anything to say of it. */
export interface Drafted {
  readonly change?: Change | undefined
  readonly problems: readonly Problem[]
  readonly broken: readonly BrokenReference[]
  readonly skipped: readonly Skipped[]
  readonly accepted: readonly AcceptedDrift[]
}

/** What most changes have none of. */
export const plain = { dependsOn: [], hazards: [], reason: undefined, support: undefined } as const

/** "sha256:…" of what a change relies on. */
export const preconditionOf = (basis: Json, { digest }: DraftContext): string => digest(JSON.stringify(basis))

/** The parents of a resource, outermost first, as far as they are found. */
function parentsOf({ ancestors }: Resource, { world }: DraftContext): readonly Located[] {
  const found: Located[] = []
  for (const ancestor of ancestors) {
    const parent = world.locate(ancestor.kind, ancestor, found.at(-1))
    if (typeof parent === 'string') break
    found.push(parent)
  }
  return found
}

/** The ids in the paths of a resource's requests, its own apart. */
export function pathOf(resource: Resource, context: DraftContext): Readonly<Record<string, ReferenceTarget>> {
  const { within } = catalog[resource.kind]
  const parents = parentsOf(resource, context)
  const path = Object.fromEntries(
    parents.map((found, index): [string, ReferenceTarget] => {
      const kind = resource.ancestors[index]?.kind
      return [kind === undefined ? '' : catalog[kind].idParameter, targetOf(found, context.references.removals)]
    }),
  )
  const isWhole = parents.length === resource.ancestors.length
  return within && isWhole ? { ...path, [within.parameter]: { is: 'live', id: resource.owner ?? '' } } : path
}

/** The id of a live object, as a parameter of paths. */
export function ownId({ kind, id }: LiveObject): Readonly<Record<string, ReferenceTarget>> {
  return id === '' ? {} : { [catalog[kind].idParameter]: { is: 'live', id } }
}

/** For a kind that is written through its parent: the live objects of that kind there. */
export function siblingsOf(resource: Resource, context: DraftContext): readonly LiveObject[] {
  if (!isThroughParent(resource.kind)) return []
  const { world } = context
  const declared = resource.parent === undefined ? undefined : world.matched.get(resource.parent)
  const parents = parentsOf(resource, context)
  const live = declared ?? (parents.length === resource.ancestors.length ? parents.at(-1)?.live : undefined)
  return live ? world.live.among(resource.kind, live) : []
}

export const isThroughParent = (kind: KindName): boolean => throughParent(catalog[kind], 'create') !== undefined
