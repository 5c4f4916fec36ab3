import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'

/** The content of the live area, normalised: the value that the planner compares with the manifests. */

/** One live object. Values have their canonical form (see `value.ts`); fields that were not answered are absent. */
export interface LiveObject {
  readonly kind: KindName
  /** Empty for a single child, which has no id of its own. */
  readonly id: string
  /** The natural key: the value of the naming field, the name of a link's target, or '' for a single child. */
  readonly key: string
  /** 'mark': the object is from a snapshot file, whose mark replaces the secret name, which is unknown. */
  readonly keyIs?: 'mark' | undefined
  readonly parent: LiveObject | undefined
  /** The owner that is not a resource (an email template set), by its identifier. */
  readonly owner: string | undefined
  /** Only its own fields; children are objects of their own. */
  readonly fields: JsonObject
  readonly children: readonly LiveObject[]
  /** Fields with links, or with children, that are unknown, with the reason. */
  readonly unread?: Unread | undefined
  /** As answered; undefined if it was not. */
  readonly updated: string | undefined
}

/**
 * Why fields with links, or with children outside the document, were not read: they were not requested, the platform does not
 * offer their collection, or no manifest and no record mentions such children.
 */
export type Unread = Readonly<Record<string, 'not asked for' | 'not offered' | 'not needed'>>

/** All objects of some kinds in the area at one moment. */
export interface Snapshot {
  /** Only root objects, in the order of the collections; they contain their children. */
  readonly objects: readonly LiveObject[]
  /** The kinds that were read completely: if an object of these kinds is absent, it does not exist. */
  readonly kinds: readonly KindName[]
  /** The name of the member in which this platform answers a domain. */
  readonly domainMember: 'domain' | 'address'
  /** For a snapshot file: secrets with a value are left out, so an absent secret may have a value; an empty one is null. */
  readonly secrets?: 'left out'
}

/**
 * What a reading requests. Kinds that are not in it are not read, except for the parents of requested objects, with id and name:
 * a reading of one field of a child brings all roots of its tree, and in them the children with that field.
 */
export interface ReadSpec {
  /** The own fields to request for each kind, without those of children; id and naming field are always included. */
  readonly fields: ReadonlyMap<KindName, readonly string[]>
  /**
   * For kinds in containers that are not resources and cannot be listed (templates in a set): the ids of the containers to read.
   */
  readonly containers?: Readonly<Partial<Record<KindName, readonly string[]>>> | undefined
  /**
   * Whether the platform is first asked for fields that no table has, so that these are requested as well: all of them (A223), or
   * only extended attributes (A351).
   */
  readonly unknown?: 'looked for' | 'attributes'
  /** Leaves out collections outside the document if they are refused (A220), for a reading that only looks around. */
  readonly refused?: 'left out'
  /**
   * The objects whose links are needed: if answers do not nest the links (roles of a service), they cost a request per object.
   */
  readonly linksOf: LinksOf
  /**
   * The objects whose children outside the document are requested one by one if no answer nests them (filters of a method), and
   * whose picks of such children are (the filter of a plan's method); default: none (A313).
   */
  readonly extrasOf?: ((holder: Holder) => boolean) | undefined
}

/**
 * An earlier reading that is updated: only what was touched since then is read again (design §5, A small change costs little).
 */
export interface Earlier {
  readonly snapshot: Snapshot
  readonly notOffered: readonly KindName[]
  /** The root kinds to read again: all of their pages, or single objects. Other kinds have not changed. */
  readonly touched: ReadonlyMap<KindName, 'pages' | readonly TouchedObject[]>
  /** Whether an object may have other links than before; other objects keep theirs. */
  readonly hasOtherLinks: (kind: KindName, id: string) => boolean
  /** Whether objects of a kind may be answered without a field that they had, because it was unset. */
  readonly mayLack: (kind: KindName, field: string) => boolean
}

/** A root object to read again. If it is `there` but not answered, the pages of its kind are read. */
export interface TouchedObject {
  readonly id: string
  readonly is: 'there' | 'deleted'
}

/** `if made`: all, unless the area has only the platform's own targets of links. */
export type LinksOf = 'all' | 'none' | 'if made' | ((holder: Holder) => boolean)

/** A live object that may have links, as far as it is known before they are read. */
export interface Holder {
  readonly kind: KindName
  readonly id: string
  readonly name: string
}

/** These live objects and everything inside them; parents come before their children. */
export function withAllInside(objects: readonly LiveObject[]): readonly LiveObject[] {
  const all: LiveObject[] = []
  const add = (object: LiveObject): void => {
    all.push(object)
    object.children.forEach(add)
  }
  objects.forEach(add)
  return all
}
