import type { Json, JsonObject } from '../../src/json/json.js'
import { createPlatform, type Platform } from '../../src/platform/server.js'
import type { PlatformSettings } from '../../src/platform/settings.js'

/** The result of one call. */
export interface Result {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; undefined if it is not JSON. */
  readonly body: Json | undefined
  /** The object in the answer, whether alone or in an array of one. */
  readonly object: JsonObject
  readonly list: readonly JsonObject[]
  readonly id: string
  /** The properties named in a refusal. */
  readonly blamed: readonly string[]
  /** The whole text of a refusal. */
  readonly words: string
}

type Call = (method: string, path: string, body?: unknown) => Promise<Result>

export interface Connection {
  readonly platform: Platform
  readonly api: Call
  readonly get: (path: string) => Promise<Result>
  readonly post: (path: string, body: unknown) => Promise<Result>
  readonly put: (path: string, body: unknown) => Promise<Result>
  readonly del: (path: string) => Promise<Result>
}

export const area = '00000000-0000-4000-8000-00000000a4ea'
export const basic = `Basic ${btoa('local-key:local-secret')}`

/** A platform with active domains and a ready token. */
export function connect(options: PlatformSettings = {}): Promise<Connection> {
  return connectTo(createPlatform({ autoApprove: true, idSeed: 'test', ...options }))
}

/** Connects to a running platform, as one of its users. */
export async function connectTo(
  platform: Platform,
  username = 'local-user',
  password = 'local-password',
): Promise<Connection> {
  const token = await tokenOf(platform, { grant_type: 'password', username, password, scope: area })
  const authorization = `Bearer ${String(token.object.access_token)}`
  const api: Call = async (method, path, body) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = { authorization, 'content-type': 'application/json' }
    return resultOf(await platform.fetch(new Request(`http://x/v3/rest${path}`, { method, headers, ...init })))
  }
  return {
    platform,
    api,
    get: (path: string) => api('GET', path),
    post: (path: string, body: unknown) => api('POST', path, body),
    put: (path: string, body: unknown) => api('PUT', path, body),
    del: (path: string) => api('DELETE', path),
  }
}

/** Sends a request to the token endpoint. */
export async function tokenOf(
  platform: Platform,
  form: Readonly<Record<string, string>>,
  authorization = basic,
): Promise<Result> {
  const request = new Request('http://x/v3/token', {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams(form),
  })
  return resultOf(await platform.fetch(request))
}

async function resultOf(response: Response): Promise<Result> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const body = isJson && text !== '' ? (JSON.parse(text) as Json) : undefined
  const list = (Array.isArray(body) ? body : [body]) as readonly JsonObject[]
  const object = list[0] ?? {}
  const errors = (object.errors ?? []) as readonly { property: string; message: string }[]
  return {
    status: response.status,
    headers: response.headers,
    text,
    body,
    object,
    list,
    id: String(object.id),
    blamed: errors.map((error) => error.property),
    words: [object.errorMessage, ...errors.map((error) => error.message)].join(' '),
  }
}

/** The smallest endpoint that a platform accepts. */
export const endpointBody = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  requestPathAlias: `/${name}`,
  trafficManagerDomain: 'api.example.com',
  ...more,
})
