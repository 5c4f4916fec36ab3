import type { Transport, WireRequest } from '../ports/transport.js'
import type { World } from './io.js'

/** A world that counts the requests to the platform, without those for tokens. */
interface RequestCount<Given> {
  readonly world: Given
  readonly requests: () => number
}

/** Counts for commands that end with an error, which report no count of their own although their calls were used. */
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
