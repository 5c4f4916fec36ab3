import type { Json } from '../json/json.js'
import { isList, someText, textsIn } from '../json/json.js'
import type { Mask } from '../ports/mask.js'
import type { Ports } from '../ports/ports.js'
import { hiddenText } from './hidden-words.js'

/** Whether a secret stands in a text or a number inside a value. */
export const holdsSecret = (value: Json, mask: (text: string) => string): boolean =>
  someText(value, (text) => mask(text) !== text)

/** What hides secrets in a text, with those that it does not look for. */
export interface Hiding {
  (text: string): string
  readonly short?: ReadonlySet<string>
}

/**
 * The same of what is live, of which no manifest says where secrets are: one that is too short to be looked for in other texts
 * is one where it is all of a text (A112).
 */
export const showsSecret = (value: Json, mask: Hiding): boolean =>
  holdsSecret(value, mask) || (mask.short !== undefined && textsIn(value).some((text) => mask.short?.has(text)))

/** A value with the secrets in its texts, numbers and keys hidden. */
export function maskedValue(value: Json, mask: (text: string) => string): Json {
  if (typeof value === 'string') return mask(value)
  if (typeof value === 'number') return mask(String(value)) === String(value) ? value : hiddenText
  if (isList(value)) return value.map((each) => maskedValue(each, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [mask(key), maskedValue(inner, mask)]))
}

/** Every secret that the program knows by now, for masking it in whatever the platform answers. */
export function secretsOf(
  manifests: { readonly secrets: readonly string[] },
  ports: Pick<Ports, 'env'>,
): readonly string[] {
  const own = ['GATEWRIGHT_TOKEN', 'GATEWRIGHT_API_SECRET', 'GATEWRIGHT_PASSWORD', 'GATEWRIGHT_FINGERPRINT_KEY']
  const keys = ports.env.SOPS_AGE_KEY?.match(/AGE-SECRET-KEY-[0-9A-Z-]+/g) ?? []
  return [...manifests.secrets, ...own.flatMap((name) => ports.env[name] ?? []), ...keys]
}

/** Shorter ones would tear holes into ordinary words (A112). */
const shortest = 4

/** A mask for these secrets in every spelling that a text may have them in. */
export function masking(secrets: readonly string[]): Mask {
  const spellings = new Spellings()
  const short = new Set<string>()
  const mask = (text: string): string => spellings.hiddenIn(text)
  const learn = (...learned: readonly (string | undefined)[]): void => {
    for (const secret of learned) {
      if (secret === undefined) continue
      spellings.learn(secret)
      if (secret.length > 1 && secret.length < shortest) short.add(secret)
    }
  }
  learn(...secrets)
  const cutOff = (text: string): string =>
    spellings.hiddenInAnyCase(spellings.withoutBeginnings(spellings.hiddenIn(text)))
  return Object.assign(mask, { learn, cutOff, short, fields: new Set<string>() })
}

/** All spellings of the known secrets, found by their first characters: an area may have thousands, many that start alike. */
class Spellings {
  readonly #secrets = new Set<string>()
  readonly #spellings = new Set<string>()
  /** The same in their order, once they are asked for. */
  #inOrder: readonly string[] = []
  /** Those of the secrets in small letters, and of how many of them: made when the first text is read in any case. */
  #small: Spellings | undefined
  #smallOf = 0
  /** How long those are that have the same first four characters, the longest first. */
  readonly #lengths = new Map<string, number[]>()
  /** Whether any starts like that: one number for many beginnings. */
  readonly #starts = new Uint8Array(2 ** 16)

