import { wireWords } from '../catalog/vocabulary.js'
import type { Ids } from './ids.js'
import type { Settings } from './settings.js'

/** The token endpoint with password and refresh grants, and the valid tokens. Tokens end with the process. */
interface TokenStore {
  readonly answer: (request: Request) => Promise<Response>
  /** The user name for the bearer token of a request; undefined if the token is missing, unknown or expired. */
  readonly userOf: (request: Request) => string | undefined
  /** Makes every access token expire at once. */
  readonly expireAll: () => void
}

interface Grant {
  readonly username: string
  readonly until: number
}

type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unauthorized_client'

/** The tokens of one platform. */
export function makeTokens(settings: Settings, ids: Ids): TokenStore {
  const access = new Map<string, Grant>()
  const refresh = new Map<string, Grant>()

  const issue = (username: string): Response => {
    const now = settings.now()
    const [accessToken, refreshToken] = [ids.text(24), ids.text(24)]
    access.set(accessToken, { username, until: now + settings.tokenLifetimeMs })
    refresh.set(refreshToken, { username, until: now + settings.refreshLifetimeMs })
    return json(200, {
      token_type: 'bearer',
      // The recorded answers do not have this member (field notes, Answers), but public clients of the vendor read it under the
      // vendor's name (A209).
      ...(settings.dialect === 'recorded' && settings.vocabulary === 'document'
        ? {}
        : { [wireWords[settings.vocabulary].apiKey]: settings.apiKey }),
      access_token: accessToken,
      expires_in: Math.floor(settings.tokenLifetimeMs / 1000),
      refresh_token: refreshToken,
      scope: settings.area,
    })
  }

  const byPassword = (form: URLSearchParams): Response => {
    const [username, password, scope] = [form.get('username'), form.get('password'), form.get('scope')]
    if (!username || !password || !scope) return refused('invalid_request', 'username, password and scope are required')
    if (settings.accounts.get(username) !== password) return refused('invalid_grant', 'Invalid username or password')
    return scope === settings.area ? issue(username) : refused('invalid_scope', 'Unknown area')
  }

  const byRefresh = (form: URLSearchParams): Response => {
    const given = form.get('refresh_token')
    if (!given) return refused('invalid_request', 'refresh_token is required')
    const grant = refresh.get(given)
    if (!grant) return refused('invalid_grant', 'Invalid refresh token')
    return grant.until > settings.now() ? issue(grant.username) : refused('invalid_grant', 'Expired refresh token')
  }

  return {
    answer: async (request) => {
      if (!isClient(request, settings)) return refused('invalid_client', 'Unknown API key or secret')
      const form = await formOf(request)
      if (!form) return refused('invalid_request', 'the body must be form-encoded')
      switch (form.get('grant_type')) {
        case 'password':
          return byPassword(form)
        case 'refresh_token':
          return byRefresh(form)
        case null:
          return refused('invalid_request', 'grant_type is required')
        default:
          return refused('unsupported_grant_type', 'only password and refresh_token are supported')
      }
    },
    userOf: (request) => {
      const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
      const grant = token === undefined ? undefined : access.get(token)
      return grant && grant.until > settings.now() ? grant.username : undefined
    },
    expireAll: () => access.clear(),
  }
}

function isClient(request: Request, { apiKey, apiSecret }: Settings): boolean {
  const [, encoded] = /^Basic +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  return encoded !== undefined && Buffer.from(encoded, 'base64').toString('utf8') === `${apiKey}:${apiSecret}`
}

async function formOf(request: Request): Promise<URLSearchParams | undefined> {
  const type = request.headers.get('content-type') ?? ''
  if (!type.startsWith('application/x-www-form-urlencoded')) return undefined
  return new URLSearchParams(await request.text())
}

function refused(error: OAuthError, description: string): Response {
  const status = error === 'invalid_client' ? 401 : 400
  const challenge = status === 401 ? { 'www-authenticate': 'Basic' } : undefined
  return json(status, { error, error_description: description }, challenge)
}

function json(
  status: number,
  body: Readonly<Record<string, string | number>>,
  more?: Record<string, string>,
): Response {
  const headers = { 'content-type': 'application/json;charset=UTF-8', 'cache-control': 'no-store', ...more }
  return new Response(JSON.stringify(body), { status, headers })
}
