import { applyProject } from '../../engine/apply.js'
import { planDefaults } from '../../engine/requests.js'
import type { Io } from '../io.js'
import type { ApplyOptions } from '../options.js'
import { confirm } from '../question.js'
import { showPlan } from '../show-plan.js'
import { showEnd, showRun } from '../show-run.js'

/** `apply`: performs a saved plan, or a fresh one after showing it and asking; reads the area and plans again. */
export async function applyCommand(options: ApplyOptions, io: Io): Promise<number> {
  const result = await applyProject(
    { ...planDefaults, ...options },
    {
      show: (plan) => {
        if (options.output !== 'json') showPlan({ ...plan, refused: [] }, options, io)
      },
      approve: (question) => confirm(question, options, io),
    },
    io,
  )
  if (result.is === 'unchanged' && options.output === 'json') showRun(result.run, options, io)
  return showEnd(result, options, io)
}
