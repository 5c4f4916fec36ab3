import { subscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import { once } from '../json/once.js'

/**
 * HTTP allows a server to send 100 Continue before an answer, even if nobody has asked for it, and some servers and proxies do.
 * undici takes it for an error and breaks the connection, so that it must not see it.
 */
export const hideUnaskedContinue = once(() =>
  subscribe('undici:client:sendHeaders', (message) => {
    const isSent = typeof message === 'object' && message !== null && 'socket' in message
    if (isSent && message.socket instanceof Socket) hideBeforeAnswer(message.socket)
  }),
)

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
