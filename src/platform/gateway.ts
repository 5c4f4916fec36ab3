import { type Vocabulary, wireWords } from '../catalog/vocabulary.js'
import type { Settings } from './settings.js'

/** An error of the gateway in front of the interface. The gateway counts calls, and answers with XML if it refuses one. */
type GatewayError =
  | 'ERR_403_DEVELOPER_OVER_QPS'
  | 'ERR_403_DEVELOPER_OVER_RATE'
  | 'ERR_403_DEVELOPER_INACTIVE'
  | 'ERR_403_NOT_AUTHORIZED'

/** The detail for the header, and the heading, which is the whole body, as recorded. */
const details: Readonly<Record<GatewayError, readonly [detail: string, heading: string]>> = {
  ERR_403_DEVELOPER_OVER_QPS: ['Account Over Queries Per Second Limit', 'Developer Over Qps'],
  ERR_403_DEVELOPER_OVER_RATE: ['Account Over Rate Limit', 'Developer Over Rate'],
  ERR_403_DEVELOPER_INACTIVE: ['Account Inactive', 'Developer Inactive'],
  ERR_403_NOT_AUTHORIZED: ['Not Authorized', 'Not Authorized'],
}

/** The gateway's answer: 403, a body that is not JSON, and the reason in headers. */
export function gatewayAnswer(code: GatewayError, vocabulary: Vocabulary): Response {
  const { errorCode, responder } = wireWords[vocabulary]
  const [detail, heading] = details[code]
  const headers = new Headers({
    'content-type': 'text/xml',
    [errorCode]: code,
    'x-error-detail-header': detail,
    [responder]: 'local',
    server: vocabulary === 'mashery' ? 'Mashery Proxy' : 'Svc Proxy',
  })
  if (code === 'ERR_403_DEVELOPER_OVER_QPS') headers.set('retry-after', '1')
  return new Response(`<h1>${heading}</h1>`, { status: 403, headers })
}

/** The calls of the key, and their limits. */
interface GatewayLimits {
  /** Counts a call. Returns the error to answer if the call is over a limit, or undefined. */
  readonly take: () => GatewayError | undefined
  /** The usage headers with the current counts. */
  readonly headers: () => Readonly<Record<string, string>>
}

const dayMs = 86_400_000

/** Limits with whole seconds and whole days (UTC) as their windows. */
export function makeAllowance({ qps, dailyQuota, now }: Settings): GatewayLimits {
  const second = { window: -1, calls: 0 }
  const day = { window: -1, calls: 0 }
  const enter = (counter: { window: number; calls: number }, length: number) => {
    const window = Math.floor(now() / length)
    if (counter.window !== window) Object.assign(counter, { window, calls: 0 })
  }
  return {
    take: () => {
      enter(second, 1000)
      enter(day, dayMs)
      if (dailyQuota !== undefined && day.calls >= dailyQuota) return 'ERR_403_DEVELOPER_OVER_RATE'
      if (qps !== undefined && second.calls >= qps) return 'ERR_403_DEVELOPER_OVER_QPS'
      second.calls += 1
      day.calls += 1
      return undefined
    },
    headers: () => ({
      ...(qps === undefined ? {} : usage('qps', qps, second.calls)),
      ...(dailyQuota === undefined ? {} : usage('quota', dailyQuota, day.calls)),
    }),
  }
}

const usage = (what: 'qps' | 'quota', allotted: number, current: number): Record<string, string> => ({
  [`x-packagekey-${what}-allotted`]: String(allotted),
  [`x-packagekey-${what}-current`]: String(current),
})
