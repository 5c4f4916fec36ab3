import type { Json, JsonObject } from '../json/json.js'

/** The types of the catalogue: field types, rules, operations and the table of one kind. */

/** The resource types of the document, by their names in manifests. */
export type KindName =
  | 'Service'
  | 'Endpoint'
  | 'Method'
  | 'ResponseFilter'
  | 'Cache'
  | 'SystemDomainAuthentication'
  | 'ErrorSet'
  | 'ErrorMessage'
  | 'ServiceRole'
  | 'ScheduledMaintenanceEvent'
  | 'Domain'
  | 'Package'
  | 'Plan'
  | 'PlanService'
  | 'Role'
  | 'Member'
  | 'Application'
  | 'PackageKey'
  | 'EmailTemplate'
  | 'Organization'
  | 'EmailTemplateSet'

/** Objects that are values, not resources. The document names them, and the field notes show their members. */
export type ShapeName = 'Cors' | 'Processor' | 'SecurityProfile' | 'OAuth' | 'ServiceCache' | 'Limit' | 'Organization'

export type CreateRule = 'Req' | 'Opt' | 'Ign' | 'Ctx'

export type UpdateRule = 'Req' | 'Opt' | 'Ign' | 'Ctx'

export type FetchRule = 'Imp' | 'Exp'

/** A row's three rules in the order of the document's columns: create, update, fetch. A typo does not compile. */
export type Rules = `${CreateRule} ${UpdateRule} ${FetchRule}`

/** `number` may have a fraction; an `identifier` is an integer on some platforms and any text on others. */
type ScalarType = 'string' | 'integer' | 'number' | 'identifier' | 'boolean' | 'datetime'

/** The type of a field. A `child` lives in its parent; a `reference` represents an object that lives elsewhere. */
export type FieldType =
  /** `isHost`: a host name, which is compared without case. */
  | { readonly is: ScalarType; readonly isHost?: true }
  | {
      readonly is: 'enum'
      readonly base: 'string' | 'integer'
      readonly values: readonly (string | number)[]
      /** The vendor's words by those of the document, if they differ (`vocabulary.ts`). */
      readonly mashery?: Readonly<Record<string, string>>
      /** Words that the document does not have, but clients of real platforms send (field notes). */
      readonly noted?: readonly string[]
    }
  /** A free map, which is one value: eav, preInputs, postInputs. */
  | { readonly is: 'map'; readonly of: 'string' | 'any' }
  /** A Domain in an endpoint: a host name, written as a string or as {domain} or {address}. */
  | { readonly is: 'domain' }
  | { readonly is: 'shape'; readonly shape: ShapeName }
  | { readonly is: 'child'; readonly kind: KindName }
  | { readonly is: 'reference'; readonly kind: KindName }
  /** Every list of the document is a set: its order has no meaning (field notes, Reading). */
  | { readonly is: 'list'; readonly of: FieldType }

/** One row of a table, as printed in the document: type, rules, note. */
export type Row = readonly [type: FieldType, rules: Rules, note?: string]

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type OperationText = `${HttpMethod} /${string}`

/** An operation that the document names without details, or that follows only from its conventions. */
export interface ConventionalOperation {
  readonly conventional: OperationText
}

/** An operation that is only in the field notes. */
export interface NotedOperation {
  readonly noted: OperationText
}

/** A documented operation that the document itself calls doubtful. */
export interface CaveatOperation {
  readonly documented: OperationText
  readonly caveat: string
}

export type OperationRow = OperationText | ConventionalOperation | NotedOperation | CaveatOperation

/** The position of objects of a kind: `field` of their parent; `single` if a parent has at most one. */
interface ParentRow<Parent extends KindName = KindName> {
  readonly kind: Parent
  readonly field: string
  readonly single?: true
}

/** An owner that is no resource: its names in addresses, in metadata and in paths. */
interface OwnerRow {
  readonly name: string
  readonly metadata: string
  readonly parameter: string
}

