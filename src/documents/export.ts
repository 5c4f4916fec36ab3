import type { LeftOutField } from '../live/unknown-fields.js'
import type { Problem } from '../problems/problem.js'
import { type Diagnostic, diagnosticOf } from './diagnostics.js'

/** A manifest, and whether it was created, updated or deleted. */
export interface WrittenFile {
  readonly path: string
  readonly action: 'created' | 'updated' | 'deleted'
}

/** The result of an export: `gatewright.export/1`. */
export interface ExportDocument {
  readonly format: 'gatewright.export/1'
  readonly files: readonly WrittenFile[]
  /** Unknown fields of live objects, and children that were not read. They are in no manifest. */
  readonly leftOut: readonly LeftOutField[]
  /** The environment variables that the manifests use. */
  readonly variables: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

export const exportDocument = ({ files, leftOut, variables, problems }: Exporting): ExportDocument => ({
  format: 'gatewright.export/1',
  files,
  leftOut,
  variables,
  diagnostics: problems.map(diagnosticOf),
})

interface Exporting extends Pick<ExportDocument, 'files' | 'leftOut' | 'variables'> {
  readonly problems: readonly Problem[]
}
