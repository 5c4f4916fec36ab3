import type { Json, JsonObject } from '../json/json.js'

/** The words in which the catalogue is written: field types, rules, operations and the shape of one kind's table. */

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

/** Objects that are values, not resources: the document names them, the field notes show their members. */
export type ShapeName = 'Cors' | 'Processor' | 'SecurityProfile' | 'OAuth' | 'ServiceCache' | 'Limit' | 'Organization'

export type CreateRule = 'Req' | 'Opt' | 'Ign' | 'Ctx'

export type UpdateRule = 'Req' | 'Opt' | 'Ign' | 'Ctx'

export type FetchRule = 'Imp' | 'Exp'

/** A row's three rules in the order of the document's columns: create, update, fetch. A typo does not compile. */
export type Rules = `${CreateRule} ${UpdateRule} ${FetchRule}`

/** `number` may have a fraction; an `identifier` is a whole number on some platforms, and any text on others. */
type ScalarType = 'string' | 'integer' | 'number' | 'identifier' | 'boolean' | 'datetime'

/** What a field holds. `child` objects live in their parent; a `reference` stands for an object that lives elsewhere. */
export type FieldType =
  /** `isHost`: a host name, which compares without case. */
  | { readonly is: ScalarType; readonly isHost?: true }
  | {
      readonly is: 'enum'
      readonly base: 'string' | 'integer'
      readonly values: readonly (string | number)[]
      /** The vendor's words by those of the document, where they are others (`vocabulary.ts`). */
      readonly mashery?: Readonly<Record<string, string>>
      /** Words that the document does not have, and clients of real platforms send (field notes). */
      readonly noted?: readonly string[]
    }
  /** A free map, one value: eav, preInputs, postInputs. */
  | { readonly is: 'map'; readonly of: 'string' | 'any' }
  /** A Domain as endpoints hold it: a host name, written as a string or as {domain} or {address}. */
  | { readonly is: 'domain' }
  | { readonly is: 'shape'; readonly shape: ShapeName }
  | { readonly is: 'child'; readonly kind: KindName }
  | { readonly is: 'reference'; readonly kind: KindName }
  /** Every list of the document is a set: its order has no meaning (field notes, Reading). */
  | { readonly is: 'list'; readonly of: FieldType }

/** One row of a table: type, rules, note; as printed in the document. */
export type Row = readonly [type: FieldType, rules: Rules, note?: string]

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type OperationText = `${HttpMethod} /${string}`

/** An operation that the document names without a shape, or that only its conventions give. */
export interface ConventionalOperation {
  readonly conventional: OperationText
}

/** An operation that the document does not name at all: the field notes tell of it. */
export interface NotedOperation {
  readonly noted: OperationText
}

/** A documented operation about which the document itself has a doubt. */
export interface CaveatOperation {
  readonly documented: OperationText
  readonly caveat: string
}

export type OperationRow = OperationText | ConventionalOperation | NotedOperation | CaveatOperation

/** Where objects of a kind live: in `field` of their parent; `single` if a parent has at most one. */
interface ParentRow<Parent extends KindName = KindName> {
  readonly kind: Parent
  readonly field: string
  readonly single?: true
}

/** An owner that is no resource: its word in addresses, in metadata and in paths. */
interface OwnerRow {
  readonly name: string
  readonly metadata: string
  readonly parameter: string
}

