import { liveObjects } from '../../engine/get.js'
import type { GetRequest } from '../../engine/requests.js'
import type { Problem } from '../../problems/problem.js'
import { liveJson, liveText } from '../../report/live.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { showProblems } from '../show.js'

/** `get KIND [NAME]`: the live objects of a kind, or those of that name; `get ADDRESS` works too. Sends only GET. */
export async function getCommand(options: GlobalOptions & GetRequest, io: Io): Promise<number> {
  const { documents, problems, manifests } = await liveObjects(options, io)
  const warn = (found: readonly Problem[]): void => showProblems(found, { ...options, output: 'text' }, io)
  if (options.form !== 'text') warn(problems)
  switch (options.form) {
    case 'json':
      io.stdout.write(liveJson(documents).output)
      break
    case 'yaml': {
      const written = manifests()
      warn(written.problems)
      io.stdout.write(written.text)
      break
    }
    default: {
      const colours = coloursFor(io.stdout, options, io)
      const form = options.name === undefined && !options.kind.includes('/') ? 'table' : 'whole'
      io.stdout.write(liveText(documents, { colours, form }).output)
    }
  }
  return exit.done
}
