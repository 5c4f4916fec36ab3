import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib'
import type { Dispatcher, Pool } from 'undici'
import { ownValue } from '../catalog/record.js'
import type { Transport, WireRequest, WireResponse } from '../ports/transport.js'
import { badProxy } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'
import { type AnswerLimits, answerLimits, tooLong, tooSlow, UnusableAnswer } from './answer-limits.js'
import { ProxyUnreachable } from './transport-fault.js'
import { hideUnaskedContinueFrom } from './unasked-continue.js'

interface UndiciInput {
  /** How long the platform may take before an answer begins, and between its parts. */
  readonly timeoutMs?: number
  /** The limits of one answer. */
  readonly limits?: AnswerLimits
  /** Proxies, as in HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxies?: Proxies | undefined
}

interface Proxies {
  readonly httpProxy?: string
  readonly httpsProxy?: string
  readonly noProxy: string
}

/** Requests to this machine never use a proxy. */
const loopback = 'localhost,127.0.0.1,[::1]'

/**
 * The proxies in an environment, in either spelling of the variables, as URLs or as host:port; undefined if there are none.
 * Throws a ProblemError if one is not valid.
 */
export function proxiesIn(env: Readonly<Record<string, string | undefined>>): Proxies | undefined {
  const named = (name: string) => env[name.toLowerCase()] || env[name] || undefined
  const httpProxy = proxyUrl('HTTP_PROXY', named('HTTP_PROXY'))
  const httpsProxy = proxyUrl('HTTPS_PROXY', named('HTTPS_PROXY'))
  const noProxy = named('NO_PROXY')
  const isOff = noProxy?.split(/[,\s]/).includes('*')
  if (isOff || (httpProxy === undefined && httpsProxy === undefined)) return undefined
  return {
    ...(httpProxy && { httpProxy }),
    ...(httpsProxy && { httpsProxy }),
    noProxy: noProxy ? `${noProxy},${loopback}` : loopback,
  }
}

/** `proxy:8080` is a valid proxy for curl and git. */
function proxyUrl(variable: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  try {
    const { protocol, href, username, password, pathname, search, hash } = new URL(text)
    // A "%" in them must be an escape: undici decodes them.
    decodeURIComponent(username + password)
    if (proxyProtocols.includes(protocol) && ['', '/'].includes(pathname + search + hash)) return href
  } catch {
    // It is reported below.
  }
  throw new ProblemError([badProxy(variable)])
}

const proxyProtocols = ['http:', 'https:', 'socks5:', 'socks:']

/** Requests over a pool of connections. undici is loaded by the first request, so that offline commands start without it. */
export function undiciTransport(options: UndiciInput = {}): Transport {
  let opened: Promise<OpenedTransport> | undefined
  const transport = async (request: WireRequest): Promise<WireResponse> => {
    opened ??= open(options)
    const { send } = await opened
    return send(request)
  }
  const close = async (): Promise<void> => {
    if (!opened) return
    const { dispatcher } = await opened
    await dispatcher.close()
  }
  return Object.assign(transport, { close })
}

interface OpenedTransport {
  readonly dispatcher: Dispatcher
  readonly send: (request: WireRequest) => Promise<WireResponse>
}

async function open({ timeoutMs = 60_000, limits = answerLimits, proxies }: UndiciInput): Promise<OpenedTransport> {
  const loaded = await import('undici')
  // In a bundle, a CommonJS module is only the default of its namespace.
  const undici = 'Agent' in loaded ? loaded : (loaded as { readonly default: typeof loaded }).default
  for (const proxy of [proxies?.httpProxy, proxies?.httpsProxy])
    if (proxy) hideUnaskedContinueFrom(new URL(proxy).origin)
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connect: { timeout: 10_000 } }
  const clientFactory = (origin: URL, options: Pool.Options) =>
    poolTo(undici.Pool, origin, { ...timeouts, ...nameless(origin, options) })
  const dispatcher = proxies
    ? new undici.EnvHttpProxyAgent({ ...timeouts, ...proxies, clientFactory })
    : new undici.Agent(timeouts)
  const exchange = async (request: WireRequest, signal: AbortSignal): Promise<WireResponse> => {
    const { origin, pathname, search } = new URL(request.url)
    hideUnaskedContinueFrom(origin)
    const answer = await dispatcher.request({
      origin,
      path: pathname + search,
      method: request.method,
      headers: { ...request.headers, 'accept-encoding': 'gzip' },
      body: request.body ?? null,
      signal,
    })
    const headers = flatHeaders(answer.headers)
    if (request.only === 'status') {
      // The body does not matter.
      answer.body.on('error', () => undefined).destroy()
      return { status: answer.statusCode, headers, body: '' }
    }
    const read = async () => decodedOf(await bytesOf(answer.body, limits), headers['content-encoding'], limits)
    const bytes = await (answer.statusCode < 400 ? read() : unlessBrokenOff(read, signal))
    const body = decodedText(bytes, answer.statusCode, headers['content-type'] ?? '')
    return { status: answer.statusCode, headers, body }
  }
  const send = async (request: WireRequest): Promise<WireResponse> => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), limits.ms)
    try {
      return await exchange(request, request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal)
    } catch (error) {
      throw late.signal.aborted ? tooSlow(limits, error) : error
    } finally {
      clearTimeout(timer)
    }
  }
  return { dispatcher, send }
}

