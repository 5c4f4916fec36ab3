import type { ExportDocument, WrittenFile } from '../documents/export.js'
import type { Report } from './problems.js'

/** What an export has done. `isSet`: whether the environment has a variable already. */
export function exportText(
  { files, variables, diagnostics }: ExportDocument,
  isSet: (variable: string) => boolean,
): Report {
  const written = filesText(files, diagnostics, 'the manifests match the platform')
  return { output: written.output + variablesText(variables, isSet) }
}

/** The files, one a line, and how many there are; where there are none and nothing hindered that, `why`. */
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

/** What could not be brought into the manifests, or stands in them without being live, was told as a warning. */
const nothingText = (problems: ExportDocument['diagnostics'], why: string): string =>
  isNothing(problems) ||
  problems.some((each) => each.severity !== 'note' && (each.file !== undefined || each.code === 'not-written'))
    ? 'Nothing was written.\n'
    : `Nothing to write: ${why}.\n`

/** Whether there are no objects to export and no manifests. */
export const isNothing = (problems: ExportDocument['diagnostics']): boolean =>
  problems.some(({ code }) => code === 'nothing-exported')
