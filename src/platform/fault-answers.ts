import { kinds } from '../catalog/queries.js'
import type { Json } from '../json/json.js'
import { isList, isObject, withoutMembers } from '../json/json.js'

/** What an answer contains instead of the usual body. `usual`, `no-id` and `no-name` are derived from the usual body. */
export type BodyWord = (typeof bodyWords)[number]

export const bodyWords = [
  'object',
  'array',
  'error',
  'message',
  'errors',
  'braces',
  'items',
  'list',
  'null',
  'html',
  'empty',
  'usual',
  'no-id',
  'no-name',
] as const

/** The words for bodies that do not depend on the usual one. */
export type FixedWord = Exclude<BodyWord, 'usual' | 'no-id' | 'no-name'>

export const isFixed = (body: BodyWord): body is FixedWord => body !== 'usual' && body !== 'no-id' && body !== 'no-name'

/** A fixed answer; `blamed` is the property in the error. */
export function fixedAnswer(status: number, word: FixedWord, blamed?: string): Response {
  const [type, text] = fixedBody(status, word, blamed)
  return answerWith(status, text, { 'content-type': type })
}

/** The answer to a successful call, with another status and another body. */
export async function changedAnswer(usual: Response, status: number, word: BodyWord): Promise<Response> {
  if (isFixed(word)) return fixedAnswer(status, word)
  const text = await usual.text()
  const headers = new Headers(usual.headers)
  headers.delete('content-length')
  return answerWith(
    status,
    word === 'usual' ? text : withoutFields(text, word === 'no-id' ? ['id'] : namingFields),
    headers,
  )
}

/** Some statuses allow no body, so it is left out. */
const answerWith = (status: number, text: string, headers: Headers | Record<string, string>): Response =>
  new Response(text === '' || status === 204 || status === 205 || status === 304 ? null : text, { status, headers })

const json = 'application/json;charset=UTF-8'

function fixedBody(status: number, word: FixedWord, blamed: string | undefined): readonly [type: string, text: string] {
  if (word === 'empty') return ['text/plain', '']
  if (word === 'html') return ['text/html', `<html><body>${status < 400 ? 'Sign in' : `Error ${status}`}</body></html>`]
  return [json, JSON.stringify(jsonBody(status, word, blamed))]
}

function jsonBody(status: number, word: Exclude<FixedWord, 'empty' | 'html'>, blamed: string | undefined): Json {
  const errors = blamed === undefined ? {} : { errors: [{ property: blamed, message: 'fault' }] }
  const error = { errorCode: status, errorMessage: 'fault', ...errors }
  switch (word) {
    case 'object':
      return error
    case 'array':
      return [error]
    case 'error':
      return { error: 'fault' }
    case 'message':
      return { message: 'fault' }
    case 'errors':
      return { errors: [{ message: 'fault' }] }
    case 'braces':
      return {}
    case 'items':
      return { items: [], total: 0 }
    case 'list':
      return []
    case 'null':
      return null
  }
}

const namingFields: readonly string[] = kinds.flatMap(({ naming }) =>
  naming === undefined || naming === 'id' ? [] : naming,
)

/** The usual body without these fields in its objects. Nested objects keep the fields. */
function withoutFields(text: string, fields: readonly string[]): string {
  if (text === '') return text
  const body: Json = JSON.parse(text)
  const strip = (item: Json): Json => (isObject(item) ? withoutMembers(item, fields) : item)
  return JSON.stringify(isList(body) ? body.map(strip) : strip(body))
}
