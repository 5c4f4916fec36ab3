import type { PlanDocument } from '../documents/plan.js'
import type { Report } from './problems.js'

/** The plan as its JSON document. */
export const planJson = (plan: PlanDocument): Report => ({ output: `${JSON.stringify(plan, null, 2)}\n` })
