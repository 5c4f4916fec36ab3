import type { KindName } from '../catalog/types.js'
import type { Json, JsonObject } from '../json/json.js'
import type { Problem } from '../problems/problem.js'
import type { SourceRanges, WrittenLayer } from './ranges.js'
import type { Source, SourceRange } from './source.js'

/** The content of manifests as a flat list: every owned child is a resource of its own. */

/** The name of an ancestor or of a referred object; `id` pins one of several objects with that name. */
export interface Name {
  readonly name: string
  readonly id?: string
}

export interface Ancestor extends Name {
  readonly kind: KindName
}

/** The resources that manifests declare themselves. */
export const declaredOf = (resources: readonly Resource[]): readonly Resource[] =>
  resources.filter(({ implicit }) => !implicit)

export interface Resource {
  readonly kind: KindName
  readonly address: string
  /** The address of the parent, which may be undeclared; undefined for kinds at the root. */
  readonly parent: string | undefined
  /** The parents, outermost first. */
  readonly ancestors: readonly Ancestor[]
  /** Whether it is written inside all its parents, so that the manifests declare them. */
  readonly isInside: boolean
  /** The owner, if that is not a resource (an email template set). */
  readonly owner: string | undefined
  /** The natural key; '' for a single child, and for a package key without apikey. */
  readonly key: string
  /** `metadata.id`: the live object that it is pinned to. */
  readonly id: string | undefined
  /** `metadata.formerly`: former names. */
  readonly formerly: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly protect: boolean
  /** JSON Pointers into `fields`; these values are left alone after creation. */
  readonly ignore: readonly string[]
  /** JSON Pointers into `fields` of secret values in fields that are not secret. Each value is managed as a whole. */
  readonly sensitive: readonly string[]
  /** JSON Pointers of written values that are not in `fields`, because a secret in them is not set here. */
  readonly unavailable: readonly string[]
  /** The text around secrets, by the JSON Pointers of the values that contain them. */
  readonly templates?: ReadonlyMap<string, Json> | undefined
  /**
   * The written fields and nothing else; null means cleared. Values are resolved and shorthand is expanded:
   * a domain is its host name, a list is a list, and references have these forms:
   * `Service.roles` [{name, id?, action?}] · `Member.roles` [{name, id?}] · `Endpoint.errorSet` {name, id?} ·
   * `PlanService.endpoints` "*" or [{name, id?, methods?: "*" or [{name, id?}]}] ·
   * `ScheduledMaintenanceEvent.endpoints` [{service: {name, id?}, name, id?}] · `PackageKey.package`, `.plan` {name, id?}.
   * The naming field is always one of them, except for links (PlanService, ServiceRole), whose name is their key.
   */
  readonly fields: JsonObject
  /** Entries that a list field must contain although the list itself is not managed: field to entries. */
  readonly additions: Readonly<Record<string, readonly Json[]>>
  /** Fields that stand for an entry in the list of the object that they name ({name, id?}). The list has the desired state. */
  readonly inverseReferences: JsonObject
  /** Entries that must leave a list although the list itself is not managed, by field. Planning adds them, never a manifest. */
  readonly withdrawals?: Readonly<Record<string, readonly Withdrawn[]>>
  /** Child fields whose whole list is written in this resource: children that the list lacks are to be removed. */
  readonly wholeLists: readonly string[]
  /** Single children written as null: they are to be removed. */
  readonly removedChildren: readonly string[]
  /** Fields that a patch takes out, or that get no default because of `metadata.without`. */
  readonly absent?: readonly Absence[] | undefined
  /** True if no manifest declares the object itself: it must exist, and only its `additions` are desired. */
  readonly implicit: boolean
  /** For a rollback: the address in the record of the run, because names may have changed since then. */
  readonly recordedAs?: string | undefined
  /** The document that generates it; its places are in the files that this document reads. */
  readonly generatedBy?: SourceRange | undefined
  readonly range: SourceRange
  /** Where each field is written, by its JSON Pointer: "/cors", "/cors/maxAge". */
  readonly ranges: SourceRanges
}

/**
 * A field, or a member of one, that is no longer written, by its JSON Pointer. The layers: the one that takes it out, then those
 * that wrote it.
 */
export interface Absence {
  readonly path: string
  readonly layers: readonly WrittenLayer[]
}

/** A live object that leaves a list, and the address of its resource, which no longer stands for the entry. */
interface Withdrawn {
  readonly id: string
  readonly by: string
}

/** A document of kind Removed: the object at that address is to be deleted, with everything that it contains. */
export interface Removal {
  readonly address: string
  readonly kind: KindName
  readonly range: SourceRange
}

/** One patch of the chosen environment, and what it matches. */
export interface PatchEffect {
  /** Its name in messages: `patches[0] of environment prod`. */
  readonly layer: string
  readonly range: SourceRange
  /** The target as written. */
  readonly target: string
  /** Whether the objects that it matches are left out. */
  readonly omit: boolean
  /** JSON Pointers of fields that it takes out of its objects. */
  readonly removes: readonly string[]
  /** Where the objects that it matches are written. */
  readonly matched: readonly SourceRange[]
}

/** All manifests of a project, read and checked. */
export interface Manifests {
  /** Sorted by address. */
  readonly resources: readonly Resource[]
  readonly removals: readonly Removal[]
  readonly problems: readonly Problem[]
  /** Whether every document could be read. Absent: no files were read. */
  readonly isAllRead?: boolean
  /** "sha256:…" of the meaning of the manifests, whatever their files and order. Computed on request. */
  readonly digest: string
  /** "sha256:…" of the texts of the manifests, without any layer; only if they come from files. Computed on request. */
  readonly texts?: string
  /** The texts of the manifests, if they come from files, and of the OpenAPI files that they read. */
  readonly sources?: readonly Source[]
  /** Warnings about declared values that nothing uses in this environment; another environment may use them. */
  readonly unusedValues?: readonly Problem[]
  /** The patches of the chosen environment; absent if it has none. */
  readonly patches?: readonly PatchEffect[]
  /** Whether a manifest declares an object of this address that the chosen environment does not have. */
  readonly leavesOut?: (address: string) => boolean
  /** Every secret that was read, so that it can be masked wherever it appears. */
  readonly secrets: readonly string[]
}

/** No manifests, for comparisons and rollbacks that use none. */
export const noManifests: Manifests = { resources: [], removals: [], problems: [], digest: '', secrets: [] }
