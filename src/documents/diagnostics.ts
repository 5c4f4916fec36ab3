import type { Severity } from '../problems/codes.js'
import type { Place, Problem } from '../problems/problem.js'

/** One problem as JSON, as in `diagnostics` of all documents. */
export interface Diagnostic {
  readonly code: string
  readonly severity: Severity
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly hint?: string
  readonly related?: readonly {
    readonly message: string
    readonly file: string
    readonly line: number
    readonly column: number
  }[]
}

/** Problems as the answer of a command: the result of `validate`, or the reason why a command has no other answer. */
export interface DiagnosticsDocument {
  readonly format: 'gatewright.diagnostics/1'
  readonly diagnostics: readonly Diagnostic[]
}

export const diagnosticsDocument = (problems: readonly Problem[]): DiagnosticsDocument => ({
  format: 'gatewright.diagnostics/1',
  diagnostics: problems.map(diagnosticOf),
})

/** The document with further problems. */
export const withDiagnostics = <Reported extends { readonly diagnostics: readonly Diagnostic[] }>(
  document: Reported,
  problems: readonly Problem[],
): Reported => ({ ...document, diagnostics: [...document.diagnostics, ...problems.map(diagnosticOf)] })

/** A problem as JSON, without its code frame. */
export function diagnosticOf(problem: Problem): Diagnostic {
  const { code, severity, message, place, hint, related } = problem
  return {
    code,
    severity,
    message,
    ...(place && place.lines !== 'none' && { file: place.file, line: place.line, column: place.column }),
    ...(hint !== undefined && { hint }),
    ...(related && {
      related: related.filter(hasLines).map((each) => ({
        message: each.message,
        file: each.place.file,
        line: each.place.line,
        column: each.place.column,
      })),
    }),
  }
}

const hasLines = ({ place }: { readonly place: Place }): boolean => place.lines !== 'none'
