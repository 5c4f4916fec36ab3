import type { DiagnosticsDocument } from '../../documents/diagnostics.js'
import type { DiffDocument } from '../../documents/diff.js'
import type { FleetDocument } from '../../documents/fleet.js'
import type { HistoryDocument } from '../../documents/history.js'
import type { PlanDocument } from '../../documents/plan.js'
import type { PolicyTestsDocument } from '../../documents/policy-tests.js'
import type { RunDocument } from '../../documents/run.js'

/** The documents from which reports are made. Commands write the same documents with `-o json`. */
interface ReportDocuments {
  /** The result of `validate`. */
  readonly validation: DiagnosticsDocument
  readonly plan: PlanDocument
  readonly drift: PlanDocument
  /** The result of an apply or a rollback. */
  readonly run: RunDocument
  readonly diff: DiffDocument
  readonly history: HistoryDocument
  /** The results of all areas of a fleet. */
  readonly fleet: FleetDocument
  /** The result of `policy test`. */
  readonly policies: PolicyTestsDocument
  /** The reason why a command ended without another document. */
  readonly problems: DiagnosticsDocument
}

export type DocumentName = keyof ReportDocuments

/** A document and its type. */
export type Reported<Name extends DocumentName = DocumentName> = {
  readonly [Each in Name]: { readonly is: Each; readonly document: ReportDocuments[Each] }
}[Name]

/** The context of a report, in addition to its document. */
export interface ReportContext {
  /** The command, such as `plan`. */
  readonly command: string
  /** The version of gatewright. */
  readonly version: string
  /** The name of the project; undefined if the project file cannot be read. */
  readonly project: string | undefined
  /** Only given for projects with environments. */
  readonly environment: string | undefined
  /** When the command began and when it had its result, in milliseconds since 1970. */
  readonly startedMs: number
  readonly endedMs: number
  /** The requests of the command, if they are counted. */
  readonly traffic: { readonly requests: number; readonly throttled: number } | undefined
  /** Converts the path of a file to a path from the root of the repository, which CI systems need. */
  readonly pathOf: (file: string) => string
  /** The path of the project file. It is used for findings that have no position in a manifest. */
  readonly projectFile: string
  /** The maximum number of characters, if it is given; at least 2,000. */
  readonly budget: number | undefined
  /** The previous text of the report file, if there is one. */
  readonly earlier: string | undefined
}

/** Writes the whole text of a report. The same input gives the same bytes. */
type Writer<Name extends DocumentName> = (document: ReportDocuments[Name], context: ReportContext) => string

/** The reports of one format. */
export type Writers<Name extends DocumentName> = { readonly [Each in Name]: Writer<Each> }

/** The subject of a report, such as `plan shop/prod`. Its document may not contain it: a document of problems does not. */
export const reportedText = ({ command, project, environment }: ReportContext): string =>
  [command, [project, environment].filter((name) => name !== undefined).join('/')]
    .filter((word) => word !== '')
    .join(' ')

/**
 * The report of a document; undefined if the format has none. Every format has a report of problems, which is then used instead.
 */
export function reportText<Name extends DocumentName>(
  writers: Partial<Writers<DocumentName>>,
  { is, document }: { readonly is: Name; readonly document: ReportDocuments[Name] },
  context: ReportContext,
): string | undefined {
  return writers[is]?.(document, context)
}
