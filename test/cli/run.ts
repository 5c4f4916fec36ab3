import { setMaxListeners } from 'node:events'
import { Readable } from 'node:stream'
import type { World as RealWorld } from '../../src/cli/io.js'
import { main } from '../../src/cli/main.js'

/** One run of the real program with streams of the test. */
export interface Run {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** The parts of the world that a test sets; the rest is empty, silent and no terminal. */
export type World = Partial<Omit<RealWorld, 'stdout' | 'stderr'>> & {
  readonly terminal?: boolean
  readonly columns?: number
}

export async function gatewright(
  args: readonly string[],
  { terminal = false, columns, ...world }: World = {},
): Promise<Run> {
  const written = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY: terminal,
    // In a terminal, both are terminals; elsewhere, people read only stdout.
    columns: name === 'stdout' || terminal ? columns : undefined,
    write: (text: string) => {
      written[name] += text
    },
  })
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  const exitCode = await main(args, {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    stdin: Readable.from([]),
    env: {},
    cwd: import.meta.dirname,
    now: () => 0,
    sleep: () => Promise.resolve(),
    signal,
    transport: () => Promise.reject(new Error('this test is offline')),
    ...world,
  })
  return { exitCode, ...written }
}
