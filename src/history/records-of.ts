import { resolve } from 'node:path'
import { urlIn } from '../catalog/base-url.js'
import type { Project } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { recordsHostNotNamed } from '../problems/records.js'
import { isNamedHost } from '../secrets/hosts.js'
import { openRecords } from '../stores/open.js'
import type { Records } from '../stores/record.js'

/**
 * Opens the records of a project. Throws a ProblemError if they cannot be used, or if only the project file names a host that
 * would get something from the environment (A153).
 */
export function recordsOf(project: Project, ports: Ports): Promise<Records> {
  if (project.unset.records.length > 0) throw new ProblemError(project.unset.records)
  const host = databaseHost(project.records)
  const isSafe = project.recordsFrom === 'environment' || host === undefined || isNamedHost(host, ports)
  if (!isSafe && wouldSend(project, ports)) {
    throw new ProblemError([recordsHostNotNamed(project.file ?? 'the project file', new URL(host).host)])
  }
  return openRecords(project.records, { dir: resolve(ports.cwd, project.dir), now: ports.now })
}

/** Whether the host would get a secret: a password that the driver takes from the environment, or a variable in the address. */
const wouldSend = ({ recordsFrom }: Project, { env }: Ports): boolean =>
  recordsFrom === 'file and environment' || Boolean(env.PGPASSWORD || env.PGPASSFILE)

/**
 * The URL of a database's host; undefined if the records are not in a database, or if it is reached by a socket of this machine.
 */
function databaseHost(records: string): string | undefined {
  const url = /^postgres(ql)?:/.test(records) ? urlIn(records) : undefined
  if (!url) return undefined
  // In the driver, parameters take precedence over the host in front of the path, and the last parameter over the others.
  const host = url.searchParams.getAll('host').at(-1) || url.hostname
  if (host === '' || /^(?:\/|%2f)/i.test(host)) return undefined
  const port = url.searchParams.getAll('port').at(-1) || url.port || '5432'
  return urlIn(`postgres://${host.replace(/^([^[].*:.*)$/, '[$1]')}:${port}`)?.href ?? 'postgres://unreadable'
}
