import type { Json, JsonObject } from '../../src/json/json.js'
import { isObject } from '../../src/json/json.js'
import { environment, type Make } from './world.js'

/** A user who changes the live area outside git. */
export interface Rest {
  readonly get: (path: string) => Promise<readonly JsonObject[]>
  readonly put: (path: string, body: JsonObject) => Promise<JsonObject>
  readonly post: (path: string, body: JsonObject) => Promise<JsonObject>
  readonly remove: (path: string) => Promise<void>
}

/** Logs in, and throws an error for every refusal. */
export async function restOf(make: Make): Promise<Rest> {
  const token = await tokenOf(make)
  const call = async (method: string, path: string, body?: JsonObject): Promise<readonly JsonObject[]> => {
    const response = await make.fetch(
      new Request(`http://platform.example/v3/rest${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} ${response.status}: ${text}`)
    const answer = text === '' ? [] : (JSON.parse(text) as Json)
    const list = Array.isArray(answer) ? (answer as readonly Json[]) : [answer]
    return list.filter(isObject)
  }
  const one = async (method: string, path: string, body: JsonObject) => (await call(method, path, body))[0] ?? {}
  return {
    get: (path) => call('GET', path),
    put: (path, body) => one('PUT', path, body),
    post: (path, body) => one('POST', path, body),
    remove: async (path) => void (await call('DELETE', path)),
  }
}

/** Requests a token from the token endpoint. */
export async function tokenOf(make: Make): Promise<string> {
  const { GATEWRIGHT_API_KEY, GATEWRIGHT_API_SECRET, GATEWRIGHT_USERNAME, GATEWRIGHT_PASSWORD } = environment
  const response = await make.fetch(
    new Request('http://platform.example/v3/token', {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${GATEWRIGHT_API_KEY}:${GATEWRIGHT_API_SECRET}`)}` },
      body: new URLSearchParams({
        grant_type: 'password',
        username: GATEWRIGHT_USERNAME,
        password: GATEWRIGHT_PASSWORD,
        scope: environment.GATEWRIGHT_AREA,
      }),
    }),
  )
  const answer = (await response.json()) as { readonly access_token: string }
  return answer.access_token
}
