import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createPlatform } from '../src/platform/server.js'
import type { LoggedCall } from './measure.js'
import { type AreaSize, seedOf } from './reference-area.js'

/**
 * An embedded platform in a separate process, so that its work is not counted as that of the program. Answers to reads are cached
 * by URL until a write: so a second run of the same measurement does not wait for the platform's work.
 *
 * It is started with one argument, `{"size": AreaSize, "latencyMs", "qps"}`. It prints its URL, and returns its log at /log.
 */
export interface ProcessOptions {
  readonly size: AreaSize
  readonly latencyMs?: number
  readonly qps?: number
  readonly keep: 'answers' | 'nothing'
}

const options = JSON.parse(process.argv[2] ?? '{}') as ProcessOptions
const platform = createPlatform({ seed: seedOf(options.size), autoApprove: true, idSeed: 'bench', qps: options.qps })
const latencyMs = options.latencyMs ?? 0
const kept = new Map<string, Answer>()
const calls: LoggedCall[] = []

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const server = createServer((request, response) => void serve(request, response))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}`)
})

/** The latency is the time from a request to its answer, including the time that the platform itself needs. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrived = performance.now()
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const answer = request.url === '/log' ? logged() : await answerTo(request, Buffer.concat(parts).toString())
  const send = () => {
    if (request.url !== '/log') calls.push({ ...callOf(request), status: answer.status, at: performance.now() })
    response.writeHead(answer.status, answer.headers).end(answer.body)
  }
  const left = latencyMs - (performance.now() - arrived)
  if (left > 0) setTimeout(send, left)
  else send()
}

async function answerTo(request: IncomingMessage, body: string): Promise<Answer> {
  const { method = 'GET', url = '/' } = request
  if (options.keep === 'nothing') return ask(request, body)
  if (method !== 'GET') {
    if (!url.endsWith('/token')) kept.clear()
    return ask(request, body)
  }
  const answer = kept.get(url) ?? (await ask(request, body))
  kept.set(url, answer)
  return answer
}

async function ask(request: IncomingMessage, body: string): Promise<Answer> {
  const response = await platform.fetch(
    new Request(`http://platform.example${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(
        Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
      ),
      ...(body === '' ? {} : { body }),
    }),
  )
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes }
}

function callOf({ method = 'GET', url = '/' }: IncomingMessage): Omit<LoggedCall, 'status' | 'at'> {
  const { pathname, search } = new URL(url, 'http://platform.example')
  return { method, path: pathname, query: search }
}

/** All calls so far, in the order of the answers. */
function logged(): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(calls)) }
}
