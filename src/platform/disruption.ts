import type { Vocabulary } from '../catalog/vocabulary.js'
import { changedAnswer, fixedAnswer } from './fault-answers.js'
import type { FaultKind } from './fault-kinds.js'
import { gatewayAnswer } from './gateway.js'
import type { Settings } from './settings.js'

/** An answer, and what happens to it on the way to the client. */
export interface Disruption {
  readonly response: Response
  /** `reset`: no answer arrives. `truncated`: only half of the announced body arrives. */
  readonly disruption: 'none' | 'reset' | 'truncated'
}

/** Answers a request and applies the faults that it meets. */
export async function disrupt(
  met: readonly FaultKind[],
  { sleep, vocabulary }: Pick<Settings, 'sleep' | 'vocabulary'>,
  answer: () => Promise<Response> | Response,
): Promise<Disruption> {
  for (const fault of met) {
    if (fault.is === 'slow') await sleep(fault.milliseconds)
    const instead = before(fault, vocabulary)
    if (instead) return instead
  }
  let response = await answer()
  for (const fault of met) response = await after(fault, response)
  if (met.some((fault) => fault.is === 'reset-after' || (fault.is === 'late' && fault.answer === 'reset'))) {
    return { response, disruption: 'reset' }
  }
  return met.some((fault) => fault.is === 'truncate') ? truncated(response) : { response, disruption: 'none' }
}

/** The response instead of the answer, or undefined if the request is processed. */
function before(fault: FaultKind, vocabulary: Vocabulary): Disruption | undefined {
  switch (fault.is) {
    case 'reset-before':
      return { response: new Response(null), disruption: 'reset' }
    case 'status':
      return plain(fixedAnswer(fault.status, fault.body))
    case 'over-qps':
      return plain(gatewayAnswer('ERR_403_DEVELOPER_OVER_QPS', vocabulary))
    case 'over-rate':
      return plain(gatewayAnswer('ERR_403_DEVELOPER_OVER_RATE', vocabulary))
    default:
      return undefined
  }
}

/** The answer, changed by the fault. */
function after(fault: FaultKind, response: Response): Promise<Response> | Response {
  if (fault.is === 'after') return changedAnswer(response, fault.status, fault.body)
  if (fault.is === 'uncounted') response.headers.delete('x-total-count')
  return response
}

const plain = (response: Response): Disruption => ({ response, disruption: 'none' })

async function truncated(response: Response): Promise<Disruption> {
  const whole = await response.text()
  const headers = new Headers(response.headers)
  headers.set('content-length', String(Buffer.byteLength(whole)))
  const half = whole.slice(0, Math.floor(whole.length / 2))
  return { response: new Response(half, { status: response.status, headers }), disruption: 'truncated' }
}
