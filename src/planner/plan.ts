import type { Hazard } from '../catalog/hazards.js'
import type { PickedField } from '../catalog/queries.js'
import { recordOf } from '../catalog/record.js'
import type { KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import type { LiveObject } from '../live/live-object.js'
import type { SourceRanges } from '../manifest/ranges.js'
import type { Resource } from '../manifest/resource.js'
import type { SourceRange } from '../manifest/source.js'
import type { Problem } from '../problems/problem.js'
import type { Base } from './base/base-object.js'
import type { Acceptance, Lapsed } from './safety/acceptance.js'

/** The plan: the ordered, complete list of changes. All views print this value, and apply executes it. */
export interface Plan {
  /** In an order in which they can be made one by one. */
  readonly changes: readonly Change[]
  readonly unmanaged: readonly Unmanaged[]
  /** The number of declared objects that have the desired values. */
  readonly unchanged: number
  /** The live object of each matched declared object, by address. */
  readonly matched: ReadonlyMap<string, LiveObject>
  /** What was last applied, under today's addresses. Undefined if nothing is known. */
  readonly base: Base | undefined
  /** The fields in which manifests write "*", with the objects that this means now, in the form of manifests. By address. */
  readonly expanded: ReadonlyMap<string, JsonObject>
  /** Addresses of all live objects that were read and that no manifest declares, without the objects of other projects. */
  readonly undeclared: readonly string[]
  /** Objects or fields that do not get the values of the manifests: their live values are kept, or they are not selected. */
  readonly skipped: readonly Skipped[]
  /** Some changes were left out: they are not selected, or were found after the plan was approved. */
  readonly isPart?: true
  /** Drift that is left alone because somebody accepted it. */
  readonly accepted: readonly AcceptedDrift[]
  /** Only in a rollback. In other plans, these are problems. */
  readonly notRestored?: readonly NotRestored[]
  /**
   * Only in a rollback: fields or objects that nobody manages after the rollback, because nobody had applied them. By address.
   */
  readonly released?: ReadonlyMap<string, readonly string[] | 'all'>
  /** Warnings, notes and errors. A plan with errors has no changes, except in a report. */
  readonly problems: readonly Problem[]
}

export interface Skipped {
  readonly address: string
  readonly paths: readonly string[] | 'all'
}

/** Accepted drift as it is now. `field` is undefined if the whole object is missing or is an additional one. */
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
  /** Absent if the object is created. */
  readonly before?: Json
  /** Absent if the object is deleted. */
  readonly after?: Json
  /** True for secrets: no view may print either value. */
  readonly sensitive: boolean
  /** The value in the manifest contains a secret that is unavailable, so `after` is not meaningful. */
  readonly unavailable?: true
  readonly verdict: Verdict
  /** For a conflict: the last applied value. Absent if only a fingerprint of it is known. */
  readonly applied?: Json
}

/** A field of a live object that is lost if the object is deleted. */
export interface KnownField {
  /** JSON Pointer within the object, as in `FieldChange`. */
  readonly path: string
  /** In the form of manifests, with lists in canonical order. */
  readonly value: Json
  /** True if it may be secret: then only a fingerprint of it is written. */
  readonly sensitive: boolean
}

interface ChangeBase {
  readonly address: string
  readonly kind: KindName
  readonly fields: readonly FieldChange[]
  /** The verdict on the whole change: the most severe verdict of its fields. */
  readonly verdict: Verdict
  /** The position of the declaration. Absent for a delete that no manifest names. */
  readonly source: SourceRange | undefined
  /** Addresses of the changes that must be done first. */
  readonly dependsOn: readonly string[]
  /** A digest ("sha256:…") of the state on which the change relies: the managed fields of the live object, or its absence. */
  readonly precondition: string
  readonly hazards: readonly Hazard[]
  /**
   * The reason, if it is not obvious: why the change is blocked, why the object must be replaced, or that a live object is
   * adopted.
   */
  readonly reason: string | undefined
  /** The support of the operation by the document, if it is not fully documented. */
  readonly support: Support | undefined
  /** The ids in the paths of its requests, by parameter name. */
  readonly path: Readonly<Record<string, ReferenceTarget>>
  /** Addresses of changes whose temporary values must be written first: their objects have a value that this change takes. */
  readonly afterTemporary?: readonly string[]
  /** For a kind that is written through its parent: the live objects of that kind in the same parent. Otherwise empty. */
  readonly siblings: readonly LiveObject[]
  /** Acceptances for this change that are no longer valid. */
  readonly lapsed?: readonly Lapsed[]
}

