import type { ExportDocument, WrittenFile } from '../documents/export.js'
import type { Report } from './problems.js'

/** The result of an export. `isSet`: whether an environment variable is already set. */
export function exportText(
  { files, variables, diagnostics }: ExportDocument,
  isSet: (variable: string) => boolean,
): Report {
  const written = filesText(files, diagnostics, 'the manifests match the platform')
  return { output: written.output + variablesText(variables, isSet) }
}

/** The files, one per line, and their number. If there are none and no problem is the cause, the text says `why`. */
export function filesText(files: readonly WrittenFile[], problems: ExportDocument['diagnostics'], why: string): Report {
  if (files.length === 0) return { output: nothingText(problems, why) }
  const lines = files.map(({ path, action }) => `${action}  ${path}`)
  const count = (action: WrittenFile['action']) => files.filter((file) => file.action === action).length
  const counts = (['created', 'updated', 'deleted'] as const)
    .filter((action) => count(action) > 0)
    .map((action) => `${count(action)} ${action}`)
  return { output: `${lines.join('\n')}\n\nFiles: ${counts.join(', ')}.\n` }
}

function variablesText(variables: readonly string[], isSet: (variable: string) => boolean): string {
  if (variables.length === 0) return ''
  const lines = variables.map((name) => `  ${name}${isSet(name) ? '  (set)' : ''}`)
  return `\nThe manifests take these secrets from the environment; set them before you apply:\n${lines.join('\n')}\n`
}

/**
 * If an object could not be written, or if the manifests contain an object that is not live, there is a warning. Then the text
 * does not say that everything matches.
 */
const nothingText = (problems: ExportDocument['diagnostics'], why: string): string =>
  isNothingExported(problems) ||
  problems.some((each) => each.severity !== 'note' && (each.file !== undefined || each.code === 'not-written'))
    ? 'Nothing was written.\n'
    : `Nothing to write: ${why}.\n`

/** Whether there were neither objects to export nor manifests. */
export const isNothingExported = (problems: ExportDocument['diagnostics']): boolean =>
  problems.some(({ code }) => code === 'nothing-exported')