  learn(secret: string): void {
    if (this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    // Texts show the lines of a text apart, and leave out the blanks around it. Platforms may normalize Unicode.
    const parts = [secret, ...secret.split(/\r\n|[\r\n]/).map((line) => line.trim())]
    for (const part of new Set(parts.flatMap((each) => [each, each.normalize('NFC'), each.normalize('NFD')]))) {
      if (part.length >= shortest) for (const spelling of spellingsOf(part)) this.#add(spelling)
    }
  }

  #add(spelling: string): void {
    if (spelling.length < shortest || this.#spellings.has(spelling)) return
    this.#spellings.add(spelling)
    this.#starts[startNumber(spelling, 0)] = 1
    const start = spelling.slice(0, shortest)
    const known = this.#lengths.get(start)
    if (!known) this.#lengths.set(start, [spelling.length])
    else if (!known.includes(spelling.length)) {
      known.push(spelling.length)
      known.sort((one, other) => other - one)
    }
  }

  /** `compared`: the text in which they are looked for, of the same length. */
  hiddenIn(text: string, compared = text): string {
    if (this.#spellings.size === 0) return text
    let hidden = ''
    let shown = 0
    // What is hidden reaches up to there: secrets may overlap.
    let end = 0
    for (let at = 0; at + shortest <= text.length; at += 1) {
      if (this.#starts[startNumber(compared, at)] !== 1) continue
      const lengths = this.#lengths.get(compared.slice(at, at + shortest))
      const found = lengths?.find((length) => this.#spellings.has(compared.slice(at, at + length)))
      if (found === undefined) continue
      if (at >= end) {
        if (end > shown) shown = end
        hidden += `${text.slice(shown, at)}${hiddenText}`
      }
      end = Math.max(end, at + found)
      shown = end
    }
    return shown === 0 ? text : hidden + text.slice(shown)
  }

  /** Some platforms write names of hosts, addresses of mail and codes in letters of one case. */
  hiddenInAnyCase(text: string): string {
    this.#small ??= new Spellings()
    if (this.#smallOf !== this.#secrets.size)
      for (const secret of this.#secrets) this.#small.learn(secret.toLowerCase())
    this.#smallOf = this.#secrets.size
    const small = text.toLowerCase()
    return small.length === text.length ? this.#small.hiddenIn(text, small) : text
  }

  /** A text in which secrets that begin and do not end are hidden. */
  withoutBeginnings(text: string): string {
    let hidden = ''
    let shown = 0
    for (let at = 0; at + shortest <= text.length; at += 1) {
      if (this.#starts[startNumber(text, at)] !== 1) continue
      const length = this.#begunAt(text, at)
      if (length < shortestBeginning && (length < shortest || at + length < text.length)) continue
      hidden += `${text.slice(shown, at)}${hiddenText}`
      shown = at + length
      at = shown - 1
    }
    return shown === 0 ? text : hidden + text.slice(shown)
  }

  /**
   * How many characters of a text, from an offset on, are the beginning of a spelling: of one beside which they would stand.
   */
  #begunAt(text: string, at: number): number {
    if (this.#inOrder.length !== this.#spellings.size) this.#inOrder = [...this.#spellings].sort()
    const rest = text.slice(at, at + longestBeginning)
    let low = 0
    let high = this.#inOrder.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#inOrder[middle] ?? '') < rest) low = middle + 1
      else high = middle
    }
    return Math.max(...[low - 1, low].map((index) => commonLength(this.#inOrder[index] ?? '', rest)))
  }
}

/** As many characters as an ordinary word seldom has in common with a secret. */
const shortestBeginning = 8

/** Of longer ones the rest is shown in no message. */
const longestBeginning = 10_000

function commonLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1
  return length
}

/** Of four characters, from an offset on. */
const startNumber = (text: string, at: number): number =>
  (text.charCodeAt(at) ^
    (text.charCodeAt(at + 1) << 3) ^
    (text.charCodeAt(at + 2) << 6) ^
    (text.charCodeAt(at + 3) << 9)) &
  0xffff

/** A secret as it stands in plain text, in JSON (also in JSON that JSON quotes), in a URL, a form, HTML, and in Base64. */
function spellingsOf(secret: string): Iterable<string> {
  const quoted = JSON.stringify(secret).slice(1, -1)
  const json = [quoted, quoted.replaceAll('/', '\\/')]
  // Writers that stay within ASCII, or keep out of HTML.
  const signs = [/[^\x20-\x7e]/g, /[^\x20-\x7e]|[<>&]/g, /[^\x20-\x7e]|[<>&'/]/g]
  // Bodies are sent as JSON: what repeats one in a URL or in HTML quotes that.
  const written = new Set([secret, ...json])
  // What may stand in a body that is sent, or that is repeated as a whole.
  const sent = new Set([
    secret,
    ...json.flatMap((text) => [text, ...signs.flatMap((each) => escapes(text, each))]),
    ...[...written].flatMap(inUrls),
  ])
  return new Set([
    ...sent,
    ...json.map((text) => JSON.stringify(text).slice(1, -1)),
    ...[...written].flatMap(inHtml),
    ...[...sent].flatMap(inBase64),
  ])
}

/** Most secrets are letters and digits: an area may have thousands of them, which need not be written anew in forty ways. */
const isPlain = (text: string): boolean => /^[\w.-]*$/.test(text)

const inHtml = (text: string): readonly string[] =>
  /[&<>"']/.test(text) ? htmlSpellings.map((each) => text.replaceAll(/[&<>"']/g, (sign) => each[sign] ?? sign)) : []

/** As URLs and forms have it, in the ways that libraries differ in. */
function inUrls(text: string): readonly string[] {
  if (isPlain(text)) return []
  const inUrl = encodeURIComponent(wellFormed(text))
  const strict = inUrl.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  return [inUrl, strict, form, encodeURI(wellFormed(text))].flatMap((each) => [each, withLowerHex(each)])
}

/** A lone surrogate has no encoding: it is sent as U+FFFD. */
const wellFormed = (text: string): string => Buffer.from(text).toString()

const withLowerHex = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())

function escapes(quoted: string, signs: RegExp): readonly string[] {
  if (isPlain(quoted)) return []
  const escaped = (digits: (code: string) => string) =>
    quoted.replaceAll(signs, (sign) => `\\u${digits(sign.charCodeAt(0).toString(16).padStart(4, '0'))}`)
  return [escaped((code) => code), escaped((code) => code.toUpperCase())]
}

/**
 * In Base64, also as a part of a longer text, such as a login: then two bytes or one stand before it in its group of three,
 * and the signs at both ends belong to the neighbours as well.
 */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(`\0\0${text}`)
  const inside = [2, 1, 0].map((start) => {
    const bits = (bytes.length - start) * 8
    const whole = bytes.toString('base64url', start)
    return whole.slice(Math.ceil(((2 - start) * 8) / 6), Math.floor(bits / 6))
  })
  return [bytes.toString('base64url', 2), ...inside].flatMap((each) =>
    /[-_]/.test(each) ? [each, each.replaceAll('-', '+').replaceAll('_', '/')] : [each],
  )
}

/**
 * What writers of HTML and XML escape beside "<": some only that, others all; and there are many ways to write quotes.
 */
const htmlSpellings: readonly Readonly<Record<string, string>>[] = [
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&#039;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&quot;' },
  {},
].flatMap((quotes) =>
  [{ '&': '&amp;', '>': '&gt;' }, { '&': '&amp;' }, { '>': '&gt;' }, {}].map((others) => ({
    '<': '&lt;',
    ...others,
    ...quotes,
  })),
)
