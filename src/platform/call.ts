import type { HttpMethod } from '../catalog/types.js'
import type { JsonObject } from '../json/json.js'
import type { PlatformArea } from './area.js'
import type { Entity } from './entity.js'
import { parsePaths } from './paths.js'
import { type Projection, project } from './projection.js'
import { Refusal } from './refusal.js'
import type { RuledWrite } from './write.js'

/** The answer of the interface before it is rendered in a dialect. */
export type Answer =
  | { readonly is: 'list'; readonly items: readonly JsonObject[]; readonly total: number }
  | { readonly is: 'object'; readonly item: JsonObject; readonly createdId?: string }
  | { readonly is: 'gone' }

/** One call of the interface; its path is already resolved. */
export interface PlatformCall {
  readonly method: HttpMethod
  readonly area: PlatformArea
  readonly reader: Projection
  readonly write: RuledWrite
  readonly parameters: URLSearchParams
  /** The maximum number of objects on a page, if the platform has such a limit. */
  readonly pageCap: number | undefined
  /** The name of the last collection in the path. */
  readonly segment: string
  readonly body: JsonObject
}

/** An object as it appears in the answer to this call. */
export function displayedEntity(
  { reader, parameters }: PlatformCall,
  entity: Entity,
  included?: JsonObject,
): JsonObject {
  return project(reader, entity, parsePaths(parameters.getAll('fields'), reader.spelling.dialect), included)
}

/** Refuses the request with all complaints, if there are any. */
export function refuseComplaints(write: RuledWrite, words: string): void {
  if (write.complaints.length > 0) throw new Refusal(400, words, write.complaints)
}
