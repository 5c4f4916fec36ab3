import type { DocumentName, Writers } from './format.js'

/** A format of `--report`: its documents, its target, and its code, which is loaded only if it is needed. */
interface FormatRow<Name extends DocumentName> {
  readonly of: readonly Name[]
  /** `file`: the file that the option names; `job`: annotations in the log of a CI job, and the job's summary. */
  readonly goesTo: 'file' | 'job'
  /** Whether the format needs the previous text of the file. */
  readonly readsEarlier?: true
  /** Every format also has a report of problems. */
  readonly load: () => Promise<{ readonly reports: Writers<NoInfer<Name> | 'problems'> }>
}

/** Checks the type of a row: its code must be able to write exactly the documents that it lists. */
const format = <const Name extends DocumentName>(row: FormatRow<Name>): FormatRow<Name> => row

/** All formats of `--report`, in the order of the help text. A new format needs a file in this folder and a row here. */
const rows = {
  markdown: format({
    of: ['validation', 'plan', 'run', 'drift', 'diff', 'history', 'policies', 'fleet'],
    goesTo: 'file',
    load: () => import('./markdown.js'),
  }),
  html: format({
    of: ['validation', 'plan', 'run', 'drift', 'diff', 'history', 'policies', 'fleet'],
    goesTo: 'file',
    load: () => import('./html.js'),
  }),
  junit: format({
    of: ['validation', 'plan', 'run', 'drift', 'diff', 'policies', 'fleet'],
    goesTo: 'file',
    load: () => import('./junit.js'),
  }),
  sarif: format({ of: ['validation', 'plan', 'drift', 'policies'], goesTo: 'file', load: () => import('./sarif.js') }),
  github: format({
    of: ['validation', 'plan', 'run', 'drift', 'diff', 'policies'],
    goesTo: 'job',
    load: () => import('./github.js'),
  }),
  'gitlab-codequality': format({
    of: ['validation', 'plan', 'drift', 'policies'],
    goesTo: 'file',
    load: () => import('./gitlab-codequality.js'),
  }),
  'gitlab-terraform': format({ of: ['plan'], goesTo: 'file', load: () => import('./gitlab-terraform.js') }),
  prometheus: format({
    of: ['plan', 'run', 'drift', 'fleet'],
    goesTo: 'file',
    readsEarlier: true,
    load: () => import('./prometheus.js'),
  }),
  json: format({
    of: ['validation', 'plan', 'run', 'drift', 'diff', 'history', 'policies', 'fleet'],
    goesTo: 'file',
    load: () => import('./json.js'),
  }),
} as const

export type FormatName = keyof typeof rows

/** The parts of a row that the command line and the report writer need. */
interface ReportFormat extends Pick<FormatRow<DocumentName>, 'goesTo' | 'readsEarlier'> {
  readonly of: readonly DocumentName[]
  readonly load: () => Promise<{ readonly reports: Partial<Writers<DocumentName>> }>
}

export const reportFormats: Readonly<Record<FormatName, ReportFormat>> = rows

/** The formats that exist for a document, in the order of the rows. */
export function formatsOf(name: DocumentName): readonly FormatName[] {
  return formatNames.filter((each) => reportFormats[each].of.includes(name))
}

const isFormat = (name: string): name is FormatName => Object.hasOwn(rows, name)

const formatNames: readonly FormatName[] = Object.keys(rows).filter(isFormat)
