import { catalog } from '../catalog/catalog.js'
import { keysOf } from '../json/pointer.js'
import type { Matches } from './match/match.js'
import type { Hindered } from './plan.js'
import type { BrokenReference } from './references/scope.js'

/**
 * What a rollback leaves, since somebody has deleted what it lay in or referred to: all else of the run can be undone. Of an
 * object that does without a reference only that is left.
 */
export function hinderedIn(broken: readonly BrokenReference[], { unclear }: Matches): readonly Hindered[] {
  const lost = [...unclear].flatMap(([address, { code }]) =>
    code === 'parent-not-found' ? [{ address, why: 'its parent does not exist any more' }] : [],
  )
  return [...lost, ...broken.filter(leadsNowhere).map(hinderedBy)]
}

/** Whether nothing has the name; what a plan would delete, and what several have, is an error of a rollback as well. */
export const leadsNowhere = ({ found }: BrokenReference): boolean => found === 'nothing'

function hinderedBy({ from, at, kind, name }: BrokenReference): Hindered {
  const why = `refers to ${kind} "${name.name}", which does not exist any more`
  const [field = ''] = keysOf(at)
  const isNeeded = catalog[from.kind].fields[field]?.create === 'Req'
  return at === '' || isNeeded
    ? { address: from.address, why: `it ${why}` }
    : { address: from.address, path: at, why: `${at} ${why}` }
}
