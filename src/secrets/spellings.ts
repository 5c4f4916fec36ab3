/** Shorter secrets would hide parts of ordinary words (A112). */
export const shortest = 4

/** Spellings that are made when a text contains one of their beginnings: most secrets are in no text. */
export interface Spellings {
  /** The first characters of each spelling, as many as `shortest`. */
  readonly beginnings: ReadonlySet<string>
  readonly all: () => Iterable<string>
}

/** A secret in plain text, JSON, a URL, a form, Base64 and hex; the codes of pages are decoded before. */
export function spellingsOf(secret: string): readonly Spellings[] {
  return partsOf(secret).flatMap((part) => {
    // A text is encoded character by character: a spelling begins with a spelling of the first characters.
    const head = headOf(part)
    const heads = sent(head)
    const encoded = [...new Set([...heads].map(headOf))].flatMap(inBytes)
    return [
      {
        beginnings: new Set([...heads, inHeaders(head)].map(beginningOf)),
        all: () => [...sent(part), inHeaders(part)],
      },
      { beginnings: new Set(encoded.map(beginningOf)), all: () => [...sent(part)].flatMap(inBytes) },
    ]
  })
}

/** Output shows the lines of a text separately, and without the blanks around them. Platforms may normalize Unicode. */
function partsOf(secret: string): readonly string[] {
  const lines = /[\r\n]/.test(secret) ? secret.split(/\r\n|[\r\n]/) : [secret]
  const parts = [secret, ...lines.map((line) => line.trim())]
  const forms = isAscii(secret) ? parts : parts.flatMap((each) => [each, each.normalize('NFC'), each.normalize('NFD')])
  return [...new Set(forms)].filter((part) => part.length >= shortest)
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

const isLatin1 = (text: string): boolean => /^[\0-\xff]*$/.test(text)

export const beginningOf = (spelling: string): string => spelling.slice(0, shortest)

/** The first characters of a text; a surrogate pair is one character. */
const headOf = (text: string): string =>
  /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(shortest - 1)) ? text.slice(0, shortest + 1) : beginningOf(text)

/** The forms of a text in a body that is sent, or that is repeated as a whole. */
function sent(text: string): ReadonlySet<string> {
  if (isPlain(text)) return new Set([text])
  const json = inJson(text)
  // Bodies are sent as JSON: a URL or HTML that repeats one contains the JSON form.
  const urls = [...new Set([text, ...json])].flatMap(inUrls)
  return new Set([text, ...json, ...json.flatMap(withEscapes), ...urls])
}

/** Most secrets are letters and digits: except in Base64, they have one spelling. */
const isPlain = (text: string): boolean => /^[\w.-]*$/.test(text)

const quotedInJson = (text: string): string => JSON.stringify(text).slice(1, -1)

function inJson(text: string): readonly string[] {
  const quoted = quotedInJson(text)
  return quoted.includes('/') ? [quoted, quoted.replaceAll('/', '\\/')] : [quoted]
}

/** Writers that use only ASCII, or that avoid HTML: each escapes what the one before does, and more. */
const escapedSigns = [/[^\x20-\x7e]/g, /[<>&]/g, /['/]/g]

function withEscapes(quoted: string): readonly string[] {
  const escaped = (written: (digits: string) => string) => {
    const code = (sign: string) => `\\u${written(sign.charCodeAt(0).toString(16).padStart(4, '0'))}`
    let text = quoted
    return escapedSigns.map((signs) => {
      text = text.replaceAll(signs, code)
      return text
    })
  }
  return [...escaped((digits) => digits), ...escaped((digits) => digits.toUpperCase())]
}

/** The spellings in URLs and HTML forms; libraries differ in them. */
function inUrls(text: string): readonly string[] {
  const sendable = wellFormed(text)
  const inUrl = encodeURIComponent(sendable)
  const strict = inUrl.replaceAll(/[!'()*]/g, asCode)
  const form = inUrl.replaceAll(/[!'()~]/g, asCode).replaceAll('%20', '+')
  // Forms differ in which characters they encode. Codes are decoded before, but "+" for a blank is not a code.
  const read = sendable.replaceAll(' ', '+')
  return [inUrl, strict, form, encodeURI(sendable), read].flatMap((each) => [each, withLowerHex(each)])
}

const asCode = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`

/** A lone surrogate cannot be encoded: it is sent as U+FFFD. */
const wellFormed = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString())

const withLowerHex = (text: string): string =>
  text.replaceAll(/%(?:[A-F][0-9A-F]|[0-9][A-F])/g, (code) => code.toLowerCase())

/** Letters in headers are one byte each, so UTF-8 appears as several letters. */
const inHeaders = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString('latin1'))

/** Letters outside ASCII are bytes of UTF-8 or, as in the logins of some clients, of Latin-1, if it has all of them. */
function inBytes(text: string): readonly string[] {
  const encodings = isAscii(text) || !isLatin1(text) ? (['utf8'] as const) : (['utf8', 'latin1'] as const)
  return encodings.flatMap((encoding) => {
    const hex = Buffer.from(text, encoding).toString('hex')
    return [...inBase64(Buffer.from(`\0\0${text}`, encoding)), hex, hex.toUpperCase()]
  })
}

/**
 * The bytes after the first two, in Base64, also as part of a longer text, such as a login. There, two bytes or one may come
 * before them in their group of three, and the characters at both ends also depend on the neighbours.
 */
function inBase64(bytes: Buffer): readonly string[] {
  const alone = bytes.toString('base64url', 2)
  const inside = [2, 1, 0].map((start) => {
    const bits = (bytes.length - start) * 8
    const whole = start === 2 ? alone : bytes.toString('base64url', start)
    return whole.slice(Math.ceil(((2 - start) * 8) / 6), Math.floor(bits / 6))
  })
  return [alone, ...inside].flatMap((each) =>
    /[-_]/.test(each) ? [each, each.replaceAll('-', '+').replaceAll('_', '/')] : [each],
  )
}
