import { printable } from '../json/printable.js'
import type { Report } from './problems.js'

/** What a snapshot holds, in words. */
export function snapshotSummary(written: {
  readonly file: string
  readonly objects: Readonly<Record<string, number>>
}): Report {
  const counts = Object.entries(written.objects).map(([kind, count]) => `${kind} ${count}`)
  const held = counts.length === 0 ? 'an empty area' : counts.join(', ')
  const remark = 'Secrets are left out of it, with the values that hold one: a plan against it does not compare them.'
  return { output: `Wrote ${printable(written.file)}: ${held}.\n${remark}\n` }
}
