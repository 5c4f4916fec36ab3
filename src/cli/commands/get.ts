import { type LiveObjects, liveObjects } from '../../engine/get.js'
import type { GetRequest } from '../../engine/requests.js'
import type { Problem } from '../../problems/problem.js'
import { liveJson, liveText } from '../../report/live.js'
import { textForm } from '../colour.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { GlobalOptions } from '../options.js'
import { showProblems } from '../show.js'

/** `get KIND [NAME]`: the live objects of a kind, or only those with that name. `get ADDRESS` works too. Sends only GET. */
export async function getCommand(options: GlobalOptions & GetRequest, io: Io): Promise<number> {
  const { documents, leftOut, problems, manifests } = await found(options, io)
  const warn = (found: readonly Problem[]): void => showProblems(found, { ...options, output: 'text' }, io)
  warn(options.form === 'text' ? problems : [...problems, ...leftOut])
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
      const form = { ...textForm(io.stdout, options, io), form: formFor(options) }
      io.stdout.write(liveText(documents, form).output)
    }
  }
  return exit.done
}

/** The module is loaded only if it is needed, because it also reads manifests and records. */
async function found(options: GlobalOptions & GetRequest, io: Io): Promise<LiveObjects> {
  return options.unmanaged
    ? (await import('../../engine/unmanaged.js')).unmanagedObjects(options, io)
    : liveObjects(options, io)
}

function formFor({ kind, name }: GetRequest): 'table' | 'addresses' | 'whole' {
  if (kind === undefined) return 'addresses'
  return name === undefined && !kind.includes('/') ? 'table' : 'whole'
}