/** An IP address is not a server name. undici passes it as one, which Node refuses from version 26 on. */
function nameless({ hostname }: URL, options: Pool.Options): Pool.Options {
  const { connect } = options
  if (typeof connect !== 'function' || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) === 0) return options
  return { ...options, connect: ({ servername: _, ...to }, callback) => connect(to, callback) }
}

/** Connections to a proxy: their errors name the proxy. undici would contact a proxy that hangs up again and again, for ever. */
function poolTo(Base: typeof Pool, origin: URL, options: Pool.Options): Pool {
  class PoolToProxy extends Base {
    override connect(to: Parameters<Pool['connect']>[0]): Promise<Dispatcher.ConnectData> {
      return super.connect({ ...to, headers: { ...to.headers, ...loginOf(origin) } }).catch((error) => {
        throw new ProxyUnreachable(origin.host, error)
      })
    }
  }
  return new PoolToProxy(origin, options)
}

/** undici sends a proxy only users with a password; often a token is written there without a password. */
const loginOf = ({ username, password }: URL): Record<string, string> => {
  if (username === '' || password !== '') return {}
  const user = decodeURIComponent(username)
  return { 'proxy-authorization': `Basic ${Buffer.from(`${user}:`).toString('base64')}` }
}

function flatHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

async function bytesOf(body: AsyncIterable<Buffer>, limits: AnswerLimits): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body) {
    parts.push(part)
    length += part.length
    if (length > limits.bytes) throw tooLong(limits)
  }
  return Buffer.concat(parts, length)
}

/** The text of a refusal, or none if it breaks off: gateways answer and close the connection, and the status is enough. */
async function unlessBrokenOff(read: () => Promise<Buffer>, signal: AbortSignal): Promise<Buffer> {
  try {
    return await read()
  } catch (error) {
    if (signal.aborted || error instanceof UnusableAnswer) throw error
    return Buffer.alloc(0)
  }
}

type Decoder = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>

/** undici's `request` does not decode a body. */
const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

async function decodedOf(bytes: Buffer, encoding: string | undefined, limits: AnswerLimits): Promise<Buffer> {
  const decode = bytes.length > 0 ? ownValue(decoders, encoding?.toLowerCase() ?? '') : undefined
  if (!decode) return bytes
  try {
    return await decode(bytes, { maxOutputLength: limits.bytes })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLong(limits, error)
    // A body that broke off may be complete the next time.
    throw code === 'Z_BUF_ERROR'
      ? error
      : new UnusableAnswer(`it is not ${encoding}, as its header says`, { cause: error })
  }
}

/**
 * The text of a body without a byte order mark: UTF-8, as JSON is, or else the charset of the content type. JSON in neither of
 * them is given up, because a name that lost a character would be another name (A390). For the text of a refusal this does not
 * matter.
 */
function decodedText(bytes: Buffer, status: number, contentType: string): string {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";,]+)/i.exec(contentType) ?? []
  const text = decodedAs('utf-8', bytes) ?? decodedAs(charset, bytes)
  if (text !== undefined) return text
  const damaged = new TextDecoder().decode(bytes)
  // JSON that broke off in the middle of a character is broken JSON.
  const isCut = decodedAs('utf-8', bytes, 'a part') !== undefined
  if (status < 300 && !isCut && /^\s*[[{]/.test(damaged))
    throw new UnusableAnswer('it is neither UTF-8 nor in the charset of its content type')
  return damaged
}

/** undefined if the bytes are not a text of that charset, or if the charset is unknown. */
function decodedAs(charset: string, bytes: Buffer, is: 'all' | 'a part' = 'all'): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: is === 'a part' })
  } catch {
    return undefined
  }
}
