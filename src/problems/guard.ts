import { error, type Place, type Problem } from './problem.js'
import { counted, firstOf } from './suggest.js'

/** A guard rail (design §2.1): its position in the project file, and the environment that it protects. */
interface Guarded {
  readonly place: Place
  readonly environment: string
}

export const guardPlanned = ({ place, environment }: Guarded, what: 'apply' | 'rollback'): Problem =>
  error(
    'guard-planned',
    place,
    `in environment ${environment} only saved plans are applied${what === 'rollback' ? ', and a rollback is not one' : ''}`,
    what === 'apply'
      ? `gatewright plan -e ${environment} --out FILE, and apply that file`
      : 'put the manifests back as they were, and apply a saved plan of them',
  )

export const guardAfter = ({ place, environment }: Guarded, before: string, why: string): Problem =>
  error(
    'guard-after',
    place,
    `environment ${environment} comes after ${before}: ${why}`,
    `first run gatewright apply -e ${before} with these manifests`,
  )

export const guardBranch = ({ place, environment }: Guarded, branch: string, why: string): Problem =>
  error(
    'guard-branch',
    place,
    `environment ${environment} may only be changed from the branch ${branch}: ${why}`,
    `merge, and apply from ${branch}; a shallow clone may lack the branch`,
  )

/** `addresses`: the objects with the hazard; empty if the hazard is only allowed by an option. */
export const guardHazard = (
  { place, environment }: Guarded,
  hazard: string,
  addresses: readonly string[],
  listed: readonly string[],
): Problem =>
  error(
    'guard-hazard',
    place,
    `${hazard} cannot be allowed in environment ${environment}, whose guard allows ${listed.join(', ') || 'none'}${
      addresses.length === 0 ? '' : `: ${firstOf(addresses)}`
    }`,
    addresses.length === 0
      ? `leave out --allow ${hazard}`
      : 'remove the change from the manifests, or list the hazard in guard.hazards in a separate change',
  )

export const guardDeletes = ({ place, environment }: Guarded, count: number, limit: number): Problem =>
  error(
    'guard-deletes',
    place,
    `the plan deletes or replaces ${counted(count, 'object')}, and the guard of environment ${environment} allows ${limit}`,
    'remove the deletes, or raise guard.deletes in a separate change',
  )

export const guardPrune = ({ place, environment }: Guarded, prune: string, limit: string): Problem =>
  error(
    'guard-prune',
    place,
    `prune is ${prune}, and the guard of environment ${environment} allows no more than ${limit}`,
    `write prune: ${limit}, or give --prune ${limit}; a rollback may --select what it does not delete`,
  )

export const guardConfirm = ({ place, environment }: Guarded): Problem =>
  error(
    'guard-confirm',
    place,
    `the name of environment ${environment} must be typed, and there is no terminal to ask for confirmation`,
    `answer in advance with --confirm ${environment}; --yes alone is not enough`,
  )

/** `--confirm` names another environment than the one in use. */
export const otherConfirmed = (named: string, here: string): Problem =>
  error('guard-confirm', undefined, `--confirm says "${named}", and this is ${here}`, 'nothing was done: check -e')

export const guardRefUnreadable = (reference: string, why: string): Problem =>
  error(
    'guard-ref',
    undefined,
    `the guard rails at GATEWRIGHT_GUARD_REF, ${reference}, cannot be read: ${why}`,
    'fetch the ref, with git fetch or fetch-depth: 0, or correct the variable; nothing goes on without it',
  )
