import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleepFor } from 'node:timers/promises'
import type { TestContext } from 'vitest'
import { fetchTransport } from '../../src/client/fetch-transport.js'
import type { Json, JsonObject } from '../../src/json/json.js'
import { isObject } from '../../src/json/json.js'
import { type RunningPlatform, startPlatform } from '../../src/platform/listen.js'
import type { PlatformSettings } from '../../src/platform/settings.js'
import { gatewright } from '../cli/run.js'
import { type DocumentText, manifestText } from '../kit/manifests.js'
import { program } from '../kit/program.js'
import { writesIn } from '../kit/world.js'

/** The real program in a separate process, with a platform in the process of the test. */

export interface Ended {
  /** null if a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Workshop {
  readonly platform: RunningPlatform
  readonly dir: string
  readonly declare: (...documents: readonly DocumentText[]) => void
  readonly run: (...args: readonly string[]) => Promise<Ended>
  /** The same in this process: for reading, and for commands that nobody kills, without a separate process. */
  readonly inside: (...args: readonly string[]) => Promise<Ended>
  readonly start: (...args: readonly string[]) => Started
  /** The same in a shell, where `"$@"` is the program: `exec "$@" >/dev/full`. */
  readonly shell: (words: string, ...args: readonly string[]) => Promise<Ended>
  /** The same, but this function is called instead of waiting. */
  readonly waiting: (wait: () => Promise<void>, ...args: readonly string[]) => Promise<Ended>
  /** Writes that the platform has carried out. */
  readonly writes: () => number
  /** Calls the watcher for each later request of these processes to the platform. */
  readonly watch: (watcher: Watcher) => void
}

interface Watcher {
  /** A request has arrived; the platform gets it when the promise resolves. */
  readonly arrived?: (request: Request) => Promise<void> | undefined
  /** A request was carried out, and its answer is not sent yet. */
  readonly carriedOut?: () => void
}

export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

/** A folder with a project, and a platform that answers a little late. */
export async function workshop(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  records = 'file:.gatewright',
  options: PlatformSettings = {},
  // Every request here takes only a moment.
  patience = '1s',
): Promise<Workshop> {
  const platform = await startPlatform({ autoApprove: true, latencyMs: 15, idSeed: 'crash', ...options })
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-crash-'))
  onTestFinished(async () => {
    await platform.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  write(
    'gatewright.yaml',
    `apiVersion: gatewright/v1\nkind: Project\nmetadata: {name: crash}\nspec:\n  manifests: [manifests]\n  records: "${records}"\n  platform: {concurrency: 3, createPatience: ${patience}}\n  limits: {deletes: 1000, changedPercent: 100}\n`,
  )
  const start = (...args: readonly string[]) => startProgram(args, dir, platform)
  const waiting = (wait: Sleep, ...args: readonly string[]) => runInside(args, dir, platform, wait)
  return {
    platform,
    dir,
    declare: (...documents) => write('manifests/all.yaml', manifestText(documents)),
    start,
    shell: (words, ...args) => startProgram(args, dir, platform, words).ended,
    run: (...args) => start(...args).ended,
    // With the real clock: requests of a killed process take their time.
    inside: (...args) => waiting((milliseconds, signal) => sleepFor(milliseconds, undefined, { signal }), ...args),
    waiting,
    writes: () => writesIn(platform.platform),
    watch: (watcher) => watchAt(platform, watcher),
  }
}

function watchAt({ platform }: RunningPlatform, { arrived, carriedOut }: Watcher): void {
  const { exchange } = platform
  Object.assign(platform, {
    exchange: async (request: Request) => {
      const held = arrived?.(request)
      // The whole request is here, whatever happens to its sender meanwhile.
      const whole = held ? new Request(request, { body: await request.text() }) : request
      await held
      const answer = await exchange(whole)
      carriedOut?.()
      return answer
    },
  })
}

export function startProgram(
  args: readonly string[],
  cwd: string,
  platform: RunningPlatform,
  words = 'exec "$@"',
): Started {
  const child = spawn('sh', ['-c', words, 'sh', process.execPath, program, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...environmentOf(platform), SDA_PASSWORD: 'canary-sda-password' },
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text
  })
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, ...written })))
  return { child, ended }
}

/** The variables for connecting to a platform. */
export const environmentOf = ({ url, area, apiKey, apiSecret, username, password }: RunningPlatform) => ({
  GATEWRIGHT_URL: url,
  GATEWRIGHT_AREA: area,
  GATEWRIGHT_API_KEY: apiKey,
  GATEWRIGHT_API_SECRET: apiSecret,
  GATEWRIGHT_USERNAME: username,
  GATEWRIGHT_PASSWORD: password,
})

type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

async function runInside(
  args: readonly string[],
  cwd: string,
  platform: RunningPlatform,
  sleep: Sleep,
): Promise<Ended> {
  const transport = fetchTransport((url, init) => platform.platform.fetch(new Request(url, init)))
  const { exitCode, stdout, stderr } = await gatewright(args, {
    cwd,
    env: { ...environmentOf(platform), SDA_PASSWORD: 'canary-sda-password' },
    now: Date.now,
    sleep,
    transport: () => Promise.resolve(transport),
  })
  return { code: exitCode, stdout, stderr }
}

/** Resolves when the condition is true, or the program has ended. */
export async function until({ child }: Started, condition: () => boolean): Promise<void> {
  while (!condition() && child.exitCode === null && child.signalCode === null) await pause(1)
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** The whole content of the area, without ids and dates: it is equal for two areas with the same content. */
export async function contentOf(shop: Workshop): Promise<Json> {
  const out = join(shop.dir, 'content.json')
  const ended = await shop.inside('snapshot', '--out', out, '--quiet')
  if (ended.code !== 0) throw new Error(ended.stderr)
  return bare(JSON.parse(readFileSync(out, 'utf8')) as Json)
}

const passing = new Set(['id', 'created', 'updated', 'revisionNumber', 'apikeyMark'])

export function bare(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(bare)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name, inner]) => !passing.has(name) || isMessageId(name, inner))
  return Object.fromEntries(kept.map(([name, inner]) => [name, bare(inner)]))
}

const isMessageId = (name: string, value: Json): boolean =>
  name === 'id' && typeof value === 'string' && value.startsWith('ERR_')

/** "POST /services" for every object that was created, in order: an object that was created twice would be one more. */
export const creations = (shop: Workshop): readonly string[] => creationsOf(shop.platform.platform)

export function creationsOf({ log }: Pick<RunningPlatform['platform'], 'log'>): readonly string[] {
  const anyId = /\/(services|endpoints|packages|plans|members|applications|errorSets|methods)\/[^/]+/g
  return log
    .filter(({ id }) => id !== undefined)
    .map(({ method, path }) => `${method} ${path.replaceAll(anyId, '/$1/…')}`)
    .sort()
}

export const answerOf = ({ stdout }: Ended): JsonObject => JSON.parse(stdout) as JsonObject
