import { resolve } from 'node:path'
import { readDocumentText } from '../../files/files.js'
import { codeOf, reasonOf } from '../../files/system-error.js'
import { isObject, type Json } from '../../json/json.js'
import { type RunningPlatform, startPlatform } from '../../platform/listen.js'
import { Refusal } from '../../platform/refusal.js'
import type { SeedSnapshot } from '../../platform/settings.js'
import { NoSqlite } from '../../platform/sqlite.js'
import { aborted } from '../../ports/interruption.js'
import { errorText, ProblemError } from '../../problems/problem.js'
import { platformNotStarted } from '../../problems/project.js'
import { exit } from '../exit.js'
import type { Io } from '../io.js'
import type { PlatformOptions } from '../options.js'

/** Runs the embedded platform until the signal is aborted, which is its normal end and no interruption. */
export async function platformCommand(options: PlatformOptions, io: Io): Promise<number> {
  const running = await start(options, io)
  io.stdout.write(options.output === 'json' ? `${JSON.stringify(access(running))}\n` : greeting(running))
  await aborted(io.signal)
  await running.close()
  return exit.done
}

async function start(options: PlatformOptions, io: Io): Promise<RunningPlatform> {
  const seed = options.seed === undefined ? undefined : readSeed(resolve(io.cwd, options.seed))
  const data = options.data === undefined ? undefined : resolve(io.cwd, options.data)
  const { host, port, latencyMs, qps, dailyQuota, faults, ignoreNested, dialect, vocabulary, autoApprove } = options
  const errorSet = options.errorSet === 'none' ? '' : options.errorSet
  const behaviour = { latencyMs, qps, dailyQuota, faults, errorSet, ignoreNested, dialect, vocabulary, autoApprove }
  try {
    return await startPlatform({ host, port, data, seed, ...behaviour })
  } catch (error) {
    throw notStarted(error, options)
  }
}

function readSeed(file: string): SeedSnapshot {
  const unread = (words: string, cause?: unknown) =>
    new ProblemError([platformNotStarted(`the seed ${file} cannot be read: ${words}`, 'give a snapshot file')], {
      cause,
    })
  const read = readDocumentText(file)
  if ('failure' in read) throw unread(read.failure)
  let seed: Json
  try {
    seed = JSON.parse(read.text)
  } catch (error) {
    throw unread(reasonOf(error), error)
  }
  if (!isObject(seed)) throw unread('it is not an object of collections')
  // When the seed is loaded, invalid objects are refused one by one.
  return seed as SeedSnapshot
}

function notStarted(error: unknown, { data, dialect, host, port }: PlatformOptions): ProblemError {
  const because = (words: string, hint: string) => new ProblemError([platformNotStarted(words, hint)], { cause: error })
  if (error instanceof Refusal) {
    const other = dialect === 'document' ? '; that of a recorded platform needs --dialect recorded' : ''
    const problems = error.complaints.map(({ property, message }) =>
      platformNotStarted(`${property}: ${message}`, `correct the seed${other}`),
    )
    return new ProblemError(problems, { cause: error })
  }
  if (error instanceof NoSqlite) {
    return because(
      `--data: ${error.message}`,
      'install it beside gatewright: npm install libsql@0.5; or use Node 22.13 or later',
    )
  }
  if (error instanceof Error && ('path' in error || codeOf(error).includes('SQLITE'))) {
    return because(`--data ${data}: ${reasonOf(error)}`, 'give a file that may be written, in a folder that there is')
  }
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return because(`another program listens at port ${port} already`, '--port 0 takes a free port')
    case 'EACCES':
      return because(`port ${port} is for the administrator of this machine`, '--port 0 takes a free port')
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
      return because(
        `${host} is no address of this machine`,
        'leave --host out, or give 0.0.0.0 for all of its addresses',
      )
    default:
      return because(
        errorText(error),
        'check --host, --port, --data, --fault and --ignore-nested; --port 0 takes a free port',
      )
  }
}

const access = ({ url, area, apiKey, apiSecret, username, password }: RunningPlatform) => ({
  url,
  area,
  apiKey,
  apiSecret,
  username,
  password,
})

function greeting(running: RunningPlatform): string {
  const { url, area, apiKey, apiSecret, username, password } = access(running)
  const variables = { URL: url, AREA: area, API_KEY: apiKey, API_SECRET: apiSecret }
  const lines = Object.entries({ ...variables, USERNAME: username, PASSWORD: password }).map(
    ([name, value]) => `export GATEWRIGHT_${name}=${value}\n`,
  )
  return `# The embedded platform listens at ${url} (stop it with Ctrl-C).\n${lines.join('')}`
}
