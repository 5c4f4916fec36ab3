import type { Run } from '../applier/converge.js'
import type { Plan } from '../planner/plan.js'
import type { Image, Receipt } from '../records/record.js'
import type { LastApplied } from './last-applied.js'
import { type Done, recordedAddress, type Undo } from './undo.js'

/** Writes what is known after a rollback: of each object what it was before, beside what the run did not touch. */
export async function receiptsAfterUndo(
  run: Run,
  plan: Plan,
  undo: Undo,
  name: string,
  last: LastApplied,
): Promise<void> {
  const receipts = new Map(last.receipts.map((receipt) => [receipt.address, receipt]))
  const done = new Map(undo.done.map((each) => [each.address, each]))
  const keep: Receipt[] = []
  const forget: string[] = []
  for (const change of plan.changes) {
    const result = run.results.get(change.address)
    if (result?.outcome !== 'applied') continue
    if (change.action === 'delete') forget.push(change.address)
    if (!('resource' in change)) continue
    const recorded = recordedAddress(change.resource)
    const each = done.get(recorded)
    if (!each) continue
    if (recorded !== change.address) forget.push(recorded)
    const { kind, address } = change
    const image = imageBefore(each, receipts.get(recorded)?.image, change.resource.fields)
    const origin = change.action === 'create' ? 'created' : (receipts.get(recorded)?.origin ?? 'adopted')
    keep.push({ address, kind, id: result.id, image, run: name, origin })
  }
  if (keep.length > 0 || forget.length > 0) await last.records.keep(last.key, keep, forget)
}

/**
 * The receipt that there is, with the fields that were put back; a field that had no value is managed no more. What was
 * deleted comes back with fields that nobody managed: a later apply must not unset them as if somebody had.
 */
function imageBefore({ action, managed }: Done, known: Image | undefined, back: Image['fields']): Image {
  if (action === 'delete' && managed) {
    const own = Object.entries(back).filter(([name]) => managed.includes(name))
    return { fields: Object.fromEntries(own), fingerprints: {} }
  }
  if (action === 'delete' || !known) return { fields: back, fingerprints: {} }
  const merged = Object.entries({ ...known.fields, ...back }).filter(([, value]) => value !== null)
  const prints = Object.entries(known.fingerprints).filter(([name]) => !Object.hasOwn(back, name))
  return { fields: Object.fromEntries(merged), fingerprints: Object.fromEntries(prints) }
}
