import { resolve } from 'node:path'
import { nodeFiles } from '../manifest/files.js'
import { readProject } from '../manifest/project.js'
import { hasErrors, missingSettings, ProblemError } from '../problem.js'
import { openRecords } from '../records/open.js'
import type { ProjectKey, Records } from '../records/record.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'
import { targetOf } from './settings.js'

/** The records of a project and the area that is meant. No credentials are needed, and nothing goes to the platform. */
export interface ProjectRecords {
  readonly records: Records
  readonly key: ProjectKey
}

/** Does work with the records that the project names, and closes them. */
export async function withRecords<Value>(
  options: GlobalOptions,
  io: Io,
  work: (opened: ProjectRecords) => Promise<Value>,
): Promise<Value> {
  const { project, problems } = readProject({ dir: options.directory, env: io.env }, nodeFiles(io.cwd))
  if (hasErrors(problems)) throw new ProblemError(problems)
  const { url, area } = targetOf(project, options, io)
  // A ready token may be used without saying which area it is for; its runs are kept under the area ''.
  const missing = [
    ...(url === ''
      ? [{ what: 'the url', how: 'GATEWRIGHT_URL, --url, or spec.platform.url in the project file' }]
      : []),
    ...(area === '' && !io.env.GATEWRIGHT_TOKEN
      ? [{ what: 'the area', how: 'GATEWRIGHT_AREA, --area, or spec.platform.area in the project file' }]
      : []),
  ]
  if (missing.length > 0) throw new ProblemError([missingSettings(missing)])
  const records = await openRecords(project.records, { dir: resolve(io.cwd, project.dir), now: io.now })
  try {
    return await work({ records, key: { url, area, project: project.name } })
  } finally {
    await records.close()
  }
}
