import { subscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import { once } from '../json/once.js'

/**
 * HTTP allows a server to send 100 Continue before an answer, even if nobody has asked for it, and some servers and proxies do.
 * undici takes it for an error and breaks the connection, so that it must not see it. The connections of other clients in this
 * process stay as they are, unless they are to the same origin.
 */
export const hideUnaskedContinueFrom = (origin: string): void => void origins().add(origin)

/** The origins whose answers are concerned. */
const origins = once(() => {
  const concerned = new Set<unknown>()
  subscribe('undici:client:sendHeaders', (message) => {
    if (isSent(message) && concerned.has(message.request.origin) && message.socket instanceof Socket)
      hideBeforeAnswer(message.socket)
  })
  return concerned
})

interface SentHeaders {
  readonly request: { readonly origin?: unknown }
  readonly socket: unknown
}

const isSent = (message: unknown): message is SentHeaders =>
  typeof message === 'object' &&
  message !== null &&
  'socket' in message &&
  'request' in message &&
  typeof message.request === 'object' &&
  message.request !== null

/** Until the answer begins, the socket returns only what comes after such messages. */
function hideBeforeAnswer(socket: Socket): void {
  if (Object.hasOwn(socket, 'read')) return
  const read = socket.read.bind(socket)
  let held: Buffer = Buffer.alloc(0)
  const answer = (): Buffer | null => {
    for (let part = read(); part !== null; part = read()) {
      held = withoutContinue(Buffer.concat([held, part]))
      if (held.length > 0 && !(beginsAsContinue(held) && held.length < longest)) return held
    }
    return null
  }
  socket.read = () => {
    const begun = answer()
    if (begun !== null) Reflect.deleteProperty(socket, 'read')
    return begun
  }
}

/** A longer message than any real one is not waited for. */
const longest = 2 ** 14

function withoutContinue(bytes: Buffer): Buffer {
  if (!beginsAsContinue(bytes)) return bytes
  const [found = ''] = /^(?:HTTP\/1\.[01] 100\b[\s\S]*?\r\n\r\n)+/.exec(bytes.toString('latin1')) ?? []
  return bytes.subarray(found.length)
}

/** Whether the first bytes are those of such a message, as far as they are there. */
const beginsAsContinue = (bytes: Buffer): boolean =>
  ['HTTP/1.1 100', 'HTTP/1.0 100'].some((start) => start.startsWith(bytes.toString('latin1', 0, start.length)))
