import type { Problem } from '../problem.js'
import { diagnosticOf, problemsText } from '../report/problems.js'
import type { WrittenFile } from './codify/write-texts.js'
import { coloursFor } from './colour.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'

/** What an export has done. */
export interface Exported {
  readonly files: readonly WrittenFile[]
  /** The variables that the manifests need. */
  readonly variables: readonly string[]
  readonly problems: readonly Problem[]
}

/** Writes it to stdout in the form asked for; in text its problems go to stderr. */
export function showExport({ files, variables, problems }: Exported, options: GlobalOptions, io: Io): void {
  if (options.output === 'json') {
    const document = { format: 'gatewright.export/1', files, variables, diagnostics: problems.map(diagnosticOf) }
    io.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
    return
  }
  io.stderr.write(problemsText(problems, { colours: coloursFor(io.stderr, options, io) }).output)
  io.stdout.write(filesText(files, problems) + variablesText(variables, io))
}

/** The files, one a line, and how many there are. */
export function filesText(files: readonly WrittenFile[], problems: readonly Problem[]): string {
  if (files.length === 0) return nothingText(problems)
  const lines = files.map(({ path, action }) => `${action}  ${path}`)
  const count = (action: WrittenFile['action']) => files.filter((file) => file.action === action).length
  const counts = (['created', 'updated', 'deleted'] as const)
    .filter((action) => count(action) > 0)
    .map((action) => `${count(action)} ${action}`)
  return `${lines.join('\n')}\n\nFiles: ${counts.join(', ')}.\n`
}

function variablesText(variables: readonly string[], { env }: Pick<Io, 'env'>): string {
  if (variables.length === 0) return ''
  const lines = variables.map((name) => `  ${name}${env[name] === undefined ? '' : '  (set)'}`)
  return `\nThe manifests take these secrets from the environment; set them before you plan:\n${lines.join('\n')}\n`
}

/** What could not be brought into the manifests, or stands in them without being live, was told as a warning. */
const nothingText = (problems: readonly Problem[]): string =>
  problems.some(({ place, severity }) => place !== undefined && severity !== 'note')
    ? 'Nothing was written.\n'
    : 'Nothing to write: the manifests say what is live.\n'
