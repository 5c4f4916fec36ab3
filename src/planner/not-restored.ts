import { catalog } from '../catalog/catalog.js'
import { keysOf } from '../json/pointer.js'
import type { Matches } from './match/match.js'
import type { NotRestored } from './plan.js'
import type { BrokenReference } from './references/scope.js'

/**
 * What a rollback skips because somebody has deleted its parent or the target of its reference. The rest of the run can be
 * undone. If the object can exist without the reference, only the reference is skipped.
 */
export function notRestoredIn(broken: readonly BrokenReference[], { unclear }: Matches): readonly NotRestored[] {
  const lost = [...unclear].flatMap(([address, { code }]) =>
    code === 'parent-not-found' ? [{ address, why: 'its parent does not exist any more' }] : [],
  )
  return [...lost, ...broken.filter(leadsNowhere).map(notRestoredFor)]
}

/** Whether no object has the name. A target that the plan would delete, or an ambiguous name, is an error even in a rollback. */
export const leadsNowhere = ({ found }: BrokenReference): boolean => found === 'nothing'

function notRestoredFor({ from, at, kind, name }: BrokenReference): NotRestored {
  const why = `refers to ${kind} "${name.name}", which does not exist any more`
  const [field = ''] = keysOf(at)
  const isNeeded = catalog[from.kind].fields[field]?.create === 'Req'
  return at === '' || isNeeded
    ? { address: from.address, why: `it ${why}` }
    : { address: from.address, path: at, why: `${at} ${why}` }
}
