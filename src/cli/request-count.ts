import type { Transport, WireRequest } from '../ports/transport.js'
import type { World } from './io.js'

/** A world, and how many requests to the platform it has sent so far, those for a token apart. */
export interface RequestCount<Given> {
  readonly world: Given
  readonly requests: () => number
}

/** A command that ends with an error has no figures of its own: its calls have cost as much as any others. */
export function countingRequests<Given extends Pick<World, 'transport'>>(given: Given): RequestCount<Given> {
  let requests = 0
  const noted =
    <Answer>(send: (request: WireRequest) => Answer) =>
    (request: WireRequest): Answer => {
      if (!request.url.endsWith('/v3/token')) requests += 1
      return send(request)
    }
  const counting = (transport: Transport): Transport => {
    const { turn, close } = transport
    return Object.assign(noted(transport), {
      ...(turn && {
        turn: async () => {
          const own = await turn()
          return { ...own, send: noted(own.send) }
        },
      }),
      ...(close && { close }),
    })
  }
  return {
    world: {
      ...given,
      transport: async (to) => {
        const transport = await given.transport(to)
        return to === 'platform' ? counting(transport) : transport
      },
    },
    requests: () => requests,
  }
}
