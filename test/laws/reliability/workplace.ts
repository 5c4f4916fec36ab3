import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { projectText } from '../../kit/manifests.js'
import { environment, type Make } from '../../kit/world.js'
import type { WrittenProject } from '../history/written.js'

/** The built program in separate processes, the platform in another one, and a relay between them that can kill. */

interface Ended {
  /** null if a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A kill at a write that passes the relay, counted from 1: before the platform gets it, or after its answer. */
interface Kill {
  readonly write: number
  readonly when: 'before' | 'after'
}

export interface Workplace {
  readonly dir: string
  /** The platform, without the relay. */
  readonly make: Make
  readonly declare: (written: WrittenProject) => void
  readonly run: (args: readonly string[], kill?: Kill) => Promise<Ended>
  readonly close: () => Promise<void>
}

const program = join(import.meta.dirname, '../../../dist/bin.js')

/** Starts the built program with the variables of a CI job. */
function start(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The output of a child, and how it ended. */
async function ending(child: ChildProcess): Promise<Ended> {
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : Promise.resolve('')))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: (await stdout) ?? '', stderr: (await stderr) ?? '' }
}

/** A platform in a separate process; resolves when it listens. */
export async function startPlatform(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = start(['platform', '--port', '0', '--auto-approve', '-o', 'json', ...args], cwd)
  let line = ''
  for await (const chunk of child.stdout ?? []) {
    line += String(chunk)
    if (line.includes('\n')) break
  }
  const { url } = JSON.parse(line) as { readonly url: string }
  return { url, child }
}

/** The make at a url, for the requests of tests. */
export const makeAt = (url: string): Make => ({
  log: [],
  fetch: async (request) => {
    const { pathname, search } = new URL(request.url)
    const body = await request.text()
    return fetch(`${url}${pathname}${search}`, {
      method: request.method,
      headers: request.headers,
      ...(body === '' ? {} : { body }),
    })
  },
})

export async function workplace(records: string): Promise<Workplace> {
  const dir = mkdtempSync(join(tmpdir(), 'gatewright-reliability-'))
  const { url, child: platform } = await startPlatform([], dir)
  const relay = await relayTo(url)
  let secrets: Readonly<Record<string, string>> = {}
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content)
  }
  write(
    'gatewright.yaml',
    projectText(`  records: ${JSON.stringify(records)}\n  limits: {deletes: 10000, changedPercent: 100}\n`),
  )
  return {
    dir,
    make: makeAt(url),
    declare: ({ files, env }) => {
      rmSync(join(dir, 'manifests'), { recursive: true, force: true })
      for (const [path, content] of Object.entries(files)) write(path, content)
      secrets = env
    },
    run: (args, kill) => {
      const child = start(args, dir, { ...environment, ...secrets, GATEWRIGHT_URL: relay.url })
      relay.arm(kill, () => child.kill('SIGKILL'))
      return ending(child)
    },
    close: async () => {
      relay.close()
      platform.kill('SIGTERM')
      await once(platform, 'close')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

interface Relay {
  readonly url: string
  readonly arm: (kill: Kill | undefined, strike: () => void) => void
  readonly close: () => void
}

/** Passes every request on, and kills at the given write. */
async function relayTo(url: string): Promise<Relay> {
  let writes = 0
  let kill: Kill | undefined
  let strike = (): void => undefined
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const isWrite = request.method !== 'GET' && !request.url?.endsWith('/token')
    if (isWrite) writes += 1
    const isStruck = isWrite && writes === kill?.write
    if (isStruck && kill?.when === 'before') return strike()
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      if ((name === 'authorization' || name === 'content-type') && typeof value === 'string') headers.set(name, value)
    const method = request.method ?? 'GET'
    const answer = await fetch(`${url}${request.url}`, { method, headers, ...(body === '' ? {} : { body }) })
    const content = await answer.text()
    if (isStruck) return strike()
    const total = answer.headers.get('x-total-count')
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
      ...(total === null ? {} : { 'x-total-count': total }),
    })
    response.end(content)
  }
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    arm: (next, then) => {
      writes = 0
      kill = next
      strike = then
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
