import type { ExportDocument } from './export.js'

/** One file of a new project, and what became of it. */
export interface StarterResult {
  readonly path: string
  readonly about: string
  readonly action: 'written' | 'added to' | 'kept'
}

/** A new project, as it is written down: `gatewright.init/1`. */
export interface InitDocument {
  readonly format: 'gatewright.init/1'
  readonly files: readonly StarterResult[]
  /** The environments of the project; absent if it has one area. */
  readonly environments?: readonly string[]
  readonly ci: 'github' | 'gitlab' | 'none'
  /** What CI installs, as npm names it: `gatewright@0.2.0`. */
  readonly program: string
  /** The way to the root of the repository, where CI systems look for workflows, if the project is not there. */
  readonly repository?: string
  /** What is to be set in the CI system: what anybody may see there, and what nobody may. */
  readonly variables: readonly string[]
  readonly secrets: readonly string[]
  /** What the export of the live area has done, if there was one. */
  readonly export?: ExportDocument
}
