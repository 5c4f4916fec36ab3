import { errorText } from '../problems/problem.js'
import { UnusableAnswer } from './answer-limits.js'

/** What is known of a request without an answer. */
interface Fault {
  /** 'no': it certainly never reached the platform. */
  readonly received: 'no' | 'perhaps'
  /** A phrase for messages. */
  readonly reason: string
  /** Whether another try may help: a name that does not resolve will not resolve a second later. */
  readonly passing: boolean
  /** What to check: who signed the certificate, or the connection to the host. */
  readonly about: 'trust' | 'connection'
}

/** The request was not sent, because the program was asked to end before. */
export class NotSent extends Error {}

/** The proxy in front of the platform cannot be reached; the cause has the reason. */
export class ProxyUnreachable extends Error {
  readonly proxy: string

  /** `proxy`: its host and port, without a login. */
  constructor(proxy: string, cause: Error) {
    super(cause.message, { cause })
    this.name = 'ProxyUnreachable'
    this.proxy = proxy
  }
}

const neverReceived: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'no connection within the time allowed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time allowed',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain holds a self-signed certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate cannot be verified',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  EPROTO: 'it does not speak TLS there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'its TLS is too old',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'its TLS is too old',
}

const perhapsReceived: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_HEADERS_TIMEOUT: 'no answer within the time allowed',
  UND_ERR_BODY_TIMEOUT: 'the answer broke off',
}

/** These errors are about the set-up, and do not pass. */
const lasting = new Set([
  ...['ENOTFOUND', 'EPROTO', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ...['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'ERR_SSL_UNSUPPORTED_PROTOCOL'],
])

/** No signer that this machine trusts has signed these certificates. */
const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

/** Finds out from an error of a transport how far the request came. If that is not known, it counts as received. */
export function faultOf(error: unknown): Fault {
  const about = 'connection'
  if (error instanceof UnusableAnswer) return { received: 'perhaps', reason: error.message, passing: false, about }
  const refusal = refusedByProxy(error)
  if (refusal !== undefined) return { received: 'no', reason: refusal, passing: false, about }
  const code = faultCode(error)
  const proxy = proxyIn(error)
  const unreceived = neverReceived[code]
  if (unreceived !== undefined || proxy !== undefined) {
    const words = unreceived ?? perhapsReceived[code] ?? errorText(error)
    return {
      received: 'no',
      reason: proxy === undefined ? words : `the proxy ${proxy} cannot be reached: ${words}`,
      passing: !(lasting.has(code) || code.includes('CERT') || untrusted.has(code)),
      about: untrusted.has(code) ? 'trust' : about,
    }
  }
  const reason = perhapsReceived[code] ?? (isTimeout(error) ? 'no answer within the time allowed' : errorText(error))
  return { received: 'perhaps', reason, passing: true, about }
}

/** A proxy that answers, but does not connect to the platform: undici has only a message for it. */
function refusedByProxy(error: unknown): string | undefined {
  const [, status] = error instanceof Error ? (/^Proxy response \((\d{3})\)/.exec(error.message) ?? []) : []
  if (status === undefined) return undefined
  return `the proxy answered ${status}${status === '407' ? ': it wants a login (http://user:password@proxy:8080)' : ''}`
}

function proxyIn(error: unknown): string | undefined {
  if (error instanceof ProxyUnreachable) return error.proxy
  return error instanceof Error ? proxyIn(error.cause) : undefined
}

/** The first code among the causes: fetch wraps the socket's error, undici does not. */
function faultCode(error: unknown): string {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (!('code' in each) || typeof each.code !== 'string') continue
    return onConnection.has(each.code) && !wasConnecting(each) ? '' : each.code
  }
  return ''
}

/** These can also happen on a connection that already carried the request. */
const onConnection = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])

/** An AggregateError means that several addresses of one host were tried in turn. */
const wasConnecting = (error: Error): boolean =>
  error instanceof AggregateError || ('syscall' in error && error.syscall === 'connect')

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause))
