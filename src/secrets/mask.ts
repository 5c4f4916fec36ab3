import { kinds } from '../catalog/queries.js'
import type { Json } from '../json/json.js'
import { isList, parseJson } from '../json/json.js'
import type { Ports } from '../ports/ports.js'

const hidden = '***'

/** The secret fields of every kind, and those of the token endpoint, where the API key has one of two names. */
const secretNames: ReadonlySet<string> = new Set([
  ...kinds
    .flatMap((kind) => Object.values(kind.fields))
    .filter((field) => field.secret)
    .map((field) => field.name),
  ...['access_token', 'refresh_token', 'svcapi', 'mapi', 'password', 'client_secret'],
])

/** A body with the values of its secret fields hidden, and with the secrets that `mask` knows. */
export function maskedBody(body: string, mask: (text: string) => string): string {
  const value = parseJson(body)
  if (typeof value === 'object' && value !== null) return mask(JSON.stringify(withoutSecrets(value)))
  return mask(maskedForm(body))
}

function withoutSecrets(value: Json): Json {
  if (isList(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretNames.has(name) && typeof inner !== 'object' ? hidden : withoutSecrets(inner),
    ]),
  )
}

/** Form-encoded bodies go to the token endpoint only. */
const maskedForm = (body: string): string =>
  /^grant_type=/.test(body)
    ? body.replaceAll(/(^|&)([^=&]*)=([^&]*)/g, (pair, before: string, name: string) =>
        secretNames.has(name) || name === 'username' ? `${before}${name}=${hidden}` : pair,
      )
    : body

/** Every secret that the program knows by now, for masking it in whatever the platform answers. */
export function secretsOf(
  manifests: { readonly secrets: readonly string[] },
  ports: Pick<Ports, 'env'>,
): readonly string[] {
  const own = ['GATEWRIGHT_TOKEN', 'GATEWRIGHT_API_SECRET', 'GATEWRIGHT_PASSWORD', 'GATEWRIGHT_FINGERPRINT_KEY']
  return [...manifests.secrets, ...own.flatMap((name) => ports.env[name] ?? [])]
}

/** Hides secrets wherever they stand in a text, the longest first; very short ones would hide everything. */
export function masking(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length)
  const spellings = known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
  return (text) => spellings.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
}
