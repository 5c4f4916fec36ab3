import type { ReportContext, Reported } from '../report/formats/format.js'

/** The result of a command: its exit code, and the document for reports if the command can have reports. */
export type CommandEnd =
  | number
  | {
      readonly exitCode: number
      readonly reported: Reported
      /** The requests that it sent, if they are counted. */
      readonly traffic?: ReportContext['traffic']
    }
