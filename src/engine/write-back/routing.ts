import type { Vocabulary } from '../../catalog/vocabulary.js'
import type { Texts } from '../../files/overlay.js'
import type { Json } from '../../json/json.js'
import type { Manifests, Resource } from '../../manifest/resource.js'
import type { Matches } from '../../planner/match/match.js'
import type { ReferenceScope } from '../../planner/references/scope.js'
import type { Problem } from '../../problems/problem.js'
import type { WriteBackPurpose } from './deciding.js'
import type { LayersAccess } from './layers.js'

/** The input for routing the edits of one round. */
export interface Routing {
  readonly access: LayersAccess
  readonly purpose: WriteBackPurpose
  /** The vocabulary for keys that no text has yet. */
  readonly vocabulary: Vocabulary
  readonly texts: Texts
  readonly manifests: Manifests
  readonly world: Matches
  readonly references: ReferenceScope
  /** The manifests with these texts. Throws a ProblemError if they have errors. */
  read(texts: Texts): Manifests
  /** All manifests of the project, if only some of them are read. */
  readonly whole: ((texts: Texts) => Manifests) | undefined
  valueOf(text: string): string | undefined
  report(problem: Problem): void
  /** The same as `report`, for messages that later rounds do not change. */
  keep(problem: Problem): void
}

/** A field that gets a live value. */
export interface DesiredField {
  readonly resource: Resource
  readonly path: readonly string[]
  readonly value: Json
}
