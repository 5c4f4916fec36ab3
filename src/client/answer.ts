import { STATUS_CODES } from 'node:http'
import type { Json, JsonObject } from '../json/json.js'
import { asList, isList, isObject, parseJson, textOf } from '../json/json.js'
import type { WireResponse } from '../ports/transport.js'
import { maskedValue } from '../secrets/mask.js'
import type { Complaint } from './types.js'

/** The content of a body. The content type is not used: platforms leave it out, or say JSON although the body is not. */
type Body = Objects | { readonly is: 'not-json' }

interface Objects {
  readonly is: 'objects'
  readonly objects: readonly JsonObject[]
  /**
   * Whether an answer to a list shows all objects. An empty body, null or other bare values do not: if they counted as "no
   * objects", everything would be created again. The document renders an empty list as `[""]`, or as bare `""`.
   */
  readonly areAll: boolean
}

/** The objects of an answer: an array, an array of one or a bare object; `[""]`, "" and an empty body contain none. */
export function readAnswer(body: string): Body {
  if (body.trim() === '') return { is: 'objects', objects: [], areAll: false }
  const value = parseJson(body)
  if (value === undefined) return { is: 'not-json' }
  const held = isList(value) ? value : [value]
  const objects = held.filter(isObject)
  const areAll = objects.length === held.length || held.every((each) => isObject(each) || each === '')
  return { is: 'objects', objects, areAll }
}

/** A list as it is; no value as an empty list; anything else as a list of one, because the document's examples show it bare. */
export function answeredList(value: Json | undefined): readonly Json[] {
  return value === '' ? [] : asList(value)
}

/** The content of an error answer, in any of the known forms. */
interface ErrorAnswer {
  readonly errorCode: string | undefined
  readonly message: string
  readonly complaints: readonly Complaint[]
  /** Whether the answer comes from the interface itself, and not from something in front of it. */
  readonly fromInterface: boolean
}

/**
 * Reads an error: an object or an array of them, a body with only `errors`, or the HTML of a gateway with its headers. Secrets
 * from the request are masked before any part is taken out or shortened. Without any text, the message is the meaning of the
 * status; the caller shows the status itself.
 */
export function readError({ status, body, headers }: WireResponse, mask: (text: string) => string): ErrorAnswer {
  const value = parseJson(body)
  const answers = answeredList(value === undefined ? undefined : maskedValue(value, mask))
  const objects = answers.filter(isObject)
  const complaints = answers.flatMap(complaintsOf)
  const errorCode = objects.map(errorCodeOf).find((code) => code !== undefined)
  const masked = { headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, mask(text)])) }
  const gateway = gatewayCode(masked)
  // A complaint has the same text, with its property.
  const repeated = new Set(complaints.map(({ message }) => message))
  const messages = objects.map(messageOf).filter((message) => message !== undefined && !repeated.has(message))
  const details = complaints.map(({ property, message }) => (property ? `${property}: ${message}` : message))
  const own = [...messages, ...details]
  const fallback = [masked.headers['x-error-detail-header'] ?? '', gateway ?? plainText(mask(body))]
  const words = (own.length > 0 ? own : fallback).filter((text) => text !== '')
  return {
    errorCode: errorCode ?? gateway,
    message: shortenedText([...new Set(words)].join('; '), 2_000) || (STATUS_CODES[status] ?? 'no reason is given'),
    complaints,
    fromInterface: complaints.length > 0 || objects.some((each) => errorCodeOf(each) !== undefined),
  }
}

function complaintsOf(answer: Json): readonly Complaint[] {
  if (typeof answer === 'string') return [{ property: undefined, message: answer }]
  if (!isObject(answer)) return []
  // The array of a validation response may contain the complaints themselves.
  const own = typeof answer.property === 'string' ? [answer] : []
  return [...own, ...answeredList(answer.errors)].map(complaintOf)
}

function complaintOf(value: Json): Complaint {
  if (!isObject(value)) return { property: undefined, message: String(value) }
  const property = typeof value.property === 'string' && value.property !== '' ? value.property : undefined
  const message = textOf(value.message) ?? messageOf(value) ?? JSON.stringify(value)
  return { property, message: shortenedText(message, 2_000) }
}

const errorCodeOf = (answer: JsonObject): string | undefined => textOf(answer.errorCode) ?? textOf(answer.error)

function messageOf(answer: JsonObject): string | undefined {
  const words = textOf(answer.errorMessage) ?? textOf(answer.error_description)
  if (words !== undefined || typeof answer.property === 'string') return words
  return textOf(answer.message) ?? textOf(answer.error)
}

/** Objects that are only errors, with a status of success: the document does not show the status of a failed call (A2). */
export const isErrorInDisguise = (response: WireResponse, objects: readonly JsonObject[]): boolean =>
  objects.length > 0 &&
  objects.every((object) => object.id === undefined) &&
  readError(response, (text) => text).fromInterface

/** "Error conditions (for example … unknown identifiers): not shown": these statuses mean that no object has the id. */
const noSuchObject = new Set([400, 404, 405, 410, 501])

/**
 * Whether an answer to the request for one object means that no object has the id. It does so by its status, or with a status of
 * success if it is empty or an error, unless the code of the error is another status (A362).
 */
export function saysNoObject(response: WireResponse): boolean {
  const { status, body } = response
  if (status < 200 || status > 299) return noSuchObject.has(status)
  const answer = readAnswer(body)
  if (answer.is === 'not-json') return false
  if (isErrorInDisguise(response, answer.objects)) return saysNoSuchObject(readError(response, (text) => text))
  return body.trim() === '' || holdsNothing(response)
}

/** Whether there is a body without content. Many platforms answer a write with no body at all (A370). */
export function holdsNothing({ body }: Pick<WireResponse, 'body'>): boolean {
  const value = parseJson(body)
  const isNothing = (each: Json) => each === null || each === '' || (isObject(each) && Object.keys(each).length === 0)
  return value !== undefined && answeredList(value).every(isNothing)
}

/** The same, except for 400, which may be about the request itself: the requested fields, or an unknown path. */
export const saysNone = (response: WireResponse): boolean => response.status !== 400 && saysNoObject(response)

/** Whether an error with a status of success may be about an unknown id: a code that is a number is the real status. */
const saysNoSuchObject = ({ errorCode = '' }: Pick<ErrorAnswer, 'errorCode'>): boolean =>
  !/^\d+$/.test(errorCode) || noSuchObject.has(Number(errorCode))

/** The code of an error from the gateway in front of the platform: the header whose name ends with -Error-Code. */
export function gatewayCode(response: Pick<WireResponse, 'headers'>): string | undefined {
  return Object.entries(response.headers).find(([name]) => name.endsWith('-error-code'))?.[1]
}

/**
 * The first words of a body without its tags; only the beginning of a large body is searched. The title of a page is left out if
 * the text repeats it, with or without the status: most pages do so in their first heading.
 */
export function plainText(body: string): string {
  const page = body.slice(0, 100_000).replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
  const [element = '', title = ''] = /<title\b[^<>]*>([\s\S]*?)<\/title>/i.exec(page) ?? []
  const text = withoutTags(page.replace(element, ' '))
  const isRepeated = text.includes(withoutTags(title).replace(/^\d{3}\b\W*/, ''))
  return shortenedText((isRepeated && text) || withoutTags(page), 200)
}

const withoutTags = (page: string): string =>
  page
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const shortenedText = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)
