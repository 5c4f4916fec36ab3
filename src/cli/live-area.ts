import type { Client, Reading } from '../client/types.js'
import { nodeFiles } from '../manifest/files.js'
import { type Project, readProject } from '../manifest/project.js'
import { hasErrors, notAvailable, ProblemError } from '../problem.js'
import { connectionTo } from './connection.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'
import { progressOf } from './progress.js'
import { accessOf, masking, secretsOf, type Target } from './settings.js'

/** The project file, which need not be there. Throws a ProblemError if it is broken. */
export function projectOf(options: GlobalOptions, io: Io): Project {
  const { project, problems } = readProject({ dir: options.directory, env: io.env }, nodeFiles(io.cwd))
  if (hasErrors(problems)) throw new ProblemError(problems)
  return project
}

/** Reads something from the live area, and gives its connections back. Sends only GET. */
export async function readingLive(
  options: GlobalOptions,
  io: Io,
  read: (client: Client) => Promise<Reading>,
): Promise<Reading & { readonly target: Target }> {
  const project = projectOf(options, io)
  const access = accessOf(project, options, io)
  const client = await connectionTo(access, project, masking(secretsOf({ secrets: [] }, io)), options, io)
  try {
    const reading = await read(client)
    progressOf(options, io).clear()
    return { ...reading, target: { url: access.url, area: access.area } }
  } finally {
    await client.close()
  }
}

/** Labels are ours alone: no live object has one. Throws a ProblemError if any is asked for. */
export function refuseLabels({ labels }: GlobalOptions): void {
  if (labels.length > 0) throw new ProblemError([notAvailable('--label for live objects', 'choose with --select')])
}
