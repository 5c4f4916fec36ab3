import type { PlanDocument } from '../../documents/plan.js'
import { planProject } from '../../engine/plan.js'
import type { CommandEnd } from '../command-end.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { PlanOptions } from '../options.js'
import { showPlan } from '../show-plan.js'

/** `plan`: shows what would change, and what apply would refuse. Sends only GET. */
export async function planCommand(options: PlanOptions, io: Io): Promise<CommandEnd> {
  const result = await planProject(options, options, io)
  const { document, traffic } = result
  showPlan(result, options, io)
  return { exitCode: exitFor(document, options), reported: { is: 'plan', document }, traffic }
}

function exitFor({ changes, proof, refused }: PlanDocument, options: PlanOptions): number {
  if (proof && !proof.holds) return exit.failed
  if (refused.length > 0) return exit.refused
  return options.exitCode && changes.length > 0 ? exit.differences : exit.done
}