/** One kind, as its file declares it. `kind()` checks lists of field names against its rows. */
export interface KindRow<Name extends string> {
  /** One sentence for people, in the document's words. */
  readonly about: string
  /** For kinds that the document does not have: only recorded platforms have them (field notes). */
  readonly origin?: 'notes'
  readonly parent?: ParentRow
  /** An owner of objects of this kind that is no resource itself, such as an email template set. */
  readonly within?: OwnerRow
  /** The naming field; empty for a single child. */
  readonly identity: readonly [] | readonly [Name]
  /**
   * For objects whose own name is a secret: the reference that identifies them if no name is written, and that is shown instead
   * of the name. For a key, its package.
   */
  readonly namedBy?: Name
  /** The target kind of a link. A link has the id and the name of its target. */
  readonly association?: KindName
  /**
   * The field in which a link selects at most one object of this kind from the parent: the filter that a plan uses for a method.
   * From other lists a link selects any number, in a field with the name of the list.
   */
  readonly pickedAs?: string
  /**
   * Kinds whose objects are created before those of this kind, in addition to its parent and its link target (design §4, Order).
   */
  readonly after?: readonly KindName[]
  /** The name of the id of an object of this kind in the document's paths. */
  readonly idParameter: string
  readonly operations: Readonly<Record<string, OperationRow>>
  /** The rows of the document's table, in its order. */
  readonly fields: Readonly<Record<string, Row>>
  /** Fields that are only in the field notes. */
  readonly noted?: Readonly<Record<string, Row>>
  /** Fields that only recorded platforms store: a platform of the document's dialect drops them. */
  readonly recorded?: Readonly<Record<string, Row>>
  /** The rules of rows above that real platforms follow instead of the printed ones (field notes). These apply to manifests. */
  readonly notedRules?: Readonly<Partial<Record<Name, Rules>>>
  /** Fields that cannot change after creation: a difference is a replace. */
  readonly immutable?: readonly Name[]
  /** Fields that are sent on create, but never returned and never compared. */
  readonly writeOnly?: readonly Name[]
  /** Fields that are never printed, logged or stored. */
  readonly secret?: readonly Name[]
  /** The value that clears a reference, if null would not change it. */
  readonly clearedAs?: Readonly<Partial<Record<Name, JsonObject>>>
  /** The platform's known defaults of fields that nobody wrote. */
  readonly defaults?: Readonly<Partial<Record<Name, DefaultValue>>>
  /** The values that a create sends in fields that nobody wrote, because the platform needs them. */
  readonly sentByDefault?: Readonly<Partial<Record<Name, DefaultValue>>>
  /** The same for the links in a field of this kind, if they differ from those in other kinds. */
  readonly sentInLinks?: Readonly<Partial<Record<Name, Readonly<Record<string, DefaultValue>>>>>
  /** The smallest and the largest number that make sense. */
  readonly ranges?: Readonly<Partial<Record<Name, Range>>>
  /** Pairs of times. The first must not be after the second. */
  readonly inOrder?: readonly (readonly [Name, Name])[]
  /** Fields that manifests may not contain although their rules permit it, each with the reason. */
  readonly readOnly?: Readonly<Partial<Record<Name, string>>>
  /** Types whose printed name in the document differs from that of the kind in them. */
  readonly printedTypes?: Readonly<Partial<Record<Name, string>>>
  /** Fields that the create operation does not accept: they are sent later, in an update. */
  readonly afterCreate?: readonly Name[]
  /** Children that the platform adds to a new object by itself: natural keys by child field. */
  readonly addedByPlatform?: Readonly<Partial<Record<Name, readonly string[]>>>
  /** The children that the platform puts into a child field of every new object if nobody writes any. */
  readonly platformDefaults?: Readonly<Partial<Record<Name, readonly JsonObject[]>>>
  /** Child fields whose objects are created in the same request as their parent. */
  readonly nestedOnCreate?: readonly Name[]
  /** The field and the value that mark an object as the platform's own: it is never deleted. */
  readonly platformOwned?: { readonly field: Name; readonly value: boolean | string }
  /** Why an operation that users may want is impossible. */
  readonly blocked?: Readonly<Partial<Record<'create' | 'update' | 'delete', string>>>
  /**
   * The platform keeps a fixed set of these objects in each parent. Those that no manifest declares are left alone and not
   * listed.
   */
  readonly fixedSet?: true
  /** Child fields in which the platform keeps at least one object in each parent. */
  readonly atLeastOne?: readonly Name[]
  /** Limits that may not be above those of the object in `by`. */
  readonly limited?: LimitsRow<Name>
  /** Verb, public domain and path, which are unique across areas (field notes, Writing). */
  readonly route?: RouteRow<Name>
  /** Two groups of fields, of which an object has only one (field notes, Writing). */
  readonly sides?: SidesRow<Name>
  /** The fields that get values from an OpenAPI file, in addition to the route (design §2.3). */
  readonly openApi?: OpenApiRow<Name>
  /** Fields whose change has consequences for the holders of keys. */
  readonly consequences?: ConsequencesRow<Name>
  /** A new object cannot be used until somebody approves it outside the interface. */
  readonly approval?: ApprovalRow<Name>
  /** The fields with the last editor of an object and everything in it, and with the number of changes. */
  readonly lastEdit?: LastEditRow<Name>
  /** In collections of this kind, `offset` counts pages, not objects (the document's query parameters). */
  readonly pageOffset?: true
  /** Every text with a name that is no field is an attribute that somebody gave to an object (field notes). */
  readonly extendedAttributes?: true
  /** Dotted paths at which older platforms return a field (field notes, Writing). */
  readonly olderPaths?: Readonly<Partial<Record<Name, string>>>
  /** Realistic values for `explain` and the reference pages. All other values are derived from the type. */
  readonly examples?: Readonly<Partial<Record<Name, Json>>>
}

