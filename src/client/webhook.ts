import type { Transport, WireResponse } from '../ports/transport.js'
import { faultOf } from './transport-fault.js'
import { redirection } from './verdict.js'

/** The way to a webhook, and how long it may take. */
export interface WebhookWay {
  readonly transport: Transport
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Aborted when nobody waits any longer. */
  readonly signal: AbortSignal
  /** Before each further try. */
  readonly pausesMs?: readonly number[]
}

/** What became of a message: `why` it was not taken, without the address and without a word of the receiver. */
export type Delivery = { readonly is: 'told' } | { readonly is: 'failed'; readonly why: string }

/**
 * Sends JSON to a webhook. What may pass is tried again until the signal ends it; redirects are not followed, and no answer is
 * read but its status. Never throws.
 */
export async function tellWebhook(
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

interface Attempt {
  readonly delivery: Delivery
  /** Whether another try may help. */
  readonly passing: boolean
}

async function attemptOf(answer: Promise<WireResponse>): Promise<Attempt> {
  try {
    return attemptIn(await answer)
  } catch (error) {
    const { reason, passing } = faultOf(error)
    return { delivery: { is: 'failed', why: reason }, passing }
  }
}

function attemptIn(response: WireResponse): Attempt {
  const { status } = response
  if (status >= 200 && status <= 299) return { delivery: { is: 'told' }, passing: false }
  const isRedirect = redirection(response) !== undefined
  const why = `it answered ${status}${isRedirect ? ', a redirect, which is not followed' : ''}`
  return { delivery: { is: 'failed', why }, passing: status === 429 || status >= 500 }
}

/** `late` as soon as the signal is aborted, for work that does not listen to it. */
const whenLate = (signal: AbortSignal): Promise<'late'> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve('late')
    else signal.addEventListener('abort', () => resolve('late'), { once: true })
  })
