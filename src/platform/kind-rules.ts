import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { Site, Write } from './area.js'
import type { Mode } from './body.js'
import type { Entity } from './entity.js'

/** What is being written, for the rules of its kind. */
export interface Writing {
  readonly mode: Mode
  /** The body as it came. */
  readonly body: JsonObject
  /** The own values that it gave; null clears. */
  readonly given: JsonObject
  /** The own values as they were, empty for a new object. */
  readonly before: JsonObject
  /** The path of the object in the request's body, '' for the body itself. */
  readonly path: string
}

/**
 * How the platform treats objects of one kind beyond the C/U/F rules. These are facts about platforms (states, checks
 * against other objects, generated values), not about the interface's shape, so they stand here and not in the catalogue.
 */
export interface KindRules {
  /** Where a new object goes that is made at the root although it lives in a parent; told by its body. */
  readonly site?: (write: Write, body: JsonObject) => Site
  /** Completes the body of a new object before it is read. */
  readonly prepare?: (write: Write, site: Site, body: JsonObject) => JsonObject
  /** Sets what the platform generates, before the children come. */
  readonly generate?: (write: Write, entity: Entity, writing: Writing) => void
  /** Complains about what stands in the object now, children included. */
  readonly check?: (write: Write, entity: Entity, writing: Writing) => void
  /** Takes part of an update that is no own value, such as the far side of an inverse reference. */
  readonly relate?: (write: Write, entity: Entity, writing: Writing) => void
  /** Refuses a deletion. */
  readonly removing?: (write: Write, entity: Entity) => void
  /** Answers a change of a root object or of something below it. */
  readonly touched?: (write: Write, root: Entity, where: 'itself' | 'below') => void
}

export type RuleTable = Readonly<Partial<Record<KindName, KindRules>>>
