import type { FaultKind } from './faults.js'
import { gatewayAnswer } from './gateway.js'

/** An answer, and what happens to it on its way. */
export interface Disruption {
  readonly response: Response
  /** `reset`: no answer arrives. `truncated`: the body is half of the one that its headers announce. */
  readonly disruption: 'none' | 'reset' | 'truncated'
}

/** Answers a request through the faults that it meets. */
export async function disrupt(
  met: readonly FaultKind[],
  answer: () => Promise<Response> | Response,
): Promise<Disruption> {
  for (const fault of met) {
    const instead = await before(fault)
    if (instead) return instead
  }
  const response = await answer()
  if (met.some((fault) => fault.is === 'reset-after')) return { response, disruption: 'reset' }
  if (met.some((fault) => fault.is === 'truncate')) return truncated(response)
  return { response, disruption: 'none' }
}

/** What comes in place of the answer, or undefined where the request is let through. */
async function before(fault: FaultKind): Promise<Disruption | undefined> {
  switch (fault.is) {
    case 'reset-before':
      return { response: new Response(null), disruption: 'reset' }
    case 'status':
      return plain(new Response(`{"errorCode":${fault.status},"errorMessage":"fault"}`, jsonOf(fault.status)))
    case 'html':
      return plain(new Response('<html><body>Sign in</body></html>', { headers: { 'content-type': 'text/html' } }))
    case 'over-qps':
      return plain(gatewayAnswer('ERR_403_DEVELOPER_OVER_QPS'))
    case 'over-rate':
      return plain(gatewayAnswer('ERR_403_DEVELOPER_OVER_RATE'))
    case 'slow':
      await new Promise((resolve) => setTimeout(resolve, fault.milliseconds))
      return undefined
    case 'reset-after':
    case 'truncate':
    case 'expire-token':
      return undefined
  }
}

const plain = (response: Response): Disruption => ({ response, disruption: 'none' })

const jsonOf = (status: number) => ({ status, headers: { 'content-type': 'application/json' } })

async function truncated(response: Response): Promise<Disruption> {
  const whole = await response.text()
  const headers = new Headers(response.headers)
  headers.set('content-length', String(Buffer.byteLength(whole)))
  const half = whole.slice(0, Math.floor(whole.length / 2))
  return { response: new Response(half, { status: response.status, headers }), disruption: 'truncated' }
}
