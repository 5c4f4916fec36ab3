import { kinds } from '../catalog/queries.js'
import type { Json } from '../json/json.js'
import { isList, parseJson } from '../json/json.js'
import type { Ports } from '../ports/ports.js'
import { hiddenText } from './hidden-words.js'

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
      secretNames.has(name) && typeof inner !== 'object' ? hiddenText : withoutSecrets(inner),
    ]),
  )
}

/** Form-encoded bodies go to the token endpoint only. */
const maskedForm = (body: string): string =>
  /^grant_type=/.test(body)
    ? body.replaceAll(/(^|&)([^=&]*)=([^&]*)/g, (pair, before: string, name: string) =>
        secretNames.has(name) || name === 'username' ? `${before}${name}=${hiddenText}` : pair,
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

/** Hides secrets wherever they stand in a text. What is learned later is hidden from then on, by all who have this mask. */
export interface Mask {
  (text: string): string
  learn(...secrets: readonly (string | undefined)[]): void
}

/** Shorter ones would tear holes into ordinary words. */
const shortest = 4

/** A mask for these secrets in every spelling that a text may have them in. */
export function masking(secrets: readonly string[]): Mask {
  const known = new Set<string>()
  // The longest first: a secret may be a part of another one.
  let ordered: readonly string[] | undefined
  const mask = (text: string): string => {
    ordered ??= [...known].sort((left, right) => right.length - left.length)
    return ordered.reduce((masked, spelling) => masked.replaceAll(spelling, hiddenText), text)
  }
  const learn = (...learned: readonly (string | undefined)[]): void => {
    for (const secret of learned) {
      if (secret === undefined || secret.length < shortest) continue
      for (const spelling of spellingsOf(secret)) known.add(spelling)
    }
    ordered = undefined
  }
  learn(...secrets)
  return Object.assign(mask, { learn })
}

/** A secret as it stands in plain text, in JSON (also in JSON that JSON quotes), in a URL, a form, HTML, and in Base64. */
function spellingsOf(secret: string): readonly string[] {
  const quoted = JSON.stringify(secret).slice(1, -1)
  return [
    secret,
    quoted,
    JSON.stringify(quoted).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    ...htmlSpellings.map((signs) => secret.replaceAll(/[&<>"']/g, (sign) => signs[sign] ?? sign)),
    // Without the signs that fill it up.
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
  ]
}

const html = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Libraries differ in how they write an apostrophe, and whether they escape quotes outside of attributes. */
const htmlSpellings: readonly Readonly<Record<string, string>>[] = [
  { ...html, "'": '&#39;' },
  { ...html, "'": '&#x27;' },
  { ...html, "'": '&#039;' },
  { ...html, "'": '&apos;' },
  html,
  { ...html, '"': '"' },
]
