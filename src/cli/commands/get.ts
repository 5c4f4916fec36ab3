import { liveObjects } from '../../engine/get.js'
import type { GetRequest } from '../../engine/requests.js'
import { liveJson, liveText, liveYaml } from '../../report/live.js'
import { coloursFor } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { showProblems } from '../show.js'

/** `get KIND [NAME]`: the live objects of a kind, or those of that name; `get ADDRESS` works too. Sends only GET. */
export async function getCommand(options: GlobalOptions & GetRequest, io: Io): Promise<number> {
  const { documents, problems } = await liveObjects(options, io)
  if (options.form !== 'text') showProblems(problems, { ...options, output: 'text' }, io)
  switch (options.form) {
    case 'json':
      io.stdout.write(liveJson(documents).output)
      break
    case 'yaml':
      io.stdout.write(liveYaml(documents).output)
      break
    default: {
      const colours = coloursFor(io.stdout, options, io)
      const form = options.name === undefined && !options.kind.includes('/') ? 'table' : 'whole'
      io.stdout.write(liveText(documents, { colours, form }).output)
    }
  }
  return exit.done
}
