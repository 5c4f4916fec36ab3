import { jsonText } from '../../json/json.js'
import { printableLines, withoutCommands } from '../../json/printable.js'
import type { DocumentName, Writers } from './format.js'

/** A value as JSON text. Characters on which a terminal or a CI system would act are escaped. */
export const safeJson = (value: unknown): string => withoutCommands(printableLines(jsonText(value)))

/** The documents, as `-o json` writes them. */
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
