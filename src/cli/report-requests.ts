import { normalizePath } from '../files/paths.js'
import { ProblemError } from '../problems/problem.js'
import { badUsage, invalidOption } from '../problems/project.js'
import type { DocumentName } from '../report/formats/format.js'
import { type FormatName, formatsOf, reportFormats } from '../report/formats/formats.js'
import { fileToWrite } from './option.js'

/** One report that the user requested. */
export interface ReportRequest {
  readonly format: FormatName
  /** Undefined: the CI job in which the command runs, if there is one. `-`: stdout. */
  readonly file: string | undefined
  /** The maximum number of characters, if it is given. */
  readonly budget: number | undefined
}

/** The command for which the reports are requested. */
interface RequestedReport {
  readonly of: DocumentName
  readonly command: string
  /** The value of `-o`. */
  readonly form: string
}

/**
 * Parses the values of `--report`: `FORMAT`, `FORMAT=FILE` or `markdown=FILE:60000`. Throws a ProblemError for an invalid value.
 */
export function reportsIn(written: readonly string[], requested: RequestedReport): readonly ReportRequest[] {
  const requests = written.map((each) => requestIn(each, requested))
  const files = requests.flatMap(({ file }) => (file === undefined ? [] : normalizePath(file)))
  const [twice] = files.filter((file, index) => files.indexOf(file) !== index)
  if (twice !== undefined) {
    throw new ProblemError([badUsage(`two reports go to ${twice}`, 'give each of them a file of its own')])
  }
  if (files.includes(stdout) && requested.form !== 'text') {
    throw new ProblemError([badUsage(`-o ${requested.form} and a report both go to stdout`, 'give the report a file')])
  }
  return requests
}

/** Means stdout. The command's own output then goes to stderr. */
export const stdout = '-'

/** The smallest permitted budget of a Markdown report, in characters. */
export const smallestBudget = 2000

function requestIn(written: string, { of, command }: RequestedReport): ReportRequest {
  const [, name = '', rest] = /^([^=]*)(?:=([\s\S]*))?$/.exec(written) ?? []
  const formats = formatsOf(of)
  const format = formats.find((each) => each === name)
  if (format === undefined) {
    throw invalid(written, `one of these with gatewright ${command}: ${formats.join(', ')}`)
  }
  if (reportFormats[format].goesTo === 'job') {
    if (rest !== undefined)
      throw invalid(written, `${format} without a file: it goes to the log and the summary of the job`)
    return { format, file: undefined, budget: undefined }
  }
  const [, file = '', budget] = (format === 'markdown' && /^([\s\S]*):(\d\w*)$/.exec(rest ?? '')) || ['', rest]
  if (file === '') throw invalid(written, `a file, such as ${format}=FILE, or ${format}=- for stdout`)
  fileToWrite('--report', file, written)
  if (budget !== undefined && !(Number(budget) >= smallestBudget && Number.isSafeInteger(Number(budget)))) {
    throw invalid(written, `a budget of at least ${smallestBudget} characters`)
  }
  return { format, file, budget: budget === undefined ? undefined : Number(budget) }
}

const invalid = (written: string, expected: string): ProblemError =>
  new ProblemError([invalidOption('--report', written, expected)])

/** Whether a report is written to stdout, so that the command's own output must go elsewhere. */
export const takesStdout = (requests: readonly ReportRequest[]): boolean => requests.some(({ file }) => file === stdout)
