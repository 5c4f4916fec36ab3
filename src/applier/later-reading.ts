import { keysOf } from '../json/pointer.js'
import type { Change, UpdateChange } from '../planner/plan.js'
import type { ChangeResult } from './run.js'

/**
 * Whether a reading that wants a change again is no older than what was written of that object: what it lacks was not kept
 * then, and it need not be repeated (A361). `written`: what was sent last of it.
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

/** Whether another field of the same request is as it was written; of two requests nobody can tell which one is shown. */
function showsAnother(written: UpdateChange, lacking: readonly string[]): boolean {
  if (written.temporary) return false
  return written.fields.some(({ path, sensitive, after = null }) => {
    const isCompared = isPlain(written, path) && !sensitive && after !== null
    return isCompared && !lacking.includes(path)
  })
}

/** Links may be lists of their own, which may be older or newer than the object. */
const isPlain = ({ values }: UpdateChange, path: string): boolean => values[nameIn(path)]?.is === 'value'

const nameIn = (path: string): string => keysOf(path)[0] ?? ''
