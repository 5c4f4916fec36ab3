import type { LeftOutField } from '../live/unknown-fields.js'
import type { Problem } from '../problems/problem.js'
import { type Diagnostic, diagnosticOf } from './diagnostics.js'

/** A manifest that was written, and what became of it. */
export interface WrittenFile {
  readonly path: string
  readonly action: 'created' | 'updated' | 'deleted'
}

/** What an export has done, as it is written down: `gatewright.export/1`. */
export interface ExportDocument {
  readonly format: 'gatewright.export/1'
  readonly files: readonly WrittenFile[]
  /** Fields of live objects that nobody knows, and children that were not read: both are in no manifest. */
  readonly leftOut: readonly LeftOutField[]
  /** The variables that the manifests need. */
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
