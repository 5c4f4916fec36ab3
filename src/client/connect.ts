import PQueue from 'p-queue'
import type { KindName } from '../catalog/types.js'
import type { WireResponse } from '../ports/transport.js'
import { answerNotJson, answerNotList, requestInterrupted, requestRefused } from '../problems/platform.js'
import { ProblemError } from '../problems/problem.js'
import { maskedBody } from '../secrets/masked-body.js'
import { isErrorInDisguise, plainText, readAnswer, readError } from './answer.js'
import { checkedUrl } from './checked-url.js'
import type { ConnectInput, Credentials } from './connect-input.js'
import { createExchange, isTokenCall } from './exchange.js'
import { type ItemForm, lackIn } from './list-items.js'
import { createLookUp } from './look-up.js'
import { createPace } from './pace.js'
import type { GetPage, Page } from './pages.js'
import { readArea } from './read.js'
import { createSession, type Session } from './session.js'
import { steadyClock } from './steady-clock.js'
import { basicOf, createTokens } from './token.js'
import type { Client, Quota } from './types.js'
import { quotaIn } from './verdict.js'
import { createWrite } from './write.js'

/**
 * A client of the platform at that URL; nothing is sent before the first request. Throws a ProblemError if the URL is not valid.
 */
export function connect(given: ConnectInput): Client {
  // If one request of a reading fails, its other requests are not needed any more.
  const closed = new AbortController()
  const signal = given.signal ? AbortSignal.any([given.signal, closed.signal]) : closed.signal
  const options = { ...given, url: checkedUrl(given.url), now: steadyClock(given.now), signal }
  options.mask.learn(...credentialSecrets(given.credentials))
  const { vocabulary = 'document' } = options
  const sent = { rest: 0, token: 0 }
  const pace = createPace(options)
  let quota: Quota | undefined
  let failingSince: number | undefined
  const isFailing = (): boolean => failingSince !== undefined && options.now() - failingSince >= longestFailureMs
  const exchange = createExchange(options, pace, {
    sent: (call) => {
      sent[isTokenCall(call) ? 'token' : 'rest'] += 1
    },
    answered: (response) => {
      quota = quotaIn(response) ?? quota
    },
    ended: (how) => {
      failingSince = how === 'failed' ? (failingSince ?? options.now()) : undefined
      return isFailing() ? 'give up' : 'go on'
    },
  })
  const session = queued(createSession(options.url, createTokens(options, exchange), exchange), options)
  const get = pageGetter(session, options)
  const onProgress = options.onProgress ?? (() => undefined)
  const documentOnly = new Set<KindName>()
  return {
    read: (spec, earlier) => readArea({ url: options.url, vocabulary, get, onProgress, documentOnly }, spec, earlier),
    write: createWrite(session, { ...options, vocabulary }),
    ...createLookUp(get),
    stats: () => ({ requests: sent.rest, tokenRequests: sent.token, ...pace.counts(), quota }),
    isFailing,
    close: async () => {
      closed.abort()
      await options.transport.close?.()
    },
  }
}

const credentialSecrets = (credentials: Credentials): readonly string[] =>
  'token' in credentials ? [credentials.token] : [credentials.apiSecret, credentials.password, basicOf(credentials)]

/** If every request has failed for this time, no new one begins (A344). */
const longestFailureMs = 60_000

/** Limits the number of requests under way at once; after an interruption, waiting requests are not sent. */
function queued(session: Session, { concurrency, signal, mask }: ConnectInput): Session {
  const queue = new PQueue({ concurrency: Math.max(1, concurrency) })
  return (call) =>
    queue.add(async () =>
      signal?.aborted
        ? { is: 'unreachable' as const, problem: requestInterrupted(mask(`${call.method} ${call.path.split('?')[0]}`)) }
        : session(call),
    )
}

/** An interface with such an answer to a list has no such collection (design §4, Operations). */
const isNotOffered = ({ status }: WireResponse): boolean => status === 404 || status === 405 || status === 501

function pageGetter(session: Session, options: ConnectInput): GetPage {
  return async (path, form, absent = isNotOffered) => {
    const result = await session({ method: 'GET', path })
    if (result.is !== 'answered') throw new ProblemError([result.problem])
    if (absent(result.response)) return 'not-offered'
    return pageOf(result.response, form, `GET /v3/rest${path.split('?')[0]}`, options)
  }
}

function pageOf(response: WireResponse, form: ItemForm, request: string, { mask }: ConnectInput): Page {
  const { status, headers } = response
  const body = readAnswer(response.body)
  if (status < 200 || status > 299 || (body.is === 'objects' && isErrorInDisguise(response, body.objects))) {
    throw new ProblemError([requestRefused(request, status, readError(response, mask.cutOff).message)])
  }
  if (body.is === 'not-json') {
    const contentType = headers['content-type'] ?? 'something'
    throw new ProblemError([answerNotJson(request, contentType, plainText(maskedBody(response.body, mask)))])
  }
  const total = totalIn(headers)
  // Any other success is not a list: 206 is a part of one, and 204 has no content.
  if (status !== 200 || (total !== 0 && !body.areAll)) {
    const start = plainText(maskedBody(response.body, mask)) || 'nothing'
    throw new ProblemError([answerNotList(request, status === 200 ? start : `${status} and ${start}`)])
  }
  const lack = lackIn(body.objects, form)
  if (lack) {
    const start = plainText(maskedBody(JSON.stringify(lack.item), mask))
    throw new ProblemError([answerNotList(request, start, lack.member)])
  }
  // A count that is lower than the number of objects on this page is ignored.
  return { objects: body.objects, total: total !== undefined && total >= body.objects.length ? total : undefined }
}

function totalIn(headers: WireResponse['headers']): number | undefined {
  const count = headers['x-total-count'] ?? ''
  return /^\d+$/.test(count) ? Number(count) : undefined
}
