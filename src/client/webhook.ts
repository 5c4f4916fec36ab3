import type { Transport, WireResponse } from '../ports/transport.js'
import { isServerFailure } from '../problems/platform.js'
import { faultOf } from './transport-fault.js'
import { redirection } from './verdict.js'

/** How to reach a webhook, and how long it may take. */
interface WebhookWay {
  readonly transport: Transport
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
  /** The pause before each further try. */
  readonly pausesMs?: readonly number[]
}

/** The result of sending a message; `why`: why it was not accepted, without the address and without any text of the receiver. */
type Delivery = { readonly is: 'sent' } | { readonly is: 'failed'; readonly why: string }

/**
 * Sends JSON to a webhook. Errors that may pass are tried again until the signal aborts. Redirects are not followed, and only the
 * status of an answer is read. Never throws.
 */
export async function sendToWebhook(
  { url, body }: { readonly url: string; readonly body: object },
  { transport, sleep, signal, pausesMs = [500, 2_000] }: WebhookWay,
): Promise<Delivery> {
  const request = {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'gatewright' },
    body: JSON.stringify(body),
    signal,
    only: 'status' as const,
  }
  const ended = whenLate(signal)
  for (const pause of [...pausesMs, undefined]) {
    const attempt = await Promise.race([attemptOf(transport(request)), ended])
    if (attempt === 'late' || signal.aborted) return late
    if (!attempt.passing || pause === undefined) return attempt.delivery
    await Promise.race([sleep(pause, signal).catch(() => undefined), ended])
    if (signal.aborted) return late
  }
  return late
}

const late: Delivery = { is: 'failed', why: 'no answer within the time allowed' }

interface DeliveryAttempt {
  readonly delivery: Delivery
  /** Whether another try may help. */
  readonly passing: boolean
}

async function attemptOf(answer: Promise<WireResponse>): Promise<DeliveryAttempt> {
  try {
    return attemptIn(await answer)
  } catch (error) {
    const { reason, passing } = faultOf(error)
    return { delivery: { is: 'failed', why: reason }, passing }
  }
}

function attemptIn(response: WireResponse): DeliveryAttempt {
  const { status } = response
  if (status >= 200 && status <= 299) return { delivery: { is: 'sent' }, passing: false }
  const isRedirect = redirection(response) !== undefined
  const why = `it answered ${status}${isRedirect ? ', a redirect, which is not followed' : ''}`
  return { delivery: { is: 'failed', why }, passing: status === 429 || isServerFailure(status) }
}

/** Resolves with `late` as soon as the signal is aborted, for work that does not observe the signal. */
const whenLate = (signal: AbortSignal): Promise<'late'> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve('late')
    else signal.addEventListener('abort', () => resolve('late'), { once: true })
  })
