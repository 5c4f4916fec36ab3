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
 * Opens the records of a project. Throws a ProblemError if they cannot be used, and if the project file alone names a host
 * that something of the environment would be sent to (A153).
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

/** A password that the driver takes from the environment, or whatever variable the file puts into the address. */
const wouldSend = ({ recordsFrom }: Project, { env }: Ports): boolean =>
  recordsFrom === 'file and environment' || Boolean(env.PGPASSWORD || env.PGPASSFILE)

/** The URL of the host that a database is at; undefined for what is none, and for a socket of this machine. */
function databaseHost(records: string): string | undefined {
  const url = /^postgres(ql)?:/.test(records) ? urlIn(records) : undefined
  if (!url) return undefined
  // The driver lets parameters outrank what stands in front of the path, and the last of them all others.
  const host = url.searchParams.getAll('host').at(-1) || url.hostname
  if (host === '' || /^(?:\/|%2f)/i.test(host)) return undefined
  const port = url.searchParams.getAll('port').at(-1) || url.port || '5432'
  return urlIn(`postgres://${host.replace(/^([^[].*:.*)$/, '[$1]')}:${port}`)?.href ?? 'postgres://unreadable'
}
