import { guardConfirm, otherConfirmed } from '../problems/guard.js'
import type { Problem } from '../problems/problem.js'
import { confirmationNeeded } from '../problems/refusals.js'
import type { Area } from './area.js'
import type { PlanResult } from './plan.js'
import type { ConfirmingRequest } from './requests.js'

/** Decides whether a new plan is executed. */
export interface Approver {
  /** Gets the plan before any question or refusal. */
  readonly show: (plan: PlanResult) => void
  /**
   * `name`: the name that the user must type; undefined: "yes" is enough, even if it was given in advance. `already`: no question
   * is needed.
   */
  readonly approve: (plan: PlanResult, name: string | undefined) => Promise<'already' | 'yes' | 'no' | 'cannot ask'>
}

/**
 * The name that must be typed before the area is changed. Undefined if no guard rail requires it, or if the request contains a
 * name.
 */
export const nameToType = ({ guard, desired }: Pick<Area, 'guard' | 'desired'>, { confirm }: ConfirmingRequest) =>
  guard?.rails.confirm && confirm === undefined ? nameToConfirm(desired.project) : undefined

const nameToConfirm = ({ name, layers }: Area['desired']['project']): string => layers?.environment ?? name

/** Why nothing is read or done: the request contains the name of another environment or project. */
export function otherName({ desired }: Pick<Area, 'desired'>, { confirm }: ConfirmingRequest): readonly Problem[] {
  const here = nameToConfirm(desired.project)
  return confirm === undefined || confirm === here ? [] : [otherConfirmed(confirm, here)]
}

/** The answer, or why nothing is done: nobody can be asked. */
export async function approvalOf(
  area: Pick<Area, 'guard' | 'desired'>,
  request: ConfirmingRequest,
  approver: Approver,
  displayed: PlanResult,
): Promise<'already' | 'yes' | 'no' | { readonly is: 'refused'; readonly problems: readonly Problem[] }> {
  if (request.confirm !== undefined) return 'already'
  const answer = await approver.approve(displayed, nameToType(area, request))
  return answer === 'cannot ask' ? { is: 'refused', problems: [notConfirmed(area)] } : answer
}

const notConfirmed = ({ guard }: Pick<Area, 'guard'>): Problem =>
  guard?.rails.confirm ? guardConfirm({ ...guard.rails.confirm, environment: guard.environment }) : confirmationNeeded()
