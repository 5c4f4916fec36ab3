import type { Json } from '../json/json.js'
import { isList, someText, textsIn } from '../json/json.js'
import type { Mask } from '../ports/mask.js'
import type { Ports } from '../ports/ports.js'
import {
  type DecodedText,
  decodedForms,
  decodedReadings,
  readingsOfBytes,
  unwrappedReadings,
  writtenBytes,
} from './decoded.js'
import { hiddenText } from './hidden-words.js'
import { beginningOf, type Spellings, shortest, spellingsOf } from './spellings.js'

/** Whether a text or a number inside a value contains a secret. */
export const holdsSecret = (value: Json, mask: (text: string) => string): boolean =>
  someText(value, (text) => mask(text) !== text)

/** Hides secrets in a text; `short`: secrets that it does not look for. */
export interface Hiding {
  (text: string): string
  readonly short?: ReadonlySet<string>
}

/**
 * The same for live values, for which no manifest says where secrets are. A secret that is too short to be searched for in other
 * texts is found if it is a whole text (A112).
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

/** Every secret that the program knows so far, to mask it in the platform's answers. */
export function secretsOf(
  manifests: { readonly secrets: readonly string[] },
  ports: Pick<Ports, 'env'>,
): readonly string[] {
  const login = ['GATEWRIGHT_API_KEY', 'GATEWRIGHT_API_SECRET', 'GATEWRIGHT_PASSWORD']
  const own = ['GATEWRIGHT_TOKEN', ...login, 'GATEWRIGHT_FINGERPRINT_KEY']
  const keys = ports.env.SOPS_AGE_KEY?.match(/AGE-SECRET-KEY-[0-9A-Z-]+/g) ?? []
  return [...manifests.secrets, ...own.flatMap((name) => ports.env[name] ?? []), ...keys]
}

/** A mask for these secrets, in every spelling that a text may contain. */
export function masking(secrets: readonly string[]): Mask {
  const spellings = new KnownSpellings()
  const short = new Set<string>()
  const mask = (text: string): string => spellings.hiddenIn(text, decodedReadings)
  const learn = (...learned: readonly (string | undefined)[]): void => {
    for (const secret of learned) {
      if (secret === undefined) continue
      spellings.learn(secret)
      if (secret.length > 1 && secret.length < shortest) short.add(secret)
    }
  }
  for (const secret of secrets) learn(secret)
  const cutOff = (text: string): string => {
    const whole = spellings.hiddenInBytes(spellings.hiddenIn(mask(text), unwrappedReadings))
    return spellings.hiddenInAnyCase(spellings.withoutBeginnings(whole))
  }
  return Object.assign(mask, { learn, cutOff, short, fields: new Set<string>() })
}

/** All spellings of the known secrets, found by their first characters: an area may have thousands, and many start alike. */
class KnownSpellings {
  readonly #secrets = new Set<string>()
  readonly #beginnings = new Map<string, Beginning>()
  /**
   * The same for the secrets in small letters, and for how many of them. Made when a text is first read without regard to case.
   */
  #small: KnownSpellings | undefined
  #smallOf = 0
  /** Whether any secret starts like that; one number stands for several beginnings. */
  readonly #starts = new Uint8Array(2 ** 16)

  learn(secret: string): void {
    if (this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    // If a secret contains codes itself, it may also appear decoded.
    for (const form of [secret, ...decodedForms(secret)])
      for (const spellings of spellingsOf(form)) this.#expect(spellings)
  }

  #expect({ beginnings, all }: Spellings): void {
    let isMade = false
    const make = () => {
      if (isMade) return
      isMade = true
      for (const spelling of all())
        if (spelling.length >= shortest) this.#beginning(beginningOf(spelling)).add(spelling)
    }
    for (const beginning of beginnings) {
      this.#starts[startNumber(beginning, 0)] = 1
      this.#beginning(beginning).expect(make)
    }
  }

