import type { KindName } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { Site, Write } from './area.js'
import type { Mode } from './body.js'
import type { Entity } from './entity.js'

/** The details of a write, for the rules of its kind. */
export interface Writing {
  readonly mode: Mode
  /** The body of the request. */
  readonly body: JsonObject
  /** The own values in the body; null clears a field. */
  readonly given: JsonObject
  /** The own values before the write; empty for a new object. */
  readonly before: JsonObject
  /** The path of the object in the request's body; '' for the body itself. */
  readonly path: string
}

/**
 * How the platform treats objects of one kind in addition to the C/U/F rules. These are facts about platforms (states, checks
 * against other objects, generated values), not about the form of the interface, so they are here and not in the catalogue.
 */
export interface KindRules {
  /** Finds in the body the parent of a new object whose create route names no parent. */
  readonly site?: (write: Write, body: JsonObject) => Site
  /** Completes the body of a new object before it is read. */
  readonly prepare?: (write: Write, site: Site, body: JsonObject) => JsonObject
  /** Sets generated values, before the children are created. */
  readonly generate?: (write: Write, entity: Entity, writing: Writing) => void
  /** Checks the written object with its children and adds complaints. */
  readonly check?: (write: Write, entity: Entity, writing: Writing) => void
  /** Executes parts of a write that are no own values, such as an inverse reference. */
  readonly relate?: (write: Write, entity: Entity, writing: Writing) => void
  /** Throws a refusal if the object may not be deleted. */
  readonly removing?: (write: Write, entity: Entity) => void
  /** Reacts to a change of a root object or of an object below it. */
  readonly touched?: (write: Write, root: Entity, where: 'itself' | 'below') => void
}

export type RuleTable = Readonly<Partial<Record<KindName, KindRules>>>
