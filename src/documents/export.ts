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
  /** The variables that the manifests need. */
  readonly variables: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

export const exportDocument = (
  files: readonly WrittenFile[],
  variables: readonly string[],
  problems: readonly Problem[],
): ExportDocument => ({ format: 'gatewright.export/1', files, variables, diagnostics: problems.map(diagnosticOf) })