  #beginning(text: string): Beginning {
    const known = this.#beginnings.get(text) ?? new Beginning()
    this.#beginnings.set(text, known)
    return known
  }

  /** A text without the secrets in it, as it is written and in other readings of it. */
  hiddenIn(text: string, readingsOf: (text: string) => Iterable<DecodedText>): string {
    if (this.#beginnings.size === 0) return text
    const spans = this.#spansIn(text)
    for (const reading of readingsOf(text)) spans.push(...this.#spansIn(reading.text).map(placed(reading)))
    return withoutSpans(text, spans)
  }

  #spansIn(text: string): Span[] {
    const spans: Span[] = []
    for (let at = 0; at + shortest <= text.length; at += 1) {
      const found = this.#beginningAt(text, at)?.longestAt(text, at)
      if (found !== undefined) spans.push({ start: at, end: at + found })
    }
    return spans
  }

  #beginningAt(text: string, at: number): Beginning | undefined {
    if (this.#starts[startNumber(text, at)] !== 1) return undefined
    return this.#beginnings.get(text.slice(at, at + shortest))
  }

  /** A text without the parts that stand for bytes with a secret in them. */
  hiddenInBytes(text: string): string {
    if (this.#beginnings.size === 0) return text
    const holdsAny = (read: string): boolean => this.hiddenIn(read, decodedReadings) !== read
    const shownPart = (part: string): string => ([...readingsOfBytes(part)].some(holdsAny) ? hiddenText : part)
    return writtenBytes.reduce((shown, parts) => shown.replaceAll(parts, shownPart), text)
  }

  /** Some platforms write host names, mail addresses and codes in letters of one case. */
  hiddenInAnyCase(text: string): string {
    this.#small ??= new KnownSpellings()
    if (this.#smallOf !== this.#secrets.size)
      for (const secret of this.#secrets) this.#small.learn(secret.toLowerCase())
    this.#smallOf = this.#secrets.size
    const small = text.toLowerCase()
    return small.length === text.length ? withoutSpans(text, this.#small.#spansIn(small)) : text
  }

  /** A text in which incomplete beginnings of secrets are hidden. */
  withoutBeginnings(text: string): string {
    const spans = this.#beginningsIn(text)
    for (const reading of decodedReadings(text)) spans.push(...this.#beginningsIn(reading.text).map(placed(reading)))
    return withoutSpans(text, spans)
  }

  #beginningsIn(text: string): Span[] {
    const spans: Span[] = []
    // A code that was cut off is not a character of its own.
    const end = text.search(/(?:%[\da-f]?|&#?\w{0,9}|[\\%](?:u\{?[\da-f]{0,5})?)?$/i)
    for (let at = 0; at + shortest <= text.length; at += 1) {
      const length = this.#beginningAt(text, at)?.beginningLengthAt(text, at) ?? 0
      if (length < shortestBeginning && (length < shortest || at + length < end)) continue
      spans.push({ start: at, end: at + length })
      at += length - 1
    }
    return spans
  }
}

/** A part of a text. */
interface Span {
  readonly start: number
  readonly end: number
}

/** Converts a part of a decoded text to the written text. */
const placed =
  ({ starts }: DecodedText) =>
  ({ start, end }: Span): Span => ({ start: starts[start] ?? 0, end: starts[end] ?? 0 })

/** A text in which these parts are replaced; overlapping parts are replaced once. */
function withoutSpans(text: string, spans: Span[]): string {
  if (spans.length === 0) return text
  let hidden = ''
  let displayed = 0
  for (const { start, end } of spans.sort((one, other) => one.start - other.start)) {
    if (start >= displayed) hidden += `${text.slice(displayed, start)}${hiddenText}`
    displayed = Math.max(displayed, end)
  }
  return hidden + text.slice(displayed)
}

/** The spellings with the same beginning; they are made when a text contains that beginning. */
class Beginning {
  #unmade: (() => void)[] = []
  readonly #spellings = new Set<string>()
  /** Their lengths, longest first. */
  readonly #lengths: number[] = []
  /** The same spellings in order, made on request. */
  #inOrder: readonly string[] = []

  expect(make: () => void): void {
    this.#unmade.push(make)
  }

  add(spelling: string): void {
    if (this.#spellings.has(spelling)) return
    this.#spellings.add(spelling)
    if (this.#lengths.includes(spelling.length)) return
    this.#lengths.push(spelling.length)
    this.#lengths.sort((one, other) => other - one)
  }

  #make(): void {
    if (this.#unmade.length === 0) return
    for (const make of this.#unmade) make()
    this.#unmade = []
  }

  /** The length of the longest spelling in a text at an offset. */
  longestAt(text: string, at: number): number | undefined {
    this.#make()
    return this.#lengths.find((length) => this.#spellings.has(text.slice(at, at + length)))
  }

  /**
   * How many characters of a text, from an offset on, are the beginning of a spelling. Of the sorted spellings, only the
   * neighbours must be compared.
   */
  beginningLengthAt(text: string, at: number): number {
    this.#make()
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

/** An ordinary word seldom has so many characters in common with a secret. */
const shortestBeginning = 8

/** No message shows the rest of a longer beginning. */
const longestBeginning = 10_000

function commonLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1
  return length
}

/** A number for four characters, from an offset on. */
const startNumber = (text: string, at: number): number =>
  (text.charCodeAt(at) ^
    (text.charCodeAt(at + 1) << 3) ^
    (text.charCodeAt(at + 2) << 6) ^
    (text.charCodeAt(at + 3) << 9)) &
  0xffff
