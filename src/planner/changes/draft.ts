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
import { type BrokenReference, type ReferenceScope, referenceTarget } from '../references/scope.js'
import type { Acceptances } from '../safety/accept.js'
import type { Acceptance } from '../safety/acceptance.js'

/** The input for drafting changes. It does not change while the plan is made. */
export interface DraftContext {
  readonly world: Matches
  readonly base: Base | undefined
  readonly settings: PlanSettings
  readonly fingerprint: Fingerprint
  /** Resolves names of today's manifests. */
  readonly references: ReferenceScope
  /** Reads the base without the objects that this plan deletes or replaces. */
  readonly earlier: BaseReading
  /** Resources with a difference in fields that cannot be changed, with these fields. */
  readonly different: ReadonlyMap<string, readonly string[]>
  /** The reason for each of these resources that may not be deleted and created again. */
  readonly forbidden: ReadonlyMap<string, string>
  /** Those of these resources that may be deleted and created again. */
  readonly replaced: ReadonlyMap<string, readonly string[]>
  readonly accepted: Acceptances
  /** Declared objects whose absence is accepted, by address. */
  readonly gone: ReadonlyMap<string, Acceptance | undefined>
  /** A digest of a text, "sha256:…". */
  readonly digest: (text: string) => string
}

/** The result of planning one object. */
export interface Drafted {
  readonly change?: Change | undefined
  readonly problems: readonly Problem[]
  readonly broken: readonly BrokenReference[]
  readonly skipped: readonly Skipped[]
  readonly accepted: readonly AcceptedDrift[]
}

/** The properties that most changes do not have. */
export const plain = { dependsOn: [], hazards: [], reason: undefined, support: undefined } as const

/** A digest of the values on which a change relies, "sha256:…". */
export const preconditionOf = (basis: Json, { digest }: DraftContext): string => digest(JSON.stringify(basis))

/** The parents of a resource that were found, outermost first. */
function parentsOf({ ancestors }: Resource, { world }: DraftContext): readonly Located[] {
  const found: Located[] = []
  for (const ancestor of ancestors) {
    const parent = world.locate(ancestor.kind, ancestor, found.at(-1))
    if (typeof parent === 'string') break
    found.push(parent)
  }
  return found
}

/** The ids in the paths of a resource's requests, without its own id. */
export function pathOf(resource: Resource, context: DraftContext): Readonly<Record<string, ReferenceTarget>> {
  const { within } = catalog[resource.kind]
  const parents = parentsOf(resource, context)
  const path = Object.fromEntries(
    parents.map((found, index): [string, ReferenceTarget] => {
      const kind = resource.ancestors[index]?.kind
      return [kind === undefined ? '' : catalog[kind].idParameter, referenceTarget(found, context.references.removals)]
    }),
  )
  const isWhole = parents.length === resource.ancestors.length
  return within && isWhole ? { ...path, [within.parameter]: { is: 'live', id: resource.owner ?? '' } } : path
}

/** The id of a live object, as a path parameter. */
export function ownId({ kind, id }: LiveObject): Readonly<Record<string, ReferenceTarget>> {
  return id === '' ? {} : { [catalog[kind].idParameter]: { is: 'live', id } }
}

/** The live objects of the same kind in the same parent. Empty for kinds that are not written through their parent. */
export function siblingsOf(resource: Resource, context: DraftContext): readonly LiveObject[] {
  if (!isThroughParent(resource.kind)) return []
  const { world } = context
  const declared = resource.parent === undefined ? undefined : world.matched.get(resource.parent)
  const parents = parentsOf(resource, context)
  const live = declared ?? (parents.length === resource.ancestors.length ? parents.at(-1)?.live : undefined)
  return live ? world.live.among(resource.kind, live) : []
}

export const isThroughParent = (kind: KindName): boolean => throughParent(catalog[kind], 'create') !== undefined