/** An operation that is conventional, or documented with a caveat. */
export interface Support {
  readonly is: 'conventional' | 'caveat'
  /** The operation with its path, or the caveat in the document. */
  readonly text: string
}

export interface CreateChange extends ChangeBase {
  readonly action: 'create'
  readonly resource: Resource
  readonly values: FieldValues
  /** The linked object, if the object is a link. */
  readonly link: ReferenceEntry | undefined
  /** A similar sibling that no manifest declares: the create is probably a rename. */
  readonly possibleRename: RenamedFrom | undefined
}

/** A live object that is similar to the object of a create, with their similarity. */
export interface RenamedFrom {
  readonly address: string
  readonly name: string
  /** `vanished`: it was applied, and no manifest declares it any more; `unmanaged`: this project never applied it. */
  readonly leftover: 'vanished' | 'unmanaged'
  readonly similarity: Similarity
}

/** How many of the fields and children in a manifest a live object has too. */
export interface Similarity {
  readonly fields: Shared
  readonly children: Shared
}

interface Shared {
  readonly same: number
  /** Those of `same` that most siblings do not have, so that they distinguish one object from another. */
  readonly rare: number
  readonly different: number
}

export interface UpdateChange extends ChangeBase {
  readonly action: 'update'
  readonly resource: Resource
  readonly live: LiveObject
  readonly values: FieldValues
  /** Values that the object must have temporarily, so that other objects can change first. */
  readonly temporary: Temporary | undefined
}

/** Values that are written before those of the change itself. */
interface Temporary {
  /**
   * `route`: endpoints that exchange their paths; none may remain at its temporary path, which no caller knows. `limits`: limits
   * that are wide enough for the keys before and after their changes.
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
  /** The address of the deleted parent whose request also deletes this object, if there is one. */
  readonly within: string | undefined
  /** It was applied with `protect: true`. */
  readonly protected: boolean
  /**
   * The values that are lost. If the object is edited after the plan was made, it differs from the one that was approved for
   * deletion.
   */
  readonly known: readonly KnownField[]
}

export interface BlockedChange extends ChangeBase {
  readonly action: 'blocked'
  readonly reason: string
  readonly wants: 'create' | 'update' | 'replace' | 'delete'
  readonly live: LiveObject | undefined
  /** For a delete: it is blocked because a remaining object uses this one. */
  readonly isStillUsed?: true
  /** The address of the blocked change that this one needs. It has the cause. */
  readonly needs?: string
  /** The positions of its fields in the manifests. Absent for a delete. */
  readonly ranges?: SourceRanges
}

export type Change = CreateChange | UpdateChange | ReplaceChange | DeleteChange | BlockedChange

export type Action = Change['action']

/** The action of a change. For a blocked change, the action that it would have. */
export const desiredAction = (change: Change): Exclude<Action, 'blocked'> =>
  change.action === 'blocked' ? change.wants : change.action

/** Whether the change creates an object: a new one, or a replacement. */
export const isCreating = (change: Change): change is CreateChange | ReplaceChange =>
  change.action === 'create' || change.action === 'replace'

/**
 * The address of the change whose request makes this change. An object that is deleted with its parent has the address of the
 * parent.
 */
export const requestedAt = (change: Change): string =>
  change.action === 'delete' ? (change.within ?? change.address) : change.address

/** The live object that a change is about; undefined if there is none. */
export const liveOf = (change: Change): LiveObject | undefined => (change.action === 'create' ? undefined : change.live)

