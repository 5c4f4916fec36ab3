import { kinds } from '../catalog/queries.js'
import { wireWords } from '../catalog/vocabulary.js'
import { endOfString } from '../json/end-of-string.js'
import { isList, type Json, parseJson } from '../json/json.js'
import type { Mask } from '../ports/mask.js'
import { hiddenText } from './hidden-words.js'

/** The secret fields of every kind, and those of the token endpoint, whose API key has two possible names. */
const secretNames: ReadonlySet<string> = new Set([
  ...kinds
    .flatMap((kind) => Object.values(kind.fields))
    .filter((field) => field.secret)
    .map((field) => field.name),
  ...[
    'access_token',
    'refresh_token',
    ...Object.values(wireWords).map(({ apiKey }) => apiKey),
    'password',
    'client_secret',
  ],
])

/** A body in which the values of secret fields, and the secrets that `mask` knows, are hidden; the body may be cut off. */
export const maskedBody = (body: string, mask: Mask): string => hiddenIn(body, mask, mask)

/** The same for a refusal, whose texts may contain the beginning of what is refused. */
export const maskedRefusal = (body: string, mask: Mask): string => hiddenIn(body, mask, mask.cutOff)

type Hide = (text: string) => string

function hiddenIn(body: string, mask: Mask, hide: Hide): string {
  const value = parseJson(body)
  if (typeof value === 'object' && value !== null) return mask(JSON.stringify(maskedMembers(value, mask, hide)))
  return mask.cutOff(maskedForm(maskedPairs(body, mask)))
}

function maskedMembers(value: Json, mask: Mask, hide: Hide): Json {
  // Texts inside the body are masked after parsing, without the quoting of the body.
  if (typeof value === 'string') return hide(value)
  if (isList(value)) return value.map((each) => maskedMembers(each, mask, hide))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      mask.fields.has(name) || (secretNames.has(name) && typeof inner !== 'object')
        ? hiddenText
        : maskedMembers(inner, mask, hide),
    ]),
  )
}

/**
 * JSON that cannot be parsed, because it broke off: the last value may lack its end. A pattern for whole texts would need a stack
 * as large as the text.
 */
function maskedPairs(body: string, { fields }: Mask): string {
  const parts: string[] = []
  let at = 0
  for (const { 0: pair, 1: name = '', index } of body.matchAll(/"([^"\\]{1,200})"\s*:\s*/g)) {
    const isSecret = fields.has(name) || secretNames.has(name)
    const start = index + pair.length
    const end = isSecret && index >= at ? endOfValue(body, start, fields.has(name) ? 'any' : 'a scalar') : start
    if (end === start) continue
    parts.push(body.slice(at, start), `"${hiddenText}"`)
    at = end
  }
  return `${parts.join('')}${body.slice(at)}`
}

/** The offset behind a value, or behind the part of it that is there. Of an object or a list, that is the end of the text. */
function endOfValue(body: string, start: number, form: 'any' | 'a scalar'): number {
  if (body[start] === '"') return Math.min(endOfString(body, start) + 1, body.length)
  if (body[start] === '{' || body[start] === '[') return form === 'any' ? body.length : start
  const end = /[\s"{}[\],]|$/g
  end.lastIndex = start
  return end.exec(body)?.index ?? body.length
}

/** Only the token endpoint gets form-encoded bodies. */
const maskedForm = (body: string): string =>
  /^grant_type=/.test(body)
    ? body.replaceAll(/(^|&)([^=&]*)=([^&]*)/g, (pair, before: string, name: string) =>
        secretNames.has(name) || name === 'username' ? `${before}${name}=${hiddenText}` : pair,
      )
    : body