/** One kind, as its file declares it. Lists of field names are checked against its rows by `kind()`. */
export interface KindRow<Name extends string> {
  /** One sentence for people, in the document's words. */
  readonly about: string
  /** Of kinds that the document does not have: only recorded platforms offer them (field notes). */
  readonly origin?: 'notes'
  readonly parent?: ParentRow
  /** Something that owns objects of this kind without being a resource itself, such as an email template set. */
  readonly within?: OwnerRow
  /** The naming field; none where a parent has only one object of this kind. */
  readonly identity: readonly [] | readonly [Name]
  /**
   * The reference by which an object whose own name is a secret is shown, and known where no name is written: a key's
   * package.
   */
  readonly namedBy?: Name
  /** The kind that an object of this kind is a link to, if it is one: its id and name are those of the object referred to. */
  readonly association?: KindName
  /**
   * The word under which a link to what holds objects of this kind picks one of them, at most one: the filter that a plan
   * uses of a method. Of other lists a link picks any number, under the name of the list.
   */
  readonly pickedAs?: string
  /** Kinds whose objects are made before those of this one, as its parent and what it links to are (design §4, Order). */
  readonly after?: readonly KindName[]
  /** The name that the document's paths give to the id of an object of this kind. */
  readonly idParameter: string
  readonly operations: Readonly<Record<string, OperationRow>>
  /** The rows of the document's table, in its order. */
  readonly fields: Readonly<Record<string, Row>>
  /** Fields beyond the document, from the field notes. */
  readonly noted?: Readonly<Record<string, Row>>
  /** The same of fields that only recorded platforms keep: one of the document drops them. */
  readonly recorded?: Readonly<Record<string, Row>>
  /** Rules of rows above that real platforms are seen not to follow (field notes): these hold for manifests. */
  readonly notedRules?: Readonly<Partial<Record<Name, Rules>>>
  /** Cannot change once the object exists: a difference is a replace. */
  readonly immutable?: readonly Name[]
  /** Sent on create, never given back, never compared. */
  readonly writeOnly?: readonly Name[]
  /** Never printed, logged or stored. */
  readonly secret?: readonly Name[]
  /** What a request carries to clear a reference, where null would leave it as it is. */
  readonly clearedAs?: Readonly<Partial<Record<Name, JsonObject>>>
  /** What the platform is known to put into a field that nobody wrote. */
  readonly defaults?: Readonly<Partial<Record<Name, DefaultValue>>>
  /** What a create is sent in a field that nobody wrote, where the platform needs a value. */
  readonly sentByDefault?: Readonly<Partial<Record<Name, DefaultValue>>>
  /** The same of the links that a field of this kind holds, where those of other kinds are sent something else. */
  readonly sentInLinks?: Readonly<Partial<Record<Name, Readonly<Record<string, DefaultValue>>>>>
  /** Numbers that mean nothing below the first or above the second. */
  readonly ranges?: Readonly<Partial<Record<Name, Range>>>
  /** Moments of which the first is not after the second. */
  readonly inOrder?: readonly (readonly [Name, Name])[]
  /** Fields that a request may not carry although their rules allow it, each with the reason. */
  readonly readOnly?: Readonly<Partial<Record<Name, string>>>
  /** Types whose printed name in the document is another than that of the kind they hold. */
  readonly printedTypes?: Readonly<Partial<Record<Name, string>>>
  /** Fields that the create operation does not take: they follow in an update. */
  readonly afterCreate?: readonly Name[]
  /** Children that the platform adds by itself to a new object: child field to natural keys. */
  readonly addedByPlatform?: Readonly<Partial<Record<Name, readonly string[]>>>
  /** What the platform puts into a child field of every new object, where nobody writes it. */
  readonly platformDefaults?: Readonly<Partial<Record<Name, readonly JsonObject[]>>>
  /** Child fields whose objects a create of this kind carries along in its own request. */
  readonly nestedOnCreate?: readonly Name[]
  /** Field and value that mark an object as the platform's own: it is never deleted. */
  readonly platformOwned?: { readonly field: Name; readonly value: boolean | string }
  /** Why there is no way to do something that its users may want. */
  readonly blocked?: Readonly<Partial<Record<'create' | 'update' | 'delete', string>>>
  /** The platform keeps a fixed set of these in each parent: those that no manifest has are left alone, unlisted. */
  readonly fixedSet?: true
  /** Child fields of which the platform keeps at least one object in each parent. */
  readonly atLeastOne?: readonly Name[]
  /** Limits that may not be above those of the object that `by` refers to. */
  readonly limited?: LimitsRow<Name>
  /** Verb, public domain and path, unique across areas (field notes, Writing). */
  readonly route?: RouteRow<Name>
  /** Fields of which an object has one side or the other (field notes, Writing). */
  readonly sides?: SidesRow<Name>
  /** What an OpenAPI file says of objects of this kind, beside their route (design §2.3). */
  readonly openApi?: OpenApiRow<Name>
  /** Fields whose change has consequences for those who hold keys. */
  readonly consequences?: ConsequencesRow<Name>
  /** A new object cannot be used before somebody approves it outside the interface. */
  readonly approval?: ApprovalRow<Name>
  /** Who changed an object last, of it and of all that lies in it, and how often it was changed. */
  readonly lastEdit?: LastEditRow<Name>
  /** `offset` counts pages in collections of this kind, not objects (the document's query parameters). */
  readonly pageOffset?: true
  /** Every text under a name that is none of its fields is an attribute that somebody gave an object (field notes). */
  readonly extendedAttributes?: true
  /** Dotted paths at which older platforms answer a field (field notes, Writing). */
  readonly olderPaths?: Readonly<Partial<Record<Name, string>>>
  /** Values that read like those of a real manifest, for `explain` and the reference pages; others follow from the type. */
  readonly examples?: Readonly<Partial<Record<Name, Json>>>
}

