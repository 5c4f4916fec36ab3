/** One complaint in a validation response: the property and the message. */
export interface RefusalDetail {
  readonly property: string
  readonly message: string
}

/** Thrown to refuse a request: the transaction is undone, and the answer contains the complaints. */
export class Refusal extends Error {
  readonly status: 400 | 404 | 405
  readonly complaints: readonly RefusalDetail[]

  constructor(status: 400 | 404 | 405, message: string, complaints: readonly RefusalDetail[] = []) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.complaints = complaints
  }
}

/** Refuses with one complaint about one property. */
export function refuse(property: string, message: string): never {
  throw new Refusal(400, message, [{ property, message }])
}

/** Refuses with 404: no object has that id. */
export function notFound(what: string, id: string): never {
  throw new Refusal(404, `${what} '${id}' was not found.`)
}
