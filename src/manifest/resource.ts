import type { KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import type { Problem } from '../problems/problem.js'
import type { Marks, WrittenLayer } from './marks.js'
import type { Mark, Source } from './source.js'

/** What a manifest says of one object: flat, every owned child a resource of its own. */

/** An ancestor or a referred object as manifests name it; `id` pins one of several that share the name. */
export interface Name {
  readonly name: string
  readonly id?: string
}

export interface Ancestor extends Name {
  readonly kind: KindName
}

export interface Resource {
  readonly kind: KindName
  readonly address: string
  /** Address of the parent, which need not be declared itself; undefined for kinds at the root. */
  readonly parent: string | undefined
  /** The parents, outermost first. */
  readonly ancestors: readonly Ancestor[]
  /** Whether it is written inside all of them, so that the manifests declare them. */
  readonly isInside: boolean
  /** The owner that is no resource (an email template set), or undefined. */
  readonly owner: string | undefined
  /** The natural key; '' for a child that exists once, and for a package key that writes no apikey. */
  readonly key: string
  /** `metadata.id`: the live object that is meant. */
  readonly id: string | undefined
  /** `metadata.formerly`: earlier names. */
  readonly formerly: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly protect: boolean
  /** JSON Pointers into `fields` that are left alone once the object exists. */
  readonly ignore: readonly string[]
  /** JSON Pointers into `fields` that are secret although their fields are not: one value that is managed as a whole each. */
  readonly sensitive: readonly string[]
  /** Those of written values that are not in `fields`, since a secret in them is not set here. */
  readonly unavailable: readonly string[]
  /** What is written around secrets, by the JSON Pointers of the values that hold them. */
  readonly templates?: ReadonlyMap<string, Json> | undefined
  /**
   * The fields that are written, and nothing else; null means cleared. Values are resolved and shorthand is expanded:
   * a domain is its host name, a list is a list, and references have these forms:
   * `Service.roles` [{name, id?, action?}] · `Member.roles` [{name, id?}] · `Endpoint.errorSet` {name, id?} ·
   * `PlanService.endpoints` "*" or [{name, id?, methods?: "*" or [{name, id?}]}] ·
   * `ScheduledMaintenanceEvent.endpoints` [{service: {name, id?}, name, id?}] · `PackageKey.package`, `.plan` {name, id?}.
   * The naming field is always among them, except for links (PlanService, ServiceRole), whose name is their key.
   */
  readonly fields: JsonObject
  /** List fields to which entries must belong although the list itself is not managed: field to entries. */
  readonly additions: Readonly<Record<string, readonly Json[]>>
  /** Fields that stand for an entry in the list of the object that they name ({name, id?}): that list says what is desired. */
  readonly inverseReferences: JsonObject
  /** What must leave a list although the list itself is not managed, by field. Told by planning, never by a manifest. */
  readonly withdrawals?: Readonly<Record<string, readonly Withdrawn[]>>
  /** Child fields whose whole list is written in this resource: what it lacks is to be removed. */
  readonly wholeLists: readonly string[]
  /** Single children written as null: they are to be removed. */
  readonly removedChildren: readonly string[]
  /** Fields that a patch takes out of what is written, or that `metadata.without` keeps defaults out of. */
  readonly absent?: readonly Absence[] | undefined
  /** True if no manifest declares the object itself: it must exist, and only its `additions` are desired. */
  readonly implied: boolean
  /** Of what a rollback restores: the address under which the record of the run knows it, since names may have changed. */
  readonly recordedAs?: string | undefined
  /** The document that it is generated from; its places are those of what that document reads. */
  readonly generatedBy?: Mark | undefined
  readonly mark: Mark
  /** Where each field is written, by its JSON Pointer: "/cors", "/cors/maxAge". */
  readonly marks: Marks
}

/** A field or a member of one that nobody writes any more, by its JSON Pointer: what takes it out, then who wrote it. */
export interface Absence {
  readonly path: string
  readonly layers: readonly WrittenLayer[]
}

/** A live object that leaves a list, and the address of the resource that no longer stands for its entry. */
interface Withdrawn {
  readonly id: string
  readonly by: string
}

/** A `kind: Removed` document: the object at that address, and what it contains, is to be deleted. */
export interface Removal {
  readonly address: string
  readonly kind: KindName
  readonly mark: Mark
}

/** What one patch of the chosen environment is for, and what it has found. */
export interface PatchEffect {
  /** Its name in messages: `patches[0] of environment prod`. */
  readonly layer: string
  readonly mark: Mark
  /** The target as written. */
  readonly target: string
  /** The objects that it matches are not desired. */
  readonly omit: boolean
  /** JSON Pointers of fields that it takes out of its objects. */
  readonly removes: readonly string[]
  /** Where the objects stand that it matches. */
  readonly matched: readonly Mark[]
}

/** All manifests of a project, read and checked. */
export interface Manifests {
  /** Sorted by address. */
  readonly resources: readonly Resource[]
  readonly removals: readonly Removal[]
  readonly problems: readonly Problem[]
  /**
   * "sha256:…" of what the manifests say: the same for the same meaning, whatever files and order. Made when it is asked for.
   */
  readonly digest: string
  /** "sha256:…" of the texts that have them, without any layer; of what was read from files. Made when it is asked for. */
  readonly texts?: string
  /** The texts that have them, in files: manifests, and the OpenAPI files that these name or lead to. */
  readonly sources?: readonly Source[]
  /** Warnings about declared values that nothing asked for; of one environment, so that another may still use them. */
  readonly unusedValues?: readonly Problem[]
  /** The patches of the chosen environment; absent where it has none. */
  readonly patches?: readonly PatchEffect[]
  /** Whether a manifest declares an object of this address that the chosen environment does not have. */
  readonly leavesOut?: (address: string) => boolean
  /** Every secret that was read, for masking them wherever they might appear. */
  readonly secrets: readonly string[]
}

/** Those of nobody: what is compared or undone rests on none. */
export const noManifests: Manifests = { resources: [], removals: [], problems: [], digest: '', secrets: [] }
