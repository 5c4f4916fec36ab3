import type { Json } from '../json/json.js'
import type { Answer } from './call.js'
import type { Refusal } from './refusal.js'
import type { Dialect } from './settings.js'

/** Content type of all JSON answers. */
const jsonHeaders = { 'content-type': 'application/json;charset=UTF-8' }

/** The response to a successful call. */
export function respond(dialect: Dialect, answer: Answer, indent: 'indented' | 'compact'): Response {
  switch (answer.is) {
    case 'list':
      return json(200, answer.items, indent, { 'x-total-count': String(answer.total) })
    case 'object':
      return json(200, dialect === 'document' ? [answer.item] : answer.item, indent)
    case 'gone':
      // "Rendered as an array holding one empty string" in the document. Recorded platforms send no body and no JSON content
      // type.
      return dialect === 'document' ? json(200, [''], indent) : new Response(null, { status: 200 })
  }
}

/** The validation response: an array in the document's dialect, one object in the recorded dialect. */
export function respondRefusal(dialect: Dialect, refusal: Refusal): Response {
  const body = {
    // "A number or a string" (field notes, Answers): public clients give the reason only if it is a number.
    errorCode: refusal.status,
    errorMessage: refusal.message,
    errors: refusal.complaints.map(({ property, message }) => ({ property, message })),
  }
  return json(refusal.status, dialect === 'document' ? [body] : body, 'compact')
}

function json(status: number, body: Json, indent: 'indented' | 'compact', more?: Record<string, string>): Response {
  const text = JSON.stringify(body, undefined, indent === 'indented' ? 2 : undefined)
  return new Response(text, { status, headers: { ...jsonHeaders, ...more } })
}
