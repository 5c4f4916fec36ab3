import { urlIn } from '../catalog/base-url.js'
import type { HttpMethod } from '../catalog/types.js'
import type { Mask } from '../ports/mask.js'
import type { Turn, WireResponse } from '../ports/transport.js'
import {
  hostUnreachable,
  noAnswer,
  quotaUsedUp,
  requestInterrupted,
  requestRedirected,
  requestRefused,
  slashDemanded,
  stillThrottled,
  unusableAnswer,
} from '../problems/platform.js'
import type { Problem } from '../problems/problem.js'
import { maskedBody, maskedRefusal } from '../secrets/masked-body.js'
import { readError } from './answer.js'
import { breaksOff, UnusableAnswer } from './answer-limits.js'
import type { ConnectInput } from './connect-input.js'
import type { Pace } from './pace.js'
import { faultOf, NotSent } from './transport-fault.js'
import { allowedRate, createVerdict, redirection, retryAfter, verdictOf } from './verdict.js'

/** One request of the client; the exchange decides how often it is sent. */
export interface Call {
  readonly method: HttpMethod
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Whether it may be sent twice: a create would be done twice, a token request would not. */
  readonly again: 'harmless' | 'unsafe'
}

/** The result of a call. */
export type Exchanged =
  | { readonly is: 'answered'; readonly response: WireResponse }
  /** The platform refuses the token. */
  | { readonly is: 'token'; readonly response: WireResponse; readonly problem: Problem }
  /** A create was refused for now, and most likely not carried out. */
  | { readonly is: 'busy'; readonly status: number; readonly problem: Problem; readonly afterMs: number }
  | { readonly is: 'quota' | 'unreachable' | 'unknown'; readonly problem: Problem }

export type Exchange = (call: Call) => Promise<Exchanged>

/** Called for every request, however often a call is sent. */
interface Watcher {
  sent(call: Call): void
  answered(response: WireResponse): void
  /** Whether the platform, or the connection to it, failed. Returns 'give up' if it has failed for too long. */
  ended(how: 'well' | 'failed'): 'go on' | 'give up'
}

/** How often a failed request is sent in all. */
const tries = 4
/** How often a request is sent that is refused because of too many calls. */
const throttleTries = 20
/** A longer wait counts as a used-up quota: the request is not sent again. */
const longestWait = 300_000

interface Answered {
  readonly is: 'response'
  readonly response: WireResponse
  readonly startedAt: number
  readonly end: 'whole' | 'broken off'
}

interface Faulty {
  readonly is: 'fault'
  readonly error: unknown
}

type ExchangeAttempt = Answered | Faulty | { readonly is: 'interrupted' }

/** How often the call was tried so far, by result. */
interface Tries {
  readonly failures: number
  readonly throttles: number
}

type ExchangeStep =
  | { readonly is: 'done'; readonly result: Exchanged }
  | { readonly is: 'again'; readonly afterMs: number }

/** Makes the exchange: it limits the rate, logs, and repeats requests if that does no harm. */
export function createExchange(options: ConnectInput, pace: Pace, watcher: Watcher): Exchange {
  let quota: Problem | undefined
  let reached = false

  const attempt = async (call: Call): Promise<ExchangeAttempt> => {
    let turn: Turn | undefined
    try {
      await pace.start()
      if (options.transport.turn) turn = await options.transport.turn()
    } catch (error) {
      if (options.signal?.aborted || error instanceof NotSent) return { is: 'interrupted' }
      throw error
    }
    // Called only now, however long the request has waited. If the answer comes at once, the request keeps its turn.
    const may = isWrite(call) && options.mayWrite ? options.mayWrite() : true
    if (may !== true && !(await may)) {
      turn?.back()
      return { is: 'interrupted' }
    }
    watcher.sent(call)
    return transmit(options, call, turn?.send ?? options.transport)
  }

  const stepAfter = (call: Call, attempted: Answered | Faulty, count: Tries): ExchangeStep => {
    switch (attempted.is) {
      case 'fault':
        return afterFault(options, call, attempted.error, count.failures, reached ? 'reached' : 'never-reached')
      case 'response':
        reached = true
        watcher.answered(attempted.response)
        return afterAnswer(options, pace, call, attempted, count)
    }
  }

  return async (call) => {
    let received: 'no' | 'perhaps' = 'no'
    for (let failures = 1, throttles = 1; ; ) {
      if (quota) return asFarAsKnown(options, call, { is: 'quota', problem: quota }, received)
      const attempted = await attempt(call)
      if (attempted.is === 'interrupted') return interrupted(options, call, received)
      const turnedAway = attempted.is === 'response' ? verdictOf(attempted.response) : 'failed'
      const then = watcher.ended(turnedAway === 'failed' ? 'failed' : 'well')
      // If nothing answers, requests give up at once: otherwise each would wait four times, a minute each.
      const tried = attempted.is === 'fault' && then === 'give up' ? tries : failures
      const step = stepAfter(call, attempted, { failures: tried, throttles })
      if (step.is === 'done') {
        if (turnedAway === 'quota' && step.result.is === 'quota') quota = step.result.problem
        return asFarAsKnown(options, call, step.result, received)
      }
      if (turnedAway === 'throttled') throttles += 1
      else {
        failures += 1
        if (attempted.is === 'response' || faultOf(attempted.error).received === 'perhaps') received = 'perhaps'
      }
      if (!(await rested(options, step.afterMs))) return interrupted(options, call, received)
    }
  }
}

