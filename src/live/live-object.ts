import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'

/** What the live area holds, normalised: the value that the planner compares with the manifests. */

/** One live object. Values have their canonical form (see `value.ts`); fields that were not answered are absent. */
export interface LiveObject {
  readonly kind: KindName
  /** Empty for a child that exists once: it has no id of its own. */
  readonly id: string
  /** The natural key: the value of the naming field, the name of the object referred to, or '' for a single child. */
  readonly key: string
  /** Of a snapshot file: the key is the mark that the file has in place of a secret name, and nobody knows the name. */
  readonly keyIs?: 'mark' | undefined
  readonly parent: LiveObject | undefined
  /** The owner that is no resource (an email template set), by its identifier. */
  readonly owner: string | undefined
  /** Own fields only; children are objects of their own. */
  readonly fields: JsonObject
  readonly children: readonly LiveObject[]
  /** Fields of links of which nothing is known, nor of the children that they would hold, with the reason. */
  readonly unread?: Unread | undefined
  /** As answered, if it was. */
  readonly updated: string | undefined
}

/**
 * Why fields of links, or of children that the document does not have, were not read: nobody asked for them, the platform
 * does not offer their collection, or no manifest and no record says anything of such children.
 */
export type Unread = Readonly<Record<string, 'not asked for' | 'not offered' | 'not needed'>>

/** Everything of the kinds concerned that the area holds at one moment. */
export interface Snapshot {
  /** Root objects only, in the order of the collections; children hang below them. */
  readonly objects: readonly LiveObject[]
  /** The kinds that were read in full: an absent object of these does not exist. */
  readonly kinds: readonly KindName[]
  /** The name of the member in which this platform answers a domain. */
  readonly domainMember: 'domain' | 'address'
  /** Of a snapshot file: secrets that have a value are left out, so an absent one says nothing; an empty one is null. */
  readonly secrets?: 'left out'
}

/**
 * What a reading asks for. Kinds that are missing are not read; the objects that lead to a kind that is asked for are, with
 * id and name: a reading of one field of a child brings all roots of its tree, and in them the children with that field.
 */
export interface ReadSpec {
  /** For each kind its own fields to ask for, none of them a child's; id and naming field always come as well. */
  readonly fields: ReadonlyMap<KindName, readonly string[]>
  /** Of kinds that lie in something that is no resource and cannot be listed (templates in a set): the ids of those to read. */
  readonly containers?: Readonly<Partial<Record<KindName, readonly string[]>>> | undefined
  /**
   * Whether the platform is asked first which fields it has that no table has, and are asked for as well then: all of them
   * (A223), or those that are extended attributes (A351).
   */
  readonly unknown?: 'looked for' | 'attributes'
  /** Who looks around does without collections that the document does not have, if they are refused (A220). */
  readonly refused?: 'left out'
  /** Whose links are needed: they cost a request for each object where answers have none nested (roles of a service). */
  readonly linksOf: LinksOf
  /**
   * Whose children that the document does not have are asked for one by one where an answer has none nested (filters of a
   * method), and whose picks of them (the filter of a plan's method); nobody's, if nothing is said (A313).
   */
  readonly extrasOf?: ((holder: Holder) => boolean) | undefined
}

/**
 * A reading that is brought up to date: only what was touched since is read again, and all else is as it was (design §5, A
 * small change costs little).
 */
export interface Earlier {
  readonly snapshot: Snapshot
  readonly notOffered: readonly KindName[]
  /** Of each root kind that is read again: all of its pages, or single objects. One that is missing is as it was. */
  readonly touched: ReadonlyMap<KindName, 'pages' | readonly TouchedObject[]>
  /** Whether an object may hold other links than before; the others keep theirs. */
  readonly hasOtherLinks: (kind: KindName, id: string) => boolean
  /** Whether objects of a kind may be answered without a field that they had: it was unset. */
  readonly mayLack: (kind: KindName, field: string) => boolean
}

/** A root object to read again; one that is `there` and is not answered is looked for in the pages of its kind. */
export interface TouchedObject {
  readonly id: string
  readonly is: 'there' | 'deleted'
}

/** `if made`: those of all, unless the area has only the platform's own of what links lead to. */
export type LinksOf = 'all' | 'none' | 'if made' | ((holder: Holder) => boolean)

/** A live object that may hold links, as far as it is known before they are read. */
export interface Holder {
  readonly kind: KindName
  readonly id: string
  readonly name: string
}

/** These live objects and all that lies in them, parents before their children. */
export function withAllInside(objects: readonly LiveObject[]): readonly LiveObject[] {
  const all: LiveObject[] = []
  const add = (object: LiveObject): void => {
    all.push(object)
    object.children.forEach(add)
  }
  objects.forEach(add)
  return all
}
