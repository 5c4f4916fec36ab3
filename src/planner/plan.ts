import type { Hazard } from '../catalog/hazards.js'
import type { PickedField } from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import type { KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import type { LiveObject } from '../live/live-object.js'
import type { Marks } from '../manifest/marks.js'
import type { Resource } from '../manifest/resource.js'
import type { Mark } from '../manifest/source.js'
import type { Problem } from '../problems/problem.js'
import type { Base } from './base/base-object.js'
import type { Acceptance, Lapsed } from './safety/acceptance.js'

/** The plan: the ordered, complete list of changes. A value that every view prints and that apply performs. */
export interface Plan {
  /** In an order in which they could be made one by one. */
  readonly changes: readonly Change[]
  readonly unmanaged: readonly Unmanaged[]
  /** How many declared objects are as they should be. */
  readonly unchanged: number
  /** The live object that each declared one stands for, by address. */
  readonly matched: ReadonlyMap<string, LiveObject>
  /** What was last applied, under today's addresses; undefined if nothing is known of it. */
  readonly base: Base | undefined
  /** The fields in which manifests write "*", with what that stands for now, as manifests write it: by address. */
  readonly expanded: ReadonlyMap<string, JsonObject>
  /** Addresses of all live objects that were read and that no manifest declares, without what is another project's now. */
  readonly undeclared: readonly string[]
  /** Objects, or fields of them, that are not brought to what the manifests say: left to the live side, or not selected. */
  readonly skipped: readonly Skipped[]
  /** Changes were left out: they are not selected, or came up after the plan was approved. */
  readonly isPart?: true
  /** Drift that somebody accepted, and that is left alone for that. */
  readonly accepted: readonly AcceptedDrift[]
  /** Of a rollback; in other plans such things are problems. */
  readonly hindered?: readonly Hindered[]
  /** Of a rollback: the fields, or objects, that are nobody's once they are put back, since nobody had applied them; by address. */
  readonly released?: ReadonlyMap<string, readonly string[] | 'all'>
  /** Warnings and notes, and what makes the plan impossible (errors: then there are no changes but in a report). */
  readonly problems: readonly Problem[]
}

export interface Skipped {
  readonly address: string
  readonly paths: readonly string[] | 'all'
}

/** Accepted drift as it is now; `field` is undefined where the object as a whole is gone, or is one more. */
export interface AcceptedDrift {
  readonly address: string
  readonly kind: KindName
  readonly acceptance: Acceptance
  readonly field: FieldChange | undefined
  /** Of an object that is one more: a run applied it, and it was removed from the manifests since. */
  readonly applied?: boolean
}

export type Verdict = 'pending' | 'drift' | 'conflict' | 'unverifiable' | 'difference'

/** One managed field that differs. References are shown by their names. */
export interface FieldChange {
  /** JSON Pointer within the object: "/cors/maxAge". */
  readonly path: string
  /** Absent where the object is created. */
  readonly before?: Json
  /** Absent where the object is deleted. */
  readonly after?: Json
  /** True for secrets: no view may print either value. */
  readonly sensitive: boolean
  /** The manifest takes it from a secret that is not set here: `after` says nothing. */
  readonly unavailable?: true
  readonly verdict: Verdict
  /** Of a conflict: what was last applied; absent for what only a fingerprint is known of. */
  readonly applied?: Json
}

/** A field of a live object that is lost with it. */
export interface KnownField {
  /** JSON Pointer within the object, as `FieldChange` has it. */
  readonly path: string
  /** In the words of manifests, lists in canonical order. */
  readonly value: Json
  /** True of what may be secret: nothing but a fingerprint of it is written down. */
  readonly sensitive: boolean
}

interface ChangeBase {
  readonly address: string
  readonly kind: KindName
  readonly fields: readonly FieldChange[]
  /** Of the whole change: the most severe of its fields. */
  readonly verdict: Verdict
  /** Where it is declared; absent for a delete that no manifest names. */
  readonly source: Mark | undefined
  /** Addresses of the changes that must be done first. */
  readonly dependsOn: readonly string[]
  /** "sha256:…" of what the change relied on: the managed fields of the live object, or its absence. */
  readonly precondition: string
  readonly hazards: readonly Hazard[]
  /** Why, where that is not plain: what blocks it, why it must be replaced, that a live object is adopted. */
  readonly reason: string | undefined
  /** What the document says of the operation, where it is not plainly documented. */
  readonly support: Support | undefined
  /** What stands for the ids in the paths of its requests, by parameter name. */
  readonly path: Readonly<Record<string, ReferenceTarget>>
  /** Addresses of changes whose temporary values must be there before: they hold what this one takes. */
  readonly afterTemporary?: readonly string[]
  /** For a kind that is written through its parent: the live objects of that kind there. Otherwise empty. */
  readonly siblings: readonly LiveObject[]
  /** What was accepted of it once, and is not any more. */
  readonly lapsed?: readonly Lapsed[]
}

/** An operation that is conventional, or documented with a doubt. */
export interface Support {
  readonly is: 'conventional' | 'caveat'
  /** The operation with its path, or the document's doubt. */
  readonly text: string
}

export interface CreateChange extends ChangeBase {
  readonly action: 'create'
  readonly resource: Resource
  readonly values: FieldValues
  /** What a link is a link to. */
  readonly link: ReferenceEntry | undefined
  /** The similar sibling that no manifest declares: the create is most likely a rename. */
  readonly possibleRename: RenamedFrom | undefined
}

/** A live object that a create would be a second one of, with what the two have in common. */
export interface RenamedFrom {
  readonly address: string
  readonly name: string
  /** `vanished`: it was applied, and no manifest declares it any more; `unmanaged`: none of ours ever did. */
  readonly leftover: 'vanished' | 'unmanaged'
  readonly similarity: Similarity
}

/** How much of what a manifest writes of an object a live one has as well. */
export interface Similarity {
  readonly fields: Shared
  readonly children: Shared
}

interface Shared {
  readonly same: number
  /** Those of `same` that most of the siblings do not have: they tell one object from another. */
  readonly rare: number
  readonly different: number
}

export interface UpdateChange extends ChangeBase {
  readonly action: 'update'
  readonly resource: Resource
  readonly live: LiveObject
  readonly values: FieldValues
  /** What the object must have for a moment, so that others can change before it does. */
  readonly temporary: Temporary | undefined
}

/** Values of a request before that of the change itself. */
interface Temporary {
  /**
   * `route`: endpoints that swap their paths, of which nobody may stay where nobody calls. `limits`: wide enough for keys
   * before they change and after.
   */
  readonly is: 'route' | 'limits'
  readonly values: FieldValues
}

export interface ReplaceChange extends ChangeBase {
  readonly action: 'replace'
  readonly resource: Resource
  readonly live: LiveObject
  readonly values: FieldValues
}

export interface DeleteChange extends ChangeBase {
  readonly action: 'delete'
  readonly live: LiveObject
  /** Address of the deleted parent whose request takes this object along, if there is one. */
  readonly within: string | undefined
  /** It was applied with `protect: true`. */
  readonly protected: boolean
  /** What is lost with it: an object that is edited after the plan was made is not the one that was approved to go. */
  readonly known: readonly KnownField[]
}

export interface BlockedChange extends ChangeBase {
  readonly action: 'blocked'
  readonly reason: string
  readonly wants: 'create' | 'update' | 'replace' | 'delete'
  readonly live: LiveObject | undefined
  /** Of a delete: what stays and uses it is why. */
  readonly isStillUsed?: true
  /** Where its fields are written; absent of a delete. */
  readonly marks?: Marks
}

export type Change = CreateChange | UpdateChange | ReplaceChange | DeleteChange | BlockedChange

export type Action = Change['action']

/** What a change does, or would do if there were a way. */
export const wantedBy = (change: Change): Exclude<Action, 'blocked'> =>
  change.action === 'blocked' ? change.wants : change.action

/** Whether it creates an object: a new one, or the one that is put in the place of another. */
export const isCreating = (change: Change): change is CreateChange | ReplaceChange =>
  change.action === 'create' || change.action === 'replace'

/** The address of the change whose request makes a change: what goes with its parent is gone when that is. */
export const requestedAt = (change: Change): string =>
  change.action === 'delete' ? (change.within ?? change.address) : change.address

/** The values that a request carries, by field. */
export type FieldValues = Readonly<Record<string, FieldValue>>

export type FieldValue =
  | { readonly is: 'value'; readonly value: Json }
  | { readonly is: 'reference'; readonly entry: ReferenceEntry }
  | { readonly is: 'references'; readonly entries: readonly ReferenceEntry[] }

/** The values as they are; references are left out. */
export const plainValues = (values: FieldValues): JsonObject =>
  recordOf(Object.entries(values).flatMap(([name, value]) => (value.is === 'value' ? [[name, value.value]] : [])))

/** A resolved reference; `extra` are its own members, such as the action of a service's role. */
export interface ReferenceEntry {
  readonly target: ReferenceTarget
  readonly name: string
  /** The name of the parent of the object referred to, where the field may refer to children of several parents. */
  readonly owner: string | undefined
  readonly extra: Readonly<Record<string, Json>>
  readonly nested: NestedEntries | undefined
}

/** What a change that writes something refers to; of a link, also what that is a link to. */
export const referencesOf = (change: CreateChange | UpdateChange | ReplaceChange): readonly ReferenceEntry[] => [
  ...Object.values(change.values).flatMap(referencesIn),
  ...(change.action === 'create' && change.link ? [change.link] : []),
]

/** The references that a value of a request is. */
export function referencesIn(value: FieldValue): readonly ReferenceEntry[] {
  switch (value.is) {
    case 'value':
      return []
    case 'reference':
      return [value.entry]
    case 'references':
      return value.entries
  }
}

/** The addresses of the objects that the plan makes and that references, or those inside them, refer to. */
export const madeTargets = (entries: readonly ReferenceEntry[]): readonly string[] =>
  entries.flatMap(({ target, nested }) => [
    ...(target.is === 'desired' ? [target.address] : []),
    ...madeTargets(nested?.entries ?? []),
  ])

/** References inside the object referred to: the methods of a plan service's endpoint; the one filter of a method, or none. */
export interface NestedEntries {
  readonly field: string
  readonly picks: PickedField['picks']
  readonly entries: readonly ReferenceEntry[]
}

/** What stands for an id until it is known. */
export type ReferenceTarget =
  | { readonly is: 'live'; readonly id: string }
  | { readonly is: 'desired'; readonly address: string }

/** What a rollback cannot bring back, since what that needs is not there; `path` names a field where it is not the whole object. */
export interface Hindered {
  readonly address: string
  readonly path?: string
  readonly why: string
}

/** A live object that no manifest declares: counted, never touched. */
export interface Unmanaged {
  readonly address: string
  readonly kind: KindName
  readonly id: string
  /** True for a child that a written list of its parent lacks and that may not be deleted. */
  readonly inList: boolean
  /** True for one of these that a run applied: it was removed from the manifests, and nobody created it on the platform. */
  readonly applied?: boolean
  /** What was accepted of it once, and is not any more. */
  readonly lapsed?: readonly Lapsed[]
}

/** How a plan is made. */
export interface PlanSettings {
  readonly prune: 'none' | 'applied' | 'all'
  /** Kinds and name globs that `prune: all` is limited to; empty: no limit. */
  readonly scope: { readonly kinds: readonly string[]; readonly names: readonly string[] }
  readonly conventionalOperations: 'use' | 'refuse'
  /** Which side has it where both have left the base; undefined: undecided, which apply refuses. */
  readonly take: 'manifest' | 'live' | undefined
  /**
   * A report does not foretell what an apply would do and meet, and tells what can be compared where something cannot. What is
   * not found by its name is looked for by the id in the records: somebody may have renamed it. Of what a rollback is about only
   * a part is made anew: that alone needs what the interface requires.
   */
  readonly madeFor?: 'report' | 'rollback'
  /** Why an object goes that the base has and no manifest, if not because it was removed from them. */
  readonly goneBecause?: string
  /** Whether an object may be replaced that no record knows. */
  readonly allowReplace: boolean
}
