import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { World as RealWorld } from '../../src/cli/io.js'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import type { Json } from '../../src/json/json.js'
import { createPlatform } from '../../src/platform/server.js'
import type { PlatformSettings } from '../../src/platform/settings.js'
import { gatewright, type Run as MainRun } from '../cli/run.js'
import { temporaryFolder } from './folder.js'
import { type DocumentText, manifestText, projectText } from './manifests.js'

/** An implementation of the interface: the embedded platform or another make. */
export interface Make {
  readonly fetch: (request: Request) => Promise<Response>
  readonly log: readonly LoggedRequest[]
}

export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly status: number
}

/** Whether it changes the area. A login does not. */
export const isWrite = ({ method, path }: Pick<LoggedRequest, 'method' | 'path'>): boolean =>
  method !== 'GET' && !path.endsWith('/token')

/** The number of writes. */
export const writesIn = ({ log }: Pick<Make, 'log'>): number => log.filter(isWrite).length

/** One run of the program. */
export interface Run extends MainRun {
  /** The output on stdout, parsed as JSON. */
  readonly json: () => Answer
}

/** The members of the JSON answers of plan, drift and apply that tests use. */
interface Answer {
  readonly format?: string
  readonly summary: Readonly<Record<string, number>>
  readonly changes: readonly AnsweredChange[]
  readonly unmanaged: readonly { readonly address: string; readonly id: string; readonly inList?: boolean }[]
  readonly diagnostics: readonly {
    readonly code: string
    readonly severity: string
    readonly message: string
    readonly hint?: string
  }[]
  readonly estimate: { readonly requests: number }
  readonly requests: number
  /** The name of the run; null without records. */
  readonly run: string | null
  /** The files that an export has written. */
  readonly files?: readonly string[]
}

interface AnsweredChange {
  readonly address: string
  readonly kind: string
  readonly action: string
  /** Only for drift: the side that differs from the base. */
  readonly side?: string
  readonly id?: string
  readonly wants?: string
  readonly reason?: string
  readonly fields: readonly {
    readonly path: string
    readonly before?: Json
    readonly after?: Json
    readonly verdict?: string
    readonly applied?: Json
  }[]
  readonly dependsOn: readonly string[]
  readonly hazards: readonly string[]
  readonly outcome?: string
  readonly error?: string | null
  readonly left?: Readonly<Record<string, Json>>
}

/** A folder with manifests, and a platform for the program. It uses no process and no socket. */
export interface World {
  readonly make: Make
  readonly dir: string
  /** The replaced parts of the program's world. */
  readonly io: Partial<RealWorld>
  /** Replaces all manifests. */
  readonly declare: (...documents: readonly DocumentText[]) => void
  /** Replaces the project file. `more`: further lines of its spec. */
  readonly project: (more: string, name?: string) => void
  /** Writes one file. */
  readonly write: (path: string, text: string) => void
  readonly run: (args: readonly string[], more?: Partial<RealWorld>) => Promise<Run>
  readonly plan: (...args: readonly string[]) => Promise<Answer>
  /** Applies with --yes and JSON output. */
  readonly apply: (...args: readonly string[]) => Promise<Run>
  readonly drift: (...args: readonly string[]) => Promise<Run>
  /** The requests since the last call, without those for tokens. */
  readonly requests: () => readonly LoggedRequest[]
}

/** The time at which every test starts. */
const start = Date.UTC(2026, 10, 21)

/** A clock whose time passes only during sleep. */
export function testClock(): { readonly now: () => number; readonly sleep: (ms: number) => Promise<void> } {
  let time = start
  return {
    now: () => time,
    sleep: (ms) => {
      time += ms
      return Promise.resolve()
    },
  }
}

export const environment = {
  GATEWRIGHT_URL: 'http://platform.example',
  GATEWRIGHT_AREA: '00000000-0000-4000-8000-00000000a4ea',
  GATEWRIGHT_API_KEY: 'local-key',
  GATEWRIGHT_API_SECRET: 'local-secret',
  GATEWRIGHT_USERNAME: 'local-user',
  GATEWRIGHT_PASSWORD: 'local-password',
}

/** A world with an embedded platform whose domains are active at once. */
export function embedded(options: PlatformSettings = {}, io: Partial<RealWorld> = {}): World {
  const clock = testClock()
  return world(createPlatform({ autoApprove: true, idSeed: 'test', ...clock, ...options }), { ...clock, ...io })
}

/** A world with a make. Its folder is removed when the test ends. */
export function world(make: Make, io: Partial<RealWorld> = {}): World {
  const dir = temporaryFolder()
  return worldIn(dir, make, io)
}

/** A world in a folder of the caller. */
export function worldIn(dir: string, make: Make, io: Partial<RealWorld> = {}): World {
  let seen = 0
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const run = (args: readonly string[], more: Partial<RealWorld> = {}) => runMain(args, dir, make, { ...io, ...more })
  const withJson = (command: string) => (args: readonly string[]) => run([command, ...args, '-o', 'json'])
  const project = (more: string, name?: string) => write('gatewright.yaml', projectText(more, name))
  project('  limits: {deletes: 10000, changedPercent: 100}\n')
  return {
    make,
    dir,
    io,
    declare: (...documents) => write('manifests/all.yaml', manifestText(documents)),
    write,
    project,
    run,
    plan: async (...args) => (await withJson('plan')(args)).json(),
    apply: (...args) => withJson('apply')(['--yes', ...args]),
    drift: (...args) => withJson('drift')(args),
    requests: () => {
      const since = make.log.slice(seen)
      seen = make.log.length
      return since.filter(({ path }) => !path.endsWith('/token'))
    },
  }
}

async function runMain(args: readonly string[], cwd: string, make: Make, io: Partial<RealWorld>): Promise<Run> {
  const transport = fetchTransport((url, init) => make.fetch(new Request(url, init)))
  const run = await gatewright(args, {
    ...{ env: environment, cwd, ...testClock(), transport: () => Promise.resolve(transport) },
    ...io,
  })
  return { ...run, json: () => answerIn(run.stdout, run.stderr) }
}

function answerIn(stdout: string, stderr: string): Answer {
  try {
    return JSON.parse(stdout) as Answer
  } catch (error) {
    throw new Error(`no JSON on stdout: ${stdout}\n${stderr}`, { cause: error })
  }
}