const isWrite = (call: Call): boolean => call.method !== 'GET' && !isTokenCall(call)

export const isTokenCall = (call: Call): boolean => call.url.endsWith('/v3/token')

/** A write that may have arrived before the interruption does not count as unsent. */
function interrupted(options: ConnectInput, call: Call, received: 'no' | 'perhaps'): Exchanged {
  const is = received === 'perhaps' && call.method !== 'GET' ? 'unknown' : 'unreachable'
  return { is, problem: requestInterrupted(maskedCall(call, options)) }
}

/** A write that may have arrived does not count as unsent either if a later try was refused, or could not be sent. */
function asFarAsKnown(options: ConnectInput, call: Call, result: Exchanged, received: 'no' | 'perhaps'): Exchanged {
  const isUnsent = result.is === 'quota' || result.is === 'unreachable'
  if (!isUnsent || received === 'no' || !isWrite(call)) return result
  const reason = `it was sent again, and ${result.problem.message}`
  return { is: 'unknown', problem: noAnswer(maskedCall(call, options), reason) }
}

const logged = (status: number | undefined, body: string, mask: Mask): string =>
  status !== undefined && status >= 400 ? maskedRefusal(body, mask) : maskedBody(body, mask)

async function transmit(options: ConnectInput, call: Call, send: Turn['send']): Promise<ExchangeAttempt> {
  const startedAt = options.now()
  const log = (status: number | undefined, responseBody: string | undefined, error: string | undefined): void =>
    options.onRequest?.({
      method: call.method,
      url: options.mask(call.url),
      status,
      ms: options.now() - startedAt,
      requestBody: call.body === undefined ? undefined : maskedBody(call.body, options.mask),
      responseBody: responseBody === undefined ? undefined : logged(status, responseBody, options.mask),
      error,
    })
  // A write that was sent is always awaited: without its answer the outcome is unknown.
  const signal = call.method === 'GET' ? options.signal : undefined
  try {
    const response = await send({ ...call, signal })
    const end = breaksOff(response.body) ? 'broken off' : 'whole'
    log(response.status, response.body, undefined)
    return { is: 'response', response, startedAt, end }
  } catch (error) {
    log(undefined, undefined, faultOf(error).reason)
    if (signal?.aborted || error instanceof NotSent) return { is: 'interrupted' }
    return { is: 'fault', error }
  }
}

/** A create is sent again only if it certainly did not arrive. If the very first connection is refused, the address is wrong. */
function afterFault(
  options: ConnectInput,
  call: Call,
  error: unknown,
  failures: number,
  host: 'reached' | 'never-reached',
): ExchangeStep {
  const fault = faultOf(error)
  const unreceived = fault.received === 'no'
  const harmless = unreceived ? host === 'reached' : call.again === 'harmless'
  if (harmless && fault.passing && failures < tries) return { is: 'again', afterMs: backoff(failures) }
  const reason = options.mask(fault.reason)
  if (unreceived) {
    return done({ is: 'unreachable', problem: hostUnreachable(new URL(call.url).host, reason, fault.about) })
  }
  const problem = error instanceof UnusableAnswer ? unusableAnswer : noAnswer
  return done({ is: 'unknown', problem: problem(maskedCall(call, options), reason) })
}

