import { jsonText } from '../../json/json.js'
import { printableLines, withoutCommands } from '../../json/printable.js'
import type { DocumentName, Writers } from './format.js'

/** A value as the text of a report: what a terminal or a CI system would act on is written as JSON escapes. */
export const safeJson = (value: unknown): string => withoutCommands(printableLines(jsonText(value)))

/** The documents themselves, as `-o json` has them. */
export const reports: Writers<DocumentName> = {
  validation: safeJson,
  plan: safeJson,
  drift: safeJson,
  run: safeJson,
  diff: safeJson,
  history: safeJson,
  fleet: safeJson,
  policies: safeJson,
  problems: safeJson,
}
