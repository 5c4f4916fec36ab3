/** A decoded text, and where each of its characters begins in the written one; the last entry is the end of the written text. */
export interface DecodedText {
  readonly text: string
  readonly starts: ArrayLike<number>
}

/** Nobody encodes a body more often. */
const deepest = 3

/**
 * A text after its codes are decoded, those of URLs, HTML and JSON, and then the codes in the result, because a program that
 * repeats a request may nest them. Nothing for a text without codes.
 */
export function* decodedReadings(text: string): Generator<DecodedText, void> {
  let last = text
  let starts: DecodedText['starts'] | undefined
  for (let depth = 0; depth < deepest && last.search(codes) !== -1; depth += 1) {
    const reading = replaced(last, starts, codes, signsOf)
    if (reading.text === last) return
    yield reading
    last = reading.text
    starts = reading.starts
  }
}

/** A text after its codes are decoded, and after the codes in the result are decoded. */
export const decodedForms = (text: string): readonly string[] =>
  [...decodedReadings(text)].map((reading) => reading.text)

/** A text of several lines as one line, in two forms: each line end is left out, or is a blank. Pages wrap what they show. */
export function* unwrappedReadings(text: string): Generator<DecodedText, void> {
  if (!/[\r\n]/.test(text)) return
  for (const sign of ['', ' '])
    yield replaced(text, undefined, /[^\S\r\n]*[\r\n]\s*/g, ([found]) => [{ sign, width: found.length }])
}

/**
 * Parts of a text that may be bytes: in hex, whatever is between the bytes, or in Base64. They are looked for one after the
 * other, because Base64 may begin with letters of hex.
 */
export const writtenBytes = [/[\da-f][\da-f\s:,;=\\x-]{6,9999}[\da-f]/gi, /[\w+/-]{8,9999}/g]

/**
 * The texts that such a part may stand for, each byte as a letter. Other characters may come before the first byte. In UTF-16
 * every second byte of most letters is 0.
 */
export function* readingsOfBytes(written: string): Generator<string, void> {
  const digits = written.replaceAll(/0x|[^\da-f]/gi, '')
  const hex = [0, 1].map((start) => Buffer.from(digits.slice(start), 'hex'))
  const base64 = [0, 1, 2, 3].map((start) => Buffer.from(written.slice(start), 'base64'))
  for (const bytes of [...hex, ...base64]) {
    const text = bytes.toString('latin1')
    yield text
    if (text.includes('\0')) yield text.replaceAll('\0', '')
  }
}

/** The character that a part of a text stands for, and the length of the part. */
interface Sign {
  readonly sign: string
  readonly width: number
}

/** `starts`: where the characters of `text` begin, if it is decoded itself. A replacement is never longer than its part. */
function replaced(
  text: string,
  starts: DecodedText['starts'] | undefined,
  pattern: RegExp,
  read: (found: RegExpExecArray) => readonly Sign[],
): DecodedText {
  const parts: string[] = []
  const places = new Uint32Array(text.length + 1)
  let length = 0
  let end = 0
  const place = (): void => {
    places[length] = starts?.[end] ?? end
    length += 1
  }
  const keep = (upTo: number): void => {
    parts.push(text.slice(end, upTo))
    for (; end < upTo; end += 1) place()
  }
  for (const found of text.matchAll(pattern)) {
    keep(found.index)
    for (const { sign, width } of read(found)) {
      parts.push(sign)
      for (let count = 0; count < sign.length; count += 1) place()
      end += width
    }
  }
  keep(text.length)
  place()
  return { text: parts.join(''), starts: places }
}

const codes =
  /(?<bytes>(?:%[\da-f]{2})+)|&#(?<decimal>\d{1,7});?|(?:&#x|\\u\{)(?<hex>[\da-f]{1,6})[;}]?|&(?<name>[a-z][a-z\d]{1,9});|[\\%]u(?<unit>[\da-f]{4})|\\(?:x(?<byte>[\da-f]{2})|(?<escaped>["'\\/bfnrt]))/gi

function signsOf({ 0: found, groups = {} }: RegExpExecArray): readonly Sign[] {
  const { bytes, decimal, hex, name, unit, byte, escaped } = groups
  const whole = (sign: string): readonly Sign[] => [{ sign, width: found.length }]
  if (bytes !== undefined) return inBytes(Buffer.from(bytes.replaceAll('%', ''), 'hex'))
  if (escaped !== undefined) return whole(escapes[escaped] ?? escaped)
  if (name !== undefined) return whole(entities[name] ?? entities[name.toLowerCase()] ?? found)
  const code = decimal === undefined ? Number.parseInt(hex ?? unit ?? byte ?? '', 16) : Number(decimal)
  return whole(code > 0x10ffff ? found : String.fromCodePoint(code))
}

/** The bytes in a URL are UTF-8, or else letters of Latin-1. */
function inBytes(bytes: Buffer): readonly Sign[] {
  const text = bytes.toString()
  const isUtf8 = Buffer.from(text).equals(bytes)
  const signs = [...(isUtf8 ? text : bytes.toString('latin1'))]
  return signs.map((sign) => ({ sign, width: isUtf8 ? 3 * Buffer.byteLength(sign) : 3 }))
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** The names of HTML 4 for Latin-1, in order from U+00A0 on, and those of HTML 5 for ASCII punctuation. */
const latin =
  ' |iexcl|cent|pound|curren|yen|brvbar|sect|uml|copy|ordf|laquo|not|shy|reg|macr|deg|plusmn|sup2|sup3|acute|micro|para|middot|cedil|sup1|ordm|raquo|frac14|frac12|frac34|iquest|Agrave|Aacute|Acirc|Atilde|Auml|Aring|AElig|Ccedil|Egrave|Eacute|Ecirc|Euml|Igrave|Iacute|Icirc|Iuml|ETH|Ntilde|Ograve|Oacute|Ocirc|Otilde|Ouml|times|Oslash|Ugrave|Uacute|Ucirc|Uuml|Yacute|THORN|szlig|agrave|aacute|acirc|atilde|auml|aring|aelig|ccedil|egrave|eacute|ecirc|euml|igrave|iacute|icirc|iuml|eth|ntilde|ograve|oacute|ocirc|otilde|ouml|divide|oslash|ugrave|uacute|ucirc|uuml|yacute|thorn|yuml'

const entities: Readonly<Record<string, string>> = {
  ...Object.fromEntries(latin.split('|').map((name, index) => [name, String.fromCharCode(0xa0 + index)])),
  ...{ nbsp: ' ', amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", tab: '\t', newline: '\n', excl: '!', num: '#' },
  ...{ dollar: '$', percnt: '%', lpar: '(', rpar: ')', ast: '*', plus: '+', comma: ',', period: '.', sol: '/' },
  ...{ colon: ':', semi: ';', equals: '=', quest: '?', commat: '@', lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']' },
  ...{ rbrack: ']', hat: '^', lowbar: '_', grave: '`', lcub: '{', lbrace: '{', verbar: '|', vert: '|', rcub: '}' },
  ...{ rbrace: '}', euro: '€', ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', hellip: '…' },
}
