import PQueue from 'p-queue'
import type { JsonObject } from '../catalog/types.js'
import {
  answerNotJson,
  answerNotList,
  badUrl,
  ProblemError,
  requestInterrupted,
  requestRedirected,
  requestRefused,
} from '../problem.js'
import { plainText, readAnswer, readError } from './answer.js'
import { createExchange, isTokenCall } from './exchange.js'
import { createLookUp } from './look-up.js'
import type { ConnectOptions, Credentials } from './options.js'
import { createPace } from './pace.js'
import type { GetPage, Page } from './pages.js'
import { readArea } from './read.js'
import { createRedaction } from './redact.js'
import { createSession, type Session } from './session.js'
import { createTokens } from './token.js'
import type { Client, Quota, WireResponse } from './types.js'
import { quotaIn, redirection } from './verdict.js'
import { write } from './write.js'

/** A client of the platform at that URL; nothing is sent before the first request. A URL that is none throws a ProblemError. */
export function connect(given: ConnectOptions): Client {
  const { mask, learn } = createRedaction(given.mask, secretsOf(given.credentials))
  const options = { ...given, mask, url: baseUrl(given.url) }
  const sent = { rest: 0, token: 0 }
  const pace = createPace(options)
  let quota: Quota | undefined
  const exchange = createExchange(
    options,
    pace,
    (call) => {
      sent[isTokenCall(call) ? 'token' : 'rest'] += 1
    },
    (response) => {
      quota = quotaIn(response) ?? quota
    },
  )
  const session = queued(createSession(options.url, createTokens(options, exchange, learn), exchange), options)
  const get = pageGetter(session, options)
  const onProgress = options.onProgress ?? (() => undefined)
  return {
    read: (spec) => readArea({ url: options.url, get, onProgress }, spec),
    write: (operation, ids, body, fields) => write(session, options.mask, operation, ids, body, fields),
    ...createLookUp(get),
    stats: () => ({ requests: sent.rest, tokenRequests: sent.token, ...pace.counts(), quota }),
    close: async () => {
      await options.transport.close?.()
    },
  }
}

function baseUrl(url: string): string {
  try {
    const { origin, pathname, protocol } = new URL(url)
    if (protocol !== 'http:' && protocol !== 'https:') throw new ProblemError([badUrl(url)])
    return origin + pathname.replace(/\/+$/, '')
  } catch (cause) {
    throw new ProblemError([badUrl(url)], { cause })
  }
}

const secretsOf = (credentials: Credentials): readonly string[] =>
  'token' in credentials ? [credentials.token] : [credentials.apiSecret, credentials.password]

/** At most so many requests under way at once; after an interruption those that still wait are not sent. */
function queued(session: Session, { concurrency, signal, mask }: ConnectOptions): Session {
  const queue = new PQueue({ concurrency: Math.max(1, concurrency) })
  return (call) =>
    queue.add(async () =>
      signal?.aborted
        ? { is: 'unreachable' as const, problem: requestInterrupted(mask(`${call.method} ${call.path.split('?')[0]}`)) }
        : session(call),
    )
}

/** An interface that answers these to a list has no such collection (design §4, Operations). */
const notOffered = new Set([404, 405, 501])

function pageGetter(session: Session, options: ConnectOptions): GetPage {
  return async (path) => {
    const result = await session({ method: 'GET', path })
    if (result.is !== 'answered') throw new ProblemError([result.problem])
    if (notOffered.has(result.response.status)) return 'not-offered'
    return pageOf(result.response, `GET /v3/rest${path.split('?')[0]}`, options)
  }
}

function pageOf(response: WireResponse, request: string, { mask }: ConnectOptions): Page {
  const isSuccess = response.status >= 200 && response.status <= 299
  const elsewhere = redirection(response)
  if (elsewhere !== undefined) throw new ProblemError([requestRedirected(request, response.status, mask(elsewhere))])
  if (!isSuccess) {
    throw new ProblemError([requestRefused(request, response.status, mask(readError(response).message))])
  }
  const body = readAnswer(response.body)
  if (body.is === 'not-json') {
    const contentType = response.headers['content-type'] ?? 'something'
    throw new ProblemError([answerNotJson(request, contentType, mask(plainText(response.body)))])
  }
  if (isErrorInDisguise(response, body.objects)) {
    throw new ProblemError([requestRefused(request, response.status, mask(readError(response).message))])
  }
  const total = Number(response.headers['x-total-count'] ?? Number.NaN)
  if (total !== 0 && response.status !== 204 && !body.areAll) {
    throw new ProblemError([answerNotList(request, mask(plainText(response.body)))])
  }
  return { objects: body.objects, total: Number.isInteger(total) ? total : undefined }
}

/** A list that holds nothing but an error, under a status of success. */
const isErrorInDisguise = (response: WireResponse, objects: readonly JsonObject[]): boolean =>
  objects.length === 1 &&
  objects.every((object) => object.id === undefined && object.errorCode !== undefined) &&
  readError(response).fromInterface
