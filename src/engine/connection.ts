import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { connect } from '../client/connect.js'
import type { ConnectInput, Credentials } from '../client/connect-input.js'
import type { Client } from '../client/types.js'
import { reasonOf } from '../files/system-error.js'
import type { Project } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { notWritable } from '../problems/records.js'
import type { ProjectRequest } from './requests.js'
import { type Access, misspeltVariables, overriddenTarget, rateOf, vocabularyOf } from './settings.js'

/** The input for connecting to an area. `mask` hides known secrets. */
interface Way extends Pick<ConnectInput, 'mayWrite' | 'mask'>, Pick<ProjectRequest, 'logHttp'> {
  readonly access: Access
  readonly project: Pick<Project, 'platform'>
}

/** A client of the live area. It sends nothing yet. */
export async function connectionTo({ access, project, mask, mayWrite, logHttp }: Way, ports: Ports): Promise<Client> {
  const { concurrency } = project.platform
  const requestsPerSecond = rateOf(project, ports)
  for (const { severity, message, code } of [
    ...misspeltVariables(ports.env),
    ...overriddenTarget(project, access, ports.env),
  ]) {
    ports.progress.warning(`${severity}: ${message} [${code}]`)
  }
  // The credentials of an environment may have other variables than those that every mask knows.
  mask.learn(...loginIn(access.credentials))
  return connect({
    ...access,
    ...(mayWrite && { mayWrite }),
    concurrency,
    vocabulary: vocabularyOf(project, ports),
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    transport: await ports.transport('platform'),
    now: ports.now,
    sleep: ports.sleep,
    signal: ports.signal,
    onProgress: ports.progress.reading,
    ...(logHttp === undefined ? {} : { onRequest: logTo(logHttp, ports) }),
    mask,
  })
}

const loginIn = (credentials: Credentials): readonly string[] =>
  'token' in credentials ? [credentials.token] : [credentials.apiKey, credentials.apiSecret, credentials.password]

/**
 * Writes the log of requests. If the file cannot be opened, that is an error before anything is sent; a later failure must not
 * stop an apply halfway.
 */
function logTo(displayed: string, ports: Ports): (entry: object) => void {
  const file = resolve(ports.cwd, displayed)
  let complained = false
  try {
    appendFileSync(file, '', { mode: 0o600 })
  } catch (cause) {
    throw new ProblemError([notWritable(displayed, reasonOf(cause))], { cause })
  }
  return (entry) => {
    try {
      appendFileSync(file, `${JSON.stringify(entry)}\n`)
    } catch (cause) {
      if (!complained) ports.progress.warning(notWritable(displayed, reasonOf(cause)).message)
      complained = true
    }
  }
}
