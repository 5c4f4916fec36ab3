import { promote } from '../../engine/promote.js'
import { jsonText } from '../../json/json.js'
import { promotionText } from '../../report/promotion.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { PromoteOptions } from '../options.js'
import { showProblems } from '../show.js'

/** `promote A B`: copies values and patches of one environment to another, in the project's files. Sends no requests. */
export async function promoteCommand(options: PromoteOptions, io: Io): Promise<number> {
  const { document, problems, file } = await promote(options, io)
  if (options.output === 'json') io.stdout.write(jsonText(document))
  else {
    showProblems(problems, options, io)
    io.stdout.write(promotionText(document, file, coloursFor(io.stdout, options, io)).output)
  }
  return exit.done
}