/** The live objects that changes delete. Those of a replacement are not among them. */
export const deletedIn = (changes: readonly Change[]): ReadonlySet<LiveObject> =>
  new Set(changes.flatMap((change) => (change.action === 'delete' ? [change.live] : [])))

/** The values in a request, by field. */
export type FieldValues = Readonly<Record<string, FieldValue>>

export type FieldValue =
  | { readonly is: 'value'; readonly value: Json }
  | { readonly is: 'reference'; readonly entry: ReferenceEntry }
  | { readonly is: 'references'; readonly entries: readonly ReferenceEntry[] }

/** The values without references. */
export const plainValues = (values: FieldValues): JsonObject =>
  recordOf(Object.entries(values).flatMap(([name, value]) => (value.is === 'value' ? [[name, value.value]] : [])))

/** A resolved reference. `extra` are its own members, such as the action of a service's role. */
export interface ReferenceEntry {
  readonly target: ReferenceTarget
  readonly name: string
  /** The name of the target's parent, if the field can refer to children of several parents. */
  readonly owner: string | undefined
  readonly extra: Readonly<Record<string, Json>>
  readonly nested: NestedEntries | undefined
}

/** The references in the values of a change. For a link also the reference to the linked object. */
export const referencesOf = (change: CreateChange | UpdateChange | ReplaceChange): readonly ReferenceEntry[] => [
  ...Object.values(change.values).flatMap(referencesIn),
  ...(change.action === 'create' && change.link ? [change.link] : []),
]

/** The references in a value of a request. */
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

/** The addresses of objects that the plan creates and that the references, or references inside them, name. */
export const madeTargets = (entries: readonly ReferenceEntry[]): readonly string[] =>
  entries.flatMap(({ target, nested }) => [
    ...(target.is === 'desired' ? [target.address] : []),
    ...madeTargets(nested?.entries ?? []),
  ])

/** References inside a target: the methods of a plan service's endpoint, or the filter of a method, if it has one. */
export interface NestedEntries {
  readonly field: string
  readonly picks: PickedField['picks']
  readonly entries: readonly ReferenceEntry[]
}

/** An id, or the address of an object whose id is not known yet. */
export type ReferenceTarget =
  | { readonly is: 'live'; readonly id: string }
  | { readonly is: 'desired'; readonly address: string }

/**
 * What a rollback cannot restore, because something that it needs does not exist. `path` names a field if the rest of the object
 * can be restored.
 */
export interface NotRestored {
  readonly address: string
  readonly path?: string
  readonly why: string
}

/** A live object that no manifest declares. It is counted and never changed. */
export interface Unmanaged {
  readonly address: string
  readonly kind: KindName
  readonly id: string
  /** True for a child that is missing in a written list of its parent and may not be deleted. */
  readonly inList: boolean
  /** True if a run applied such a child: it was removed from the manifests, and nobody else created it. */
  readonly applied?: boolean
  /** Acceptances for this object that are no longer valid. */
  readonly lapsed?: readonly Lapsed[]
}

/** The settings for making a plan. */
export interface PlanSettings {
  readonly prune: 'none' | 'applied' | 'all'
  /** The kinds and name patterns to which `prune: all` is limited; empty: no limit. */
  readonly scope: { readonly kinds: readonly string[]; readonly names: readonly string[] }
  readonly conventionalOperations: 'use' | 'refuse'
  /** The side that is used if both differ from the base. Undefined: undecided, and apply refuses conflicts. */
  readonly take: 'manifest' | 'live' | undefined
  /**
   * A `report` does not predict what an apply would do, and shows the comparable part even if there are errors. In it, an object
   * that is not found by its name is searched for by its recorded id, because somebody may have renamed it. A `rollback` creates
   * only some of its objects again, so only those must have the fields that the interface requires.
   */
  readonly madeFor?: 'report' | 'rollback'
  /** The reason for deleting objects that are in the base and in no manifest, if they were not removed from the manifests. */
  readonly goneBecause?: string
  /** Whether an object may be replaced that is not in the records. */
  readonly allowReplace: boolean
}
