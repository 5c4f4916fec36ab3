import type { ExportDocument } from './export.js'

/** One file of a new project, and whether it was written or kept. */
export interface StarterResult {
  readonly path: string
  readonly about: string
  readonly action: 'written' | 'added to' | 'kept'
}

/** The result of `init`: `gatewright.init/1`. */
export interface InitDocument {
  readonly format: 'gatewright.init/1'
  readonly files: readonly StarterResult[]
  /** The environments of the project; absent if it has only one area. */
  readonly environments?: readonly string[]
  readonly ci: 'github' | 'gitlab' | 'none'
  /** The package that CI installs, in the form of npm: `gatewright@0.2.0`. */
  readonly program: string
  /** The path to the root of the repository, if the project is in a subfolder: CI systems expect workflows in the root. */
  readonly repository?: string
  /** The settings of the CI system: variables that everybody may see, and secrets. */
  readonly variables: readonly string[]
  readonly secrets: readonly string[]
  /** The result of the export of the live area, if there was one. */
  readonly export?: ExportDocument
}
