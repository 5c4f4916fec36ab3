import { applyProject } from '../../engine/apply.js'
import { planDefaults } from '../../engine/requests.js'
import type { Problem } from '../../problems/problem.js'
import type { CommandEnd } from '../command-end.js'
import type { Io } from '../io.js'
import type { ApplyOptions } from '../options.js'
import { confirm, questionOf } from '../question.js'
import { showPlan } from '../show-plan.js'
import { showEnd } from '../show-run.js'

/**
 * `apply`: applies a saved plan, or makes a new plan, shows it and asks before it applies it. Then it reads the area and plans
 * again.
 */
export async function applyCommand(options: ApplyOptions, io: Io): Promise<CommandEnd> {
  let reported: readonly Problem[] = []
  const result = await applyProject(
    { ...planDefaults, ...options },
    {
      show: (plan) => {
        if (options.output === 'json') return
        showPlan(plan, options, io)
        reported = plan.refused
      },
      approve: ({ document }, name) => confirm(questionOf('Apply', document), { ...options, name }, io),
    },
    io,
  )
  return showEnd(result, options, io, reported)
}
