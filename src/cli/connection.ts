import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { connect } from '../client/connect.js'
import type { ConnectOptions } from '../client/options.js'
import type { Client } from '../client/types.js'
import { reasonOf } from '../files/system-error.js'
import type { Project } from '../manifest/project.js'
import { notWritable, ProblemError } from '../problem.js'
import type { Io } from './io.js'
import type { GlobalOptions } from './options.js'
import { progressOf } from './progress.js'
import type { Access } from './settings.js'

/** A client of the live area, as project, options and world say; nothing is sent yet. `mask` hides known secrets. */
export async function connectionTo(
  access: Access & Pick<ConnectOptions, 'mayWrite'>,
  { platform }: Pick<Project, 'platform'>,
  mask: (text: string) => string,
  options: GlobalOptions,
  io: Io,
): Promise<Client> {
  const { concurrency, requestsPerSecond } = platform
  return connect({
    url: access.url,
    area: access.area,
    credentials: access.credentials,
    ...(access.mayWrite && { mayWrite: access.mayWrite }),
    concurrency,
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    transport: await io.transport(),
    now: io.now,
    sleep: io.sleep,
    signal: io.signal,
    onProgress: progressOf(options, io).reading,
    ...(options.logHttp === undefined ? {} : { onRequest: logTo(options.logHttp, io) }),
    mask,
  })
}

/** A log that cannot be begun is an error before anything is sent; one that fails later must not stop an apply half-way. */
function logTo(shown: string, io: Io): (entry: object) => void {
  const file = resolve(io.cwd, shown)
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
      if (!complained) io.stderr.write(`${notWritable(shown, reasonOf(cause)).message}\n`)
      complained = true
    }
  }
}