/** The limits by name; the names are the same in the referenced kind. */
interface LimitsRow<Name extends string> {
  readonly by: Name
  /** The ancestor kind in which the number of objects with the same limits is limited. */
  readonly per: KindName
  readonly fields: Readonly<Partial<Record<Name, LimitRow<Name>>>>
}

/**
 * The fields that belong to a limit: a boolean in both kinds that removes it, and in the referenced kind whether objects may have
 * their own limit, and the period.
 */
export interface LimitRow<Name extends string = string> {
  readonly exempt: Name
  readonly override: string
  /** A field whose values are in order, the shortest period first. */
  readonly period?: string
}

/** The fields that together form a route. The platform permits each route only once. */
export interface RouteRow<Name extends string = string> {
  readonly verbs: Name
  readonly domains: Name
  readonly path: Name
}

/** Two groups of fields that exclude each other. The value of a third field determines which group an object has. */
export interface SidesRow<Name extends string = string> {
  readonly by: Name
  /** With this value of that field, an object has the fields of `one`; with any other value, it has those of `other`. */
  readonly value: string
  readonly one: readonly Name[]
  readonly other: readonly Name[]
}

/** The fields of the generated objects that get values from the operations of an OpenAPI file. */
export interface OpenApiRow<Name extends string = string> {
  /** The path and the hosts of the back end. */
  readonly target: Name
  readonly backends: Name
  /** The children by which calls are counted, and the field that says where calls contain their names. */
  readonly methods: Name
  readonly detection: Name
}

/** The possible consequences of a field's change for calls: lower limits, calls that no longer arrive, or less protection. */
interface ConsequencesRow<Name extends string = string> {
  /** Numbers: a lower one limits calls that were permitted before; 0 means no limit of its own. */
  readonly limits?: readonly Name[]
  /** Words, the shortest period first: in a longer period, the same number permits fewer calls. */
  readonly periods?: readonly Name[]
  /** Booleans: false ends an exemption from a limit. */
  readonly exemptions?: readonly Name[]
  /** Booleans with the value that protects less. */
  readonly weaker?: Readonly<Partial<Record<Name, boolean>>>
  /** Routes: calls to removed ones no longer arrive. */
  readonly routes?: readonly Name[]
  /** States, with the only value that lets calls through. */
  readonly active?: Readonly<Partial<Record<Name, string>>>
  /** A change may weaken protection or redirect calls, but it is not known which changes do. */
  readonly watched?: readonly Name[]
}

