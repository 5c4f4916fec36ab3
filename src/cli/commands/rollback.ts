import { planDefaults } from '../../engine/requests.js'
import { rollbackRun } from '../../engine/rollback.js'
import type { Io } from '../io.js'
import type { RollbackOptions } from '../options.js'
import { confirm } from '../question.js'
import { showPlan } from '../show-plan.js'
import { showEnd } from '../show-run.js'

/** `rollback RUN`: undoes what a run wrote, where the live side is still as the run left it. */
export async function rollbackCommand(options: RollbackOptions, io: Io): Promise<number> {
  const result = await rollbackRun(
    { ...planDefaults, ...options },
    {
      show: (plan) => {
        const isAnswer = plan.document.changes.length === 0
        if (options.output !== 'json' || isAnswer) showPlan({ ...plan, refused: [] }, options, io)
      },
      approve: (question) => confirm(question, options, io),
    },
    io,
  )
  return showEnd(result, options, io)
}