/** Limits by their names, which are the same in the kind referred to. */
interface LimitsRow<Name extends string> {
  readonly by: Name
  /** The ancestor below which there may be only so many objects under the same limits. */
  readonly per: KindName
  readonly fields: Readonly<Partial<Record<Name, LimitRow<Name>>>>
}

/**
 * What belongs to a limit: the boolean that lifts it, in both kinds; in the kind referred to whether one may be set below it
 * at all, and the period that it counts.
 */
export interface LimitRow<Name extends string = string> {
  readonly exempt: Name
  readonly override: string
  /** A field whose values are in order, the shortest period first. */
  readonly period?: string
}

/** The fields that together make an address of which the platform allows only one. */
export interface RouteRow<Name extends string = string> {
  readonly verbs: Name
  readonly domains: Name
  readonly path: Name
}

/** Two groups of fields that exclude each other: which one an object has is told by the value of a third field. */
export interface SidesRow<Name extends string = string> {
  readonly by: Name
  /** The value of that field with which an object has the fields of `one`; with any other it has those of `other`. */
  readonly value: string
  readonly one: readonly Name[]
  readonly other: readonly Name[]
}

/** The fields that operations of an OpenAPI file give to what serves them. */
export interface OpenApiRow<Name extends string = string> {
  /** The path and the hosts of the back end. */
  readonly target: Name
  readonly backends: Name
  /** The children that calls are counted by, and the field that says where in a call their names stand. */
  readonly methods: Name
  readonly detection: Name
}

/** What a change of a field may mean for calls: less of them, fewer that arrive, or less protection. */
interface ConsequencesRow<Name extends string = string> {
  /** Numbers: a lower one limits calls that went through before; 0 is no limit of its own. */
  readonly limits?: readonly Name[]
  /** Words, from the shortest on: in a longer time the same number is less. */
  readonly periods?: readonly Name[]
  /** Booleans: false ends an exemption from a limit. */
  readonly exemptions?: readonly Name[]
  /** Booleans with the value that protects less. */
  readonly weaker?: Readonly<Partial<Record<Name, boolean>>>
  /** Addresses: calls to what is taken away do not arrive any more. */
  readonly routes?: readonly Name[]
  /** States with the one value under which calls go through. */
  readonly active?: Readonly<Partial<Record<Name, string>>>
  /** A change may protect less or send calls elsewhere; nothing tells which change does. */
  readonly watched?: readonly Name[]
}

/** The fields that the platform writes with every change of an object, beside the moment. */
interface LastEditRow<Name extends string = string> {
  readonly by: Name
  readonly revision: Name
}

/** The field that tells whether an object is approved. */
interface ApprovalRow<Name extends string = string> {
  readonly field: Name
  readonly waiting: string
  readonly approved: string
}

type Range = readonly [least: number, most: number]

export type DefaultValue = string | number | boolean | readonly string[]

/** Where the knowledge of a field comes from. */
export type FieldOrigin = 'document' | 'notes'

/** A field with everything known about it, ready to be asked. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  readonly create: CreateRule
  readonly update: UpdateRule
  readonly fetch: FetchRule
  /** The rules by which a platform of the document takes the field, where real ones are seen to follow those above. */
  readonly printedRules: Pick<Field, 'create' | 'update' | 'fetch'> | undefined
  readonly note: string
  /** The type as the document prints it, where `typeText` would say something else. */
  readonly printedType: string | undefined
  readonly origin: FieldOrigin
  readonly immutable: boolean
  readonly writeOnly: boolean
  readonly secret: boolean
  readonly default: DefaultValue | undefined
  /** Numbers outside of it mean nothing. */
  readonly range: Range | undefined
  /** Why no manifest may write it, or undefined. */
  readonly readOnly: string | undefined
  readonly afterCreate: boolean
  /** What a request carries to clear the reference, where null would leave it as it is. */
  readonly clearedAs: JsonObject | undefined
  /** What a link in this field is sent where nobody writes it. */
  readonly sentInLinks: Readonly<Record<string, DefaultValue>>
}

export interface Operation {
  readonly name: string
  readonly method: HttpMethod
  readonly path: string
  /** Shown with its shape. Others follow the document's conventions. */
  readonly documented: boolean
  /** Who names it. */
  readonly origin: FieldOrigin
  readonly caveat: string | undefined
}

/** A kind with its rows resolved into fields and operations. */
export interface Kind {
  readonly name: KindName
  readonly about: string
  readonly origin: FieldOrigin
  readonly parent: ParentRow | undefined
  readonly within: OwnerRow | undefined
  /** The naming field, or undefined where a parent has only one object of this kind. */
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
