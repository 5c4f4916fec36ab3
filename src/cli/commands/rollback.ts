import { planDefaults } from '../../engine/requests.js'
import { rollbackRun } from '../../engine/rollback.js'
import type { CommandEnd } from '../command-end.js'
import type { Io } from '../io.js'
import type { RollbackOptions } from '../options.js'
import { confirm, questionOf } from '../question.js'
import { showPlanned } from '../show-plan.js'
import { showEnd } from '../show-run.js'

/** `rollback RUN`: undoes the changes of a run if the live objects are still as the run left them. */
export async function rollbackCommand(options: RollbackOptions, io: Io): Promise<CommandEnd> {
  const result = await rollbackRun(
    { ...planDefaults, ...options },
    {
      show: (plan) => {
        if (options.output !== 'json') showPlanned(plan, options, io)
      },
      approve: ({ document }, name) => confirm(questionOf('Undo', document), { ...options, name }, io),
    },
    io,
  )
  return showEnd(result, options, io)
}
