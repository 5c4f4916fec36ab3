import type { DocumentName, Writers } from './format.js'

/** A format of `--report`: what it can be made of, where it goes, and its code, which is loaded only when it is asked for. */
interface FormatRow<Name extends DocumentName> {
  readonly of: readonly Name[]
  /** `file`: the file that the option names; `job`: annotations in the log of a CI job, and its summary. */
  readonly goesTo: 'file' | 'job'
  /** Whether it is told what the file held before. */
  readonly readsEarlier?: true
  /** Every format can tell of problems as well. */
  readonly load: () => Promise<{ readonly reports: Writers<NoInfer<Name> | 'problems'> }>
}

/** Holds what a row says that its format is of against what its code can write. */
const format = <const Name extends DocumentName>(row: FormatRow<Name>): FormatRow<Name> => row

/** Every format of `--report`, in the order in which they are listed. A new one is a file in this folder and a row here. */
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

/** What the command line and the writer of reports need of a row. */
interface ReportFormat extends Pick<FormatRow<DocumentName>, 'goesTo' | 'readsEarlier'> {
  readonly of: readonly DocumentName[]
  readonly load: () => Promise<{ readonly reports: Partial<Writers<DocumentName>> }>
}

export const reportFormats: Readonly<Record<FormatName, ReportFormat>> = rows

/** The formats that a report of a document may have, in the order of the rows. */
export function formatsOf(name: DocumentName): readonly FormatName[] {
  return formatNames.filter((each) => reportFormats[each].of.includes(name))
}

const isFormat = (name: string): name is FormatName => Object.hasOwn(rows, name)

const formatNames: readonly FormatName[] = Object.keys(rows).filter(isFormat)
