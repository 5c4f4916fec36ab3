import { printable } from '../json/printable.js'
import type { Report } from './problems.js'
import { type TableForm, wrappedText } from './table.js'

/** The contents of a snapshot, in words. */
export function snapshotSummary(
  written: { readonly file: string; readonly objects: Readonly<Record<string, number>> },
  form: TableForm,
): Report {
  const counts = Object.entries(written.objects).map(([kind, count]) => `${kind} ${count}`)
  const held = counts.length === 0 ? 'an empty area' : counts.join(', ')
  const remark = 'Secrets, and values that contain one, are left out: a plan against the file does not compare them.'
  const lines = [`Wrote ${printable(written.file)}: ${held}.`, remark].flatMap((text) => wrappedText(text, form))
  return { output: `${lines.join('\n')}\n` }
}
