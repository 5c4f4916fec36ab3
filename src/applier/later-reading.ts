import { keysOf } from '../json/pointer.js'
import type { Change, UpdateChange } from '../planner/plan.js'
import type { ChangeResult } from './run.js'

/**
 * Whether a reading whose plan repeats a change is certainly later than the write of that object. Then the missing values were
 * not kept, and the reading is not repeated (A361). `written`: the last change that was sent for the object.
 */
export function isLaterReading(
  planned: Change,
  written: Change | undefined,
  result: ChangeResult | undefined,
): boolean {
  if (planned.action !== 'update' || result?.outcome !== 'applied') return false
  const lacking = planned.fields.map(({ path }) => path)
  if (!lacking.every((path) => isPlain(planned, path))) return false
  switch (written?.action) {
    case 'create':
    case 'replace':
      return planned.live.id !== '' && planned.live.id === result.id
    case 'update':
      return showsAnother(written, lacking)
    case 'delete':
    case 'blocked':
    case undefined:
      return false
  }
}

/**
 * Whether another field of the same request has the written value. If there were two requests, it is not known which of them the
 * reading shows.
 */
function showsAnother(written: UpdateChange, lacking: readonly string[]): boolean {
  if (written.temporary) return false
  return written.fields.some(({ path, sensitive, after = null }) => {
    const isCompared = isPlain(written, path) && !sensitive && after !== null
    return isCompared && !lacking.includes(path)
  })
}

/** Links may be separate lists, whose state may be earlier or later than that of the object. */
const isPlain = ({ values }: UpdateChange, path: string): boolean => values[fieldAt(path)]?.is === 'value'

const fieldAt = (path: string): string => keysOf(path)[0] ?? ''
