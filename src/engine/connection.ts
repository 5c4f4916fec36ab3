import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { connect } from '../client/connect.js'
import type { ConnectInput } from '../client/options.js'
import type { Client } from '../client/types.js'
import { reasonOf } from '../files/system-error.js'
import type { Project } from '../manifest/project.js'
import type { Ports } from '../ports/ports.js'
import { ProblemError } from '../problems/problem.js'
import { notWritable } from '../problems/records.js'
import type { ProjectRequest } from './requests.js'
import type { Access } from './settings.js'

/** A client of the live area, as project, request and world say; nothing is sent yet. `mask` hides known secrets. */
export async function connectionTo(
  access: Access & Pick<ConnectInput, 'mayWrite'>,
  { platform }: Pick<Project, 'platform'>,
  mask: (text: string) => string,
  request: ProjectRequest,
  ports: Ports,
): Promise<Client> {
  const { concurrency, requestsPerSecond } = platform
  return connect({
    url: access.url,
    area: access.area,
    credentials: access.credentials,
    ...(access.mayWrite && { mayWrite: access.mayWrite }),
    concurrency,
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    transport: await ports.transport(),
    now: ports.now,
    sleep: ports.sleep,
    signal: ports.signal,
    onProgress: ports.progress.reading,
    ...(request.logHttp === undefined ? {} : { onRequest: logTo(request.logHttp, ports) }),
    mask,
  })
}

/** A log that cannot be begun is an error before anything is sent; one that fails later must not stop an apply half-way. */
function logTo(shown: string, ports: Ports): (entry: object) => void {
  const file = resolve(ports.cwd, shown)
  let complained = false
  try {
    appendFileSync(file, '', { mode: 0o600 })
  } catch (cause) {
    throw new ProblemError([notWritable(shown, reasonOf(cause))], { cause })
  }
  return (entry) => {
    try {
      appendFileSync(file, `${JSON.stringify(entry)}\n`)
    } catch (cause) {
      if (!complained) ports.progress.warning(notWritable(shown, reasonOf(cause)).message)
      complained = true
    }
  }
}
