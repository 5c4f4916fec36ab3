import type { WireResponse } from '../ports/transport.js'
import { isServerFailure } from '../problems/platform.js'
import { gatewayCode } from './answer.js'
import type { Quota } from './types.js'

/** What an answer means for the request itself. */
type AnswerMeaning =
  /** Answered by the interface: with success, or with a final refusal. */
  | 'answered'
  /** Refused for now, and not processed: too many calls per second. */
  | 'throttled'
  /** Refused until the quota is renewed. */
  | 'quota'
  /** The token is not, or no longer, accepted. */
  | 'token'
  /** The platform, or something in front of it, failed: the outcome of the request is unknown. */
  | 'failed'

/** Classifies an answer by its status and the gateway's header (field notes, Answers). */
export function verdictOf(response: WireResponse): AnswerMeaning {
  const code = gatewayCode(response) ?? ''
  if (code.includes('OVER_QPS')) return 'throttled'
  if (code.includes('OVER_RATE')) return 'quota'
  if (response.status === 429) return 'throttled'
  if (response.status === 401 || code.includes('DEVELOPER_INACTIVE')) return 'token'
  return hasFailed(response.status) ? 'failed' : 'answered'
}

/** 501 is an answer: the platform does not offer the operation. */
const hasFailed = (status: number): boolean => isServerFailure(status) && status !== 501

/**
 * What an answer without success means for a create. `busy`: it was refused and not carried out. `unknown`: it may have been
 * carried out, whatever the body says, because servers also fail after the commit.
 */
export function createVerdict({ status }: WireResponse): 'busy' | 'unknown' | 'answered' {
  if (status === 503 || status === 429) return 'busy'
  return hasFailed(status) ? 'unknown' : 'answered'
}

/** How long an answer asks to wait, in milliseconds. The header has seconds, or a date by the clock that dates the answer. */
export function retryAfter({ headers }: WireResponse, now: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1000
  const [date, answered] = [Date.parse(value), Date.parse(headers.date ?? '')]
  return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(answered) ? now : answered))
}

/**
 * The target of a redirection, without its query, which may contain data for a login page. It is not followed: the other server
 * would get the credentials.
 */
export const redirection = ({ status, headers }: WireResponse): string | undefined =>
  status >= 300 && status <= 399 ? (headers.location?.replace(/[?#].*/s, '') ?? 'nowhere') : undefined

/** How much of the daily quota is used, if the platform says so. */
export function quotaIn(response: WireResponse): Quota | undefined {
  const allotted = Number(response.headers['x-packagekey-quota-allotted'])
  const used = Number(response.headers['x-packagekey-quota-current'] ?? Number.NaN)
  return allotted > 0 && used >= 0 ? { used, allotted } : undefined
}

/** The calls per second that the key allows, if the platform says so. Limits are whole numbers: a value below one is ignored. */
export function allowedRate(response: WireResponse): number | undefined {
  const value = Number(response.headers['x-packagekey-qps-allotted'])
  return value >= 1 && Number.isFinite(value) ? value : undefined
}
