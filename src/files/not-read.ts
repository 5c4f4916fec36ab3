import { missingManifest, unreadableText } from '../problems/manifests.js'
import type { Problem, ReportProblem } from '../problems/problem.js'
import type { Files, FileText } from './files.js'

/** Why a file has no text. `instead`: what else can be done if it is not a text. */
export const notRead = (
  path: string,
  { failure, broken }: Exclude<FileText, { readonly text: string }>,
  instead?: string,
): Problem =>
  broken ? unreadableText(path, `${failure}: ${broken.what}`, broken.line, instead) : missingManifest(path, failure)

/** A file with its text; if it has none, the reason is reported. */
export function readOrReport(
  path: string,
  files: Files,
  report: ReportProblem,
): readonly { readonly file: string; readonly text: string }[] {
  const read = files.readText(path)
  if ('text' in read) return [{ file: path, text: read.text }]
  report(notRead(path, read))
  return []
}
