import type { PlanDocument } from '../documents/plan.js'
import { jsonText } from '../json/json.js'
import type { Report } from './problems.js'

/** The plan as its JSON document. */
export const planJson = (plan: PlanDocument): Report => ({ output: jsonText(plan) })
