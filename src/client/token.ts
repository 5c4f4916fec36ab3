import { ownValue } from '../catalog/record.js'
import { type Vocabulary, vocabularies, wireWords } from '../catalog/vocabulary.js'
import type { JsonObject } from '../json/json.js'
import { textOf } from '../json/json.js'
import type { WireResponse } from '../ports/transport.js'
import {
  answerNotJson,
  credentialsRefused,
  identifierSettings,
  isServerFailure,
  noTokenGiven,
  noTokenThere,
  otherVocabulary,
  unusableAnswer,
  unusableToken,
} from '../problems/platform.js'
import type { Problem } from '../problems/problem.js'
import { maskedBody } from '../secrets/masked-body.js'
import { gatewayCode, isErrorInDisguise, plainText, readAnswer, readError } from './answer.js'
import type { ConnectInput, Credentials } from './connect-input.js'
import type { Exchange, Exchanged } from './exchange.js'

/** A token for requests, or why there is none. */
type TokenAnswer =
  | { readonly is: 'token'; readonly token: string }
  | { readonly is: 'refused' | 'quota' | 'unreachable' | 'unknown'; readonly problem: Problem }

export interface TokenSource {
  /** The current token, renewed shortly before it expires. */
  current(): Promise<TokenAnswer>
  /** Another token than this one, which the platform has refused. Concurrent callers share one renewal. */
  renewed(refused: string): Promise<TokenAnswer>
}

interface HeldToken {
  readonly token: string
  readonly refreshToken: string | undefined
  readonly renewAt: number
}

type Secrets = Exclude<Credentials, { readonly token: string }>

/** A token is renewed this long before it expires, or in the last tenth of a short lifetime. */
const margin = 60_000
/** From the document's example; the unit is from the field notes. */
const usualLifetime = 3600

/** The tokens of one client: the given one, or those of the token endpoint. */
export function createTokens(options: ConnectInput, exchange: Exchange): TokenSource {
  const { credentials } = options
  if ('token' in credentials) {
    const { token } = credentials
    if (!isHeaderText(token)) {
      const unusable = (): Promise<TokenAnswer> => Promise.resolve({ is: 'refused', problem: unusableToken() })
      return { current: unusable, renewed: unusable }
    }
    const refused: TokenAnswer = {
      is: 'refused',
      problem: credentialsRefused(
        new URL(options.url).host,
        'the token is not, or no longer, valid',
        'GATEWRIGHT_TOKEN',
      ),
    }
    return { current: () => ready(token), renewed: () => Promise.resolve(refused) }
  }

  let held: HeldToken | undefined
  let renewal: Promise<TokenAnswer> | undefined

  const renew = (): Promise<TokenAnswer> => {
    renewal ??= obtain(options, credentials, exchange, held?.refreshToken)
      .then((obtained): TokenAnswer => {
        if (obtained.is !== 'held') return obtained
        held = obtained.held
        // The platform's error bodies may repeat them.
        options.mask.learn(held.token, held.refreshToken)
        return { is: 'token', token: held.token }
      })
      .finally(() => {
        renewal = undefined
      })
    return renewal
  }

  return {
    current: () => (held && options.now() < held.renewAt ? ready(held.token) : renew()),
    renewed: (refused) => (held && held.token !== refused ? ready(held.token) : renew()),
  }
}

/** Whether a header can contain a token. A token that was copied with its JSON, or broken into lines, could never be sent. */
const isHeaderText = (token: string): boolean => /^[\x20-\x7e]+$/.test(token)

/** What authenticates an application at the token endpoint. */
export const basicOf = ({ apiKey, apiSecret }: Secrets): string =>
  Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')

const ready = (token: string): Promise<TokenAnswer> => Promise.resolve({ is: 'token', token })

type Obtained = { readonly is: 'held'; readonly held: HeldToken } | Exclude<TokenAnswer, { is: 'token' }>

/** Uses the refresh grant if there is a refresh token; otherwise, or if that is refused, the password grant. */
async function obtain(
  options: ConnectInput,
  secrets: Secrets,
  exchange: Exchange,
  refreshToken: string | undefined,
): Promise<Obtained> {
  if (refreshToken !== undefined) {
    const refreshed = await requestToken(options, secrets, exchange, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    })
    if (refreshed.is !== 'refused') return refreshed
  }
  return requestToken(options, secrets, exchange, {
    grant_type: 'password',
    username: secrets.username,
    password: secrets.password,
    scope: secrets.area,
  })
}

