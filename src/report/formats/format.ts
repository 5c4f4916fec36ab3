import type { DiagnosticsDocument } from '../../documents/diagnostics.js'
import type { DiffDocument } from '../../documents/diff.js'
import type { FleetDocument } from '../../documents/fleet.js'
import type { HistoryDocument } from '../../documents/history.js'
import type { PlanDocument } from '../../documents/plan.js'
import type { PolicyTestsDocument } from '../../documents/policy-tests.js'
import type { RunDocument } from '../../documents/run.js'

/** What reports are made of: the documents that commands tell with `-o json`, by what they are to a report. */
export interface ReportDocuments {
  /** What `validate` has found. */
  readonly validation: DiagnosticsDocument
  readonly plan: PlanDocument
  readonly drift: PlanDocument
  /** Of an apply or a rollback. */
  readonly run: RunDocument
  readonly diff: DiffDocument
  readonly history: HistoryDocument
  /** Of all areas of a fleet. */
  readonly fleet: FleetDocument
  /** What `policy test` has found. */
  readonly policies: PolicyTestsDocument
  /** Why a command ended without anything else to tell. */
  readonly problems: DiagnosticsDocument
}

export type DocumentName = keyof ReportDocuments

/** A document with what it is. */
export type Told<Name extends DocumentName = DocumentName> = {
  readonly [Each in Name]: { readonly is: Each; readonly document: ReportDocuments[Each] }
}[Name]

/** What a report is given beside its document. */
export interface ReportContext {
  /** The command that was run, such as `plan`. */
  readonly command: string
  /** The version of the program. */
  readonly version: string
  /** Whose document it is; undefined where the project file cannot be read. */
  readonly project: string | undefined
  /** Only of projects with environments. */
  readonly environment: string | undefined
  /** When the command began, and when it had its result: milliseconds since 1970. */
  readonly startedMs: number
  readonly endedMs: number
  /** What the command has sent, where it is counted. */
  readonly traffic: { readonly requests: number; readonly throttled: number } | undefined
  /** The path from the root of the repository to a file of a document: CI systems know files by that. */
  readonly pathOf: (file: string) => string
  /** The project file, as a file of a document would be named: the place of what no manifest has a line for. */
  readonly projectFile: string
  /** How many characters the report may have, where somebody said so; at least 2,000. */
  readonly budget: number | undefined
  /** The text that the report replaces, where there is one. */
  readonly earlier: string | undefined
}

/** A report of one document: the whole text, the same bytes for the same input. */
type Writer<Name extends DocumentName> = (document: ReportDocuments[Name], context: ReportContext) => string

/** The reports of one format. */
export type Writers<Name extends DocumentName> = { readonly [Each in Name]: Writer<Each> }

/** What a report is of: `plan shop/prod`. Its own document may not say so, as one of problems does not. */
export const reportedText = ({ command, project, environment }: ReportContext): string =>
  [command, [project, environment].filter((name) => name !== undefined).join('/')]
    .filter((word) => word !== '')
    .join(' ')

/** The report of a document; every format has one of problems, which stands in where it has none of the document. */
export function reportText<Name extends DocumentName>(
  writers: Partial<Writers<DocumentName>>,
  { is, document }: { readonly is: Name; readonly document: ReportDocuments[Name] },
  context: ReportContext,
): string | undefined {
  return writers[is]?.(document, context)
}