/** The fields that the platform sets with every change of an object, in addition to the time. */
interface LastEditRow<Name extends string = string> {
  readonly by: Name
  readonly revision: Name
}

/** The field that shows whether an object is approved. */
interface ApprovalRow<Name extends string = string> {
  readonly field: Name
  readonly waiting: string
  readonly approved: string
}

type Range = readonly [least: number, most: number]

export type DefaultValue = string | number | boolean | readonly string[]

/** The source of the facts about a field. */
export type FieldOrigin = 'document' | 'notes'

/** A field with all known facts about it. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly create: CreateRule
  readonly update: UpdateRule
  readonly fetch: FetchRule
  /** The printed rules, if real platforms follow the rules above instead. */
  readonly printedRules: Pick<Field, 'create' | 'update' | 'fetch'> | undefined
  readonly note: string
  /** The type as the document prints it, if `typeText` would return another text. */
  readonly printedType: string | undefined
  readonly origin: FieldOrigin
  readonly immutable: boolean
  readonly writeOnly: boolean
  readonly secret: boolean
  readonly default: DefaultValue | undefined
  /** Numbers outside of it make no sense. */
  readonly range: Range | undefined
  /** Why manifests may not contain it, or undefined. */
  readonly readOnly: string | undefined
  readonly afterCreate: boolean
  /** The value that clears the reference, if null would not change it. */
  readonly clearedAs: JsonObject | undefined
  /** The values that a link in this field is sent with if nobody writes them. */
  readonly sentInLinks: Readonly<Record<string, DefaultValue>>
}

export interface Operation {
  readonly name: string
  readonly method: HttpMethod
  readonly path: string
  /** The document shows its details. Other operations follow the document's conventions. */
  readonly documented: boolean
  /** The source that names it. */
  readonly origin: FieldOrigin
  readonly caveat: string | undefined
}

/** A kind with its rows resolved to fields and operations. */
export interface Kind {
  readonly name: KindName
  readonly about: string
  readonly origin: FieldOrigin
  readonly parent: ParentRow | undefined
  readonly within: OwnerRow | undefined
  /** The naming field, or undefined for a single child. */
  readonly naming: string | undefined
  readonly namedBy: string | undefined
  readonly association: KindName | undefined
  readonly pickedAs: string | undefined
  readonly after: readonly KindName[]
  readonly idParameter: string
  readonly operations: Readonly<Record<string, Operation>>
  readonly fields: Readonly<Record<string, Field>>
  readonly sentByDefault: Readonly<Record<string, DefaultValue>>
  readonly addedByPlatform: Readonly<Record<string, readonly string[]>>
  readonly platformDefaults: Readonly<Record<string, readonly JsonObject[]>>
  readonly nestedOnCreate: readonly string[]
  readonly platformOwned: { readonly field: string; readonly value: boolean | string } | undefined
  readonly blocked: Readonly<Partial<Record<'create' | 'update' | 'delete', string>>>
  readonly fixedSet: boolean
  readonly inOrder: readonly (readonly [string, string])[]
  readonly atLeastOne: readonly string[]
  readonly limited:
    | { readonly by: string; readonly per: KindName; readonly fields: Readonly<Record<string, LimitRow>> }
    | undefined
  readonly route: RouteRow | undefined
  readonly sides: SidesRow | undefined
  readonly openApi: OpenApiRow | undefined
  readonly approval: ApprovalRow | undefined
  readonly consequences: ConsequencesRow
  readonly lastEdit: LastEditRow | undefined
  readonly pageOffset: boolean
  readonly extendedAttributes: boolean
  readonly olderPaths: Readonly<Record<string, string>>
  readonly examples: Readonly<Record<string, Json>>
}
