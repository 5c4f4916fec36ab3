import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProcessOptions } from './platform-process.js'

/** One line of the table. `limit` is the largest permitted ratio, if the issue or the design names one. */
export interface Row {
  readonly name: string
  readonly floor: string
  readonly figure: string
  readonly ratio: number | undefined
  readonly limit: number | undefined
}

export const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The program as it is published. */
export const program = here('../dist/bin.js')

export interface Ended {
  readonly ms: number
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** The peak memory in MB; 0 if peak.mjs was not preloaded. */
  readonly peakMb: number
  /** The processor time in milliseconds; 0 if peak.mjs was not preloaded. */
  readonly cpuMs: number
}

/** Runs Node once with these arguments. */
export async function runNode(
  args: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const peakFile = join(tmpdir(), `gatewright-bench-${process.pid}.peak`)
  const started = performance.now()
  const child = spawn(process.execPath, [...args], {
    cwd,
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1', ...env, ...(env ? { BENCH_PEAK: peakFile } : {}) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (part: Buffer) => {
    written.stdout += part.toString()
  })
  child.stderr.on('data', (part: Buffer) => {
    written.stderr += part.toString()
  })
  const [exitCode] = (await once(child, 'close')) as [number]
  const ms = performance.now() - started
  return { ms, exitCode, ...written, ...usedIn(peakFile) }
}

function usedIn(file: string): Pick<Ended, 'peakMb' | 'cpuMs'> {
  try {
    const [peak = 0, cpu = 0] = readFileSync(file, 'utf8').split(' ').map(Number)
    rmSync(file)
    return { peakMb: peak / 1024, cpuMs: cpu / 1000 }
  } catch {
    return { peakMb: 0, cpuMs: 0 }
  }
}

export const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0

/** Measures several functions in turns, so that a busy moment of the machine affects all of them. Returns the median of each. */
export async function inTurns(times: number, ...works: readonly (() => Promise<number>)[]): Promise<readonly number[]> {
  const measured: number[][] = works.map(() => [])
  for (let time = 0; time < times; time += 1) {
    for (const [index, work] of works.entries()) measured[index]?.push(await work())
  }
  return measured.map(median)
}

export interface PlatformProcess {
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  readonly log: () => Promise<readonly LoggedCall[]>
  readonly stop: () => void
}

export interface LoggedCall {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly status: number
  /** The time of the answer in milliseconds. */
  readonly at: number
}

/** Starts an embedded platform in a separate process. */
export async function startPlatform(options: ProcessOptions): Promise<PlatformProcess> {
  const args = [...process.execArgv, here('./platform-process.ts'), JSON.stringify(options)]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (part: Buffer) => resolve(part.toString().trim()))
    child.once('exit', (code) => reject(new Error(`the platform ended with ${code}`)))
  })
  return {
    url,
    env: {
      GATEWRIGHT_URL: url,
      GATEWRIGHT_AREA: '00000000-0000-4000-8000-00000000a4ea',
      GATEWRIGHT_API_KEY: 'local-key',
      GATEWRIGHT_API_SECRET: 'local-secret',
      GATEWRIGHT_USERNAME: 'local-user',
      GATEWRIGHT_PASSWORD: 'local-password',
    },
    log: async () => (await (await fetch(`${url}/log`)).json()) as readonly LoggedCall[],
    stop: () => child.kill(),
  }
}
