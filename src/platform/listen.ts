import { once } from 'node:events'
import type { Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { createPlatform, type Platform } from './server.js'
import { type PlatformSettings, settingsOf } from './settings.js'

/** A platform that listens on a port, with everything that a client needs to connect. */
export interface RunningPlatform {
  /** The document's {base_url}. */
  readonly url: string
  readonly area: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly username: string
  readonly password: string
  readonly platform: Platform
  readonly close: () => Promise<void>
}

/** Starts a platform, by default on 127.0.0.1 and on a free port (port 0). Rejects if the port is in use. */
export async function startPlatform(
  options: PlatformSettings & { readonly host?: string | undefined; readonly port?: number | undefined } = {},
): Promise<RunningPlatform> {
  const platform = createPlatform(options)
  const { area, apiKey, apiSecret, username, password } = settingsOf(options)
  const server = createAdaptorServer({
    fetch: (request, env) => answer(platform, request, env as HttpBindings),
  }) as Server
  const host = options.host ?? '127.0.0.1'
  server.listen(options.port ?? 0, host)
  await once(server, 'listening').catch((error: unknown) => {
    platform.close()
    throw error
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
    platform.close()
  }
  return { url: `http://${reachable(host)}:${port}`, area, apiKey, apiSecret, username, password, platform, close }
}

/** The address for local clients: the wildcard address is replaced by the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return isIPv6(host) ? `[${host}]` : host
}

async function answer(platform: Platform, request: Request, { outgoing }: HttpBindings): Promise<Response> {
  const { response, disruption } = await platform.exchange(request)
  if (disruption === 'none') return response
  if (disruption === 'truncated') {
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    const half = await response.text()
    await new Promise<void>((resolve) => outgoing.write(half, () => resolve()))
  }
  outgoing.socket?.destroy()
  return RESPONSE_ALREADY_SENT
}