async function requestToken(
  options: ConnectInput,
  secrets: Secrets,
  exchange: Exchange,
  form: Readonly<Record<string, string>>,
): Promise<Obtained> {
  const requestedAt = options.now()
  const exchanged = await exchange({
    method: 'POST',
    url: `${options.url}/v3/token`,
    headers: {
      authorization: `Basic ${basicOf(secrets)}`,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: new URLSearchParams(form).toString(),
    again: 'harmless',
  })
  return obtainedFrom(options, exchanged, requestedAt)
}

function obtainedFrom(options: ConnectInput, exchanged: Exchanged, requestedAt: number): Obtained {
  // Only creates can be 'busy'.
  if (exchanged.is === 'busy') return { is: 'unknown', problem: exchanged.problem }
  if (exchanged.is !== 'answered' && exchanged.is !== 'token') return exchanged
  const { response } = exchanged
  if (response.status < 200 || response.status > 299) return refusedBy(options, response)
  const body = readAnswer(response.body)
  const [answer] = body.is === 'objects' ? body.objects : []
  const strange = answer && wordOfOtherIn(answer, options.vocabulary ?? 'document')
  if (strange) return { is: 'refused', problem: strange }
  if (body.is === 'not-json') return notJson(options, response)
  if (isErrorInDisguise(response, body.objects)) return refusedBy(options, response)
  const token = answer?.access_token
  if (answer === undefined || typeof token !== 'string' || token === '') {
    return { is: 'refused', problem: unusableAnswer(tokenRequest, 'it holds no access_token') }
  }
  if (!isHeaderText(token)) {
    return { is: 'refused', problem: unusableAnswer(tokenRequest, 'no header can carry its access_token') }
  }
  // The API key, under any of its names.
  for (const { apiKey } of Object.values(wireWords)) options.mask.learn(textOf(answer[apiKey]))
  return { is: 'held', held: heldFrom(answer, token, requestedAt) }
}

/** The API key has another name in each vocabulary; an answer may lack it, or have it under both names (A207). */
function wordOfOtherIn(answer: JsonObject, own: Vocabulary): Problem | undefined {
  if (Object.hasOwn(answer, wireWords[own].apiKey)) return undefined
  const spoken = vocabularies.find((each) => Object.hasOwn(answer, wireWords[each].apiKey))
  return spoken && otherVocabulary(wireWords[spoken].apiKey, spoken, own)
}

function heldFrom(answer: JsonObject, token: string, requestedAt: number): HeldToken {
  const seconds = Number(answer.expires_in)
  const lifetime = (seconds > 0 ? seconds : usualLifetime) * 1000
  const refreshToken = typeof answer.refresh_token === 'string' ? answer.refresh_token : undefined
  return { token, refreshToken, renewAt: requestedAt + lifetime - Math.min(margin, lifetime / 10) }
}

const tokenRequest = 'POST /v3/token'

const notJson = (options: ConnectInput, response: WireResponse): Obtained => ({
  is: 'refused',
  problem: answerNotJson(
    tokenRequest,
    response.headers['content-type'] ?? 'no content type',
    // The body may contain a token, whatever it is.
    plainText(maskedBody(response.body, options.mask)).slice(0, 40),
  ),
})

const keyVariables = 'GATEWRIGHT_API_KEY and GATEWRIGHT_API_SECRET'
const all = `${keyVariables}, GATEWRIGHT_USERNAME and GATEWRIGHT_PASSWORD`

const variables: Readonly<Record<string, string>> = {
  invalid_grant: 'GATEWRIGHT_USERNAME and GATEWRIGHT_PASSWORD, and whether that user belongs to the area',
  invalid_client: keyVariables,
  unauthorized_client: keyVariables,
  invalid_scope: `${identifierSettings}: the identifier (UUID) of the customer area`,
}

function refusedBy(options: ConnectInput, response: WireResponse): Obtained {
  const { errorCode, message } = readError(response, options.mask.cutOff)
  if (isServerFailure(response.status)) {
    return { is: 'unreachable', problem: noTokenGiven(tokenRequest, response.status, options.mask(message)) }
  }
  // An answer that names what is wrong with the credentials comes from a token endpoint.
  const isThere = response.status !== 404 || ownValue(variables, errorCode ?? '') !== undefined
  if (!isThere) return { is: 'refused', problem: noTokenThere(options.url, options.mask(message)) }
  const words = options.mask(
    `${response.status}, ${message === errorCode ? message : [errorCode, message].filter(Boolean).join(': ')}`,
  )
  const { host } = new URL(options.url)
  return { is: 'refused', problem: credentialsRefused(host, words, variablesFor(response, errorCode ?? '')) }
}

function variablesFor(response: WireResponse, errorCode: string): string {
  const known = ownValue(variables, errorCode)
  if (known !== undefined) return known
  if (response.status === 401 || gatewayCode(response)?.includes('INACTIVE')) return keyVariables
  return all
}
