import type { ReportContext, Told } from '../report/formats/format.js'

/** How a command ends: its exit code, and what it has told where reports can be made of that. */
export type CommandEnd =
  | number
  | {
      readonly exitCode: number
      readonly told: Told
      /** What it has sent, where that is counted. */
      readonly traffic?: ReportContext['traffic']
    }
