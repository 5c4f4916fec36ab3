import { STATUS_CODES } from 'node:http'
import type { Json, JsonObject } from '../json/json.js'
import { asList, isList, isObject, parseJson, textOf } from '../json/json.js'
import type { WireResponse } from '../ports/transport.js'
import { maskedValue } from '../secrets/mask.js'
import type { Complaint } from './types.js'

/** What a body holds. The content type is not asked: platforms leave it out, or name JSON where there is none. */
export type Body = Objects | { readonly is: 'not-json' }

interface Objects {
  readonly is: 'objects'
  readonly objects: readonly JsonObject[]
  /**
   * Whether an answer to a list tells what there is. Nothing at all, null or bare values do not: who took them for "no
   * objects" would create everything once more. `[""]`, or bare `""`, is how the document renders an empty one.
   */
  readonly areAll: boolean
}

/** The objects of an answer: an array, an array of one or a bare object; `[""]`, "" and nothing hold none. */
export function readAnswer(body: string): Body {
  if (body.trim() === '') return { is: 'objects', objects: [], areAll: false }
  const value = parseJson(body)
  if (value === undefined) return { is: 'not-json' }
  const held = isList(value) ? value : [value]
  const objects = held.filter(isObject)
  const areAll = objects.length === held.length || held.every((each) => isObject(each) || each === '')
  return { is: 'objects', objects, areAll }
}

/** A list as it is, nothing as an empty one, anything else as a list of one: the document's examples show it bare. */
export function listOf(value: Json | undefined): readonly Json[] {
  return value === '' ? [] : asList(value)
}

/** What an error answer says, in whatever of the known forms. */
export interface ErrorAnswer {
  readonly errorCode: string | undefined
  readonly message: string
  readonly complaints: readonly Complaint[]
  /** Whether the interface itself answered, and not something in front of it. */
  readonly fromInterface: boolean
}

/**
 * Reads an error: an object or an array of them, a body with only `errors`, or the HTML of a gateway with its headers. What
 * the platform repeats of a request is hidden before anything is taken out of it or cut. Without a word its message is what
 * the status means; the status itself is told by whoever shows the message.
 */
export function readError({ status, body, headers }: WireResponse, mask: (text: string) => string): ErrorAnswer {
  const value = parseJson(body)
  const answers = listOf(value === undefined ? undefined : maskedValue(value, mask))
  const objects = answers.filter(isObject)
  const complaints = answers.flatMap(complaintsOf)
  const errorCode = objects.map(errorCodeOf).find((code) => code !== undefined)
  const masked = { headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, mask(text)])) }
  const gateway = gatewayCode(masked)
  // A complaint says the same with its property.
  const repeated = new Set(complaints.map(({ message }) => message))
  const said = objects.map(messageOf).filter((message) => message !== undefined && !repeated.has(message))
  const details = complaints.map(({ property, message }) => (property ? `${property}: ${message}` : message))
  const own = [...said, ...details]
  const fallback = [masked.headers['x-error-detail-header'] ?? '', gateway ?? plainText(mask(body))]
  const words = (own.length > 0 ? own : fallback).filter((text) => text !== '')
  return {
    errorCode: errorCode ?? gateway,
    message: shortened([...new Set(words)].join('; '), 2_000) || (STATUS_CODES[status] ?? 'no reason is given'),
    complaints,
    fromInterface: complaints.length > 0 || objects.some((each) => errorCodeOf(each) !== undefined),
  }
}

function complaintsOf(answer: Json): readonly Complaint[] {
  if (typeof answer === 'string') return [{ property: undefined, message: answer }]
  if (!isObject(answer)) return []
  // An array of validation responses may hold the complaints themselves.
  const own = typeof answer.property === 'string' ? [answer] : []
  return [...own, ...listOf(answer.errors)].map(complaintOf)
}

function complaintOf(value: Json): Complaint {
  if (!isObject(value)) return { property: undefined, message: String(value) }
  const property = typeof value.property === 'string' && value.property !== '' ? value.property : undefined
  const message = textOf(value.message) ?? messageOf(value) ?? JSON.stringify(value)
  return { property, message: shortened(message, 2_000) }
}

const errorCodeOf = (answer: JsonObject): string | undefined => textOf(answer.errorCode) ?? textOf(answer.error)

function messageOf(answer: JsonObject): string | undefined {
  const words = textOf(answer.errorMessage) ?? textOf(answer.error_description)
  if (words !== undefined || typeof answer.property === 'string') return words
  return textOf(answer.message) ?? textOf(answer.error)
}

/** Objects that are nothing but errors, under a status of success: the document shows no status of a failed call (A2). */
export const isErrorInDisguise = (response: WireResponse, objects: readonly JsonObject[]): boolean =>
  objects.length > 0 &&
  objects.every((object) => object.id === undefined) &&
  readError(response, (text) => text).fromInterface

/** "Error conditions (for example … unknown identifiers): not shown": these statuses say that there is none of that id. */
const noSuchObject = new Set([400, 404, 405, 410, 501])

/**
 * Whether an answer to the request for one object says that there is none of that id: by its status or, under a status of
 * success, with nothing in it or with an error of which the code is no other status (A362).
 */
export function saysNoObject(response: WireResponse): boolean {
  const { status, body } = response
  if (status < 200 || status > 299) return noSuchObject.has(status)
  const answer = readAnswer(body)
  if (answer.is === 'not-json') return false
  if (isErrorInDisguise(response, answer.objects)) return saysNoSuchObject(readError(response, (text) => text))
  return body.trim() === '' || holdsNothing(response)
}

/** Whether a body is there and has nothing in it; none at all is what many answer to a write (A370). */
export function holdsNothing({ body }: Pick<WireResponse, 'body'>): boolean {
  const value = parseJson(body)
  const isNothing = (each: Json) => each === null || each === '' || (isObject(each) && Object.keys(each).length === 0)
  return value !== undefined && listOf(value).every(isNothing)
}

/** The same where a 400 may be about the question itself: the fields that were asked for, or a path that is not known. */
export const saysNone = (response: WireResponse): boolean => response.status !== 400 && saysNoObject(response)

/** Whether an error under a status of success may be about an unknown id: a code that is a number is the status that was meant. */
const saysNoSuchObject = ({ errorCode = '' }: Pick<ErrorAnswer, 'errorCode'>): boolean =>
  !/^\d+$/.test(errorCode) || noSuchObject.has(Number(errorCode))

/** The code of an error of the gateway in front: the header whose name ends in -Error-Code. */
export function gatewayCode(response: Pick<WireResponse, 'headers'>): string | undefined {
  return Object.entries(response.headers).find(([name]) => name.endsWith('-error-code'))?.[1]
}

/**
 * The first words of a body without its tags; nobody looks for them through megabytes. The title of a page is left out if the
 * page says it again, as most do in their first heading: there without the status.
 */
export function plainText(body: string): string {
  const page = body.slice(0, 100_000).replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ')
  const [element = '', title = ''] = /<title\b[^<>]*>([\s\S]*?)<\/title>/i.exec(page) ?? []
  const text = withoutTags(page.replace(element, ' '))
  const isRepeated = text.includes(withoutTags(title).replace(/^\d{3}\b\W*/, ''))
  return shortened((isRepeated && text) || withoutTags(page), 200)
}

const withoutTags = (page: string): string =>
  page
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)