function afterAnswer(
  options: ConnectInput,
  pace: Pace,
  call: Call,
  { response, startedAt, end }: Answered,
  { failures, throttles }: Tries,
): ExchangeStep {
  const requested = retryAfter(response, options.now())
  const allowed = allowedRate(response)
  if (allowed !== undefined) pace.allowed(allowed)
  switch (verdictOf(response)) {
    case 'answered':
      pace.succeeded(startedAt)
      // A write may have been carried out: servers redirect to what they have created.
      if (redirection(response) !== undefined) {
        return done({ is: 'unknown', problem: answeredWith(options, call, response) })
      }
      // Not every connection shows that an answer broke off: the next one may be whole. Of a refusal, the status is enough.
      if (end === 'broken off' && response.status < 300 && !isWrite(call) && failures < tries) {
        return { is: 'again', afterMs: backoff(failures) }
      }
      return call.again === 'unsafe'
        ? afterCreate(options, call, response, requested)
        : done({ is: 'answered', response })
    case 'token':
      return done({ is: 'token', response, problem: answeredWith(options, call, response) })
    case 'quota':
      return done({ is: 'quota', problem: quotaUsedUp(refusalWords(options, response)) })
    case 'throttled':
      if ((requested ?? 0) > longestWait) {
        return done({ is: 'quota', problem: quotaUsedUp(`it asks to wait ${Math.ceil((requested ?? 0) / 1000)} s`) })
      }
      pace.throttled(startedAt, requested)
      if (call.again === 'unsafe' && response.status === 429) return afterCreate(options, call, response, 0)
      if (throttles < throttleTries) return { is: 'again', afterMs: 0 }
      return done({ is: 'quota', problem: stillThrottled(maskedCall(call, options), throttles) })
    case 'failed':
      return afterFailure(options, call, response, failures, requested)
  }
}

function afterFailure(
  options: ConnectInput,
  call: Call,
  response: WireResponse,
  failures: number,
  requested: number | undefined,
): ExchangeStep {
  if (call.again === 'unsafe') return afterCreate(options, call, response, requested)
  if (failures >= tries || (requested ?? 0) > longestWait) return done({ is: 'answered', response })
  return { is: 'again', afterMs: Math.max(requested ?? 0, backoff(failures)) }
}

/** A create is never sent again here: its sender first checks whether it was carried out. */
function afterCreate(
  options: ConnectInput,
  call: Call,
  response: WireResponse,
  requested: number | undefined,
): ExchangeStep {
  const { status } = response
  const verdict = createVerdict(response)
  if (verdict === 'answered' || (verdict === 'busy' && (requested ?? 0) > longestWait)) {
    return done({ is: 'answered', response })
  }
  const problem = answeredWith(options, call, response)
  if (verdict === 'unknown') return done({ is: 'unknown', problem })
  return done({ is: 'busy', status, problem, afterMs: requested ?? backoff(1) })
}

function answeredWith(options: ConnectInput, call: Call, response: WireResponse): Problem {
  const { status } = response
  const elsewhere = redirection(response)
  if (elsewhere === undefined) return requestRefused(maskedCall(call, options), status, refusalWords(options, response))
  return endsInSlash(call, elsewhere)
    ? slashDemanded(maskedCall(call, options), status)
    : requestRedirected(maskedCall(call, options), status, options.mask.cutOff(elsewhere))
}

/** Whether an address is that of the call with a slash at its end. A proxy may write another scheme into it. */
function endsInSlash({ url }: Call, location: string): boolean {
  const { origin, hostname, pathname } = new URL(url)
  const there = urlIn(location) ?? urlIn(origin + location)
  return there?.hostname === hostname && there.pathname === `${pathname}/`
}

const done = (result: Exchanged): ExchangeStep => ({ is: 'done', result })

/** Half a second, one second, two seconds. */
const backoff = (failures: number): number => 500 * 2 ** (failures - 1)

/** Whether the time passed without an interruption. */
async function rested({ sleep, signal }: ConnectInput, ms: number): Promise<boolean> {
  if (ms <= 0) return !signal?.aborted
  try {
    await sleep(ms, signal)
  } catch (error) {
    if (!signal?.aborted) throw error
  }
  return !signal?.aborted
}

const refusalWords = (options: ConnectInput, response: WireResponse): string =>
  readError(response, options.mask.cutOff).message

/** A call by its method and path, for messages. */
function maskedCall(call: Call, options: Pick<ConnectInput, 'mask'>): string {
  const { pathname } = new URL(call.url)
  return options.mask(`${call.method} ${pathname}`)
}
