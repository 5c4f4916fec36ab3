import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { plainAddress } from '../address.js'
import type { ServeSettings } from '../fleet.js'

/** The settings that determine who may decide. */
type PageSettings = Pick<ServeSettings, 'userHeader' | 'trustedProxies' | 'origin'>

/** The parts of a request that identify the sender. */
export interface Caller {
  /** The address of the connection, never a value from a header. */
  readonly address: string
  readonly header: (name: string) => string | undefined
}

/**
 * The signed-in user, from the header that the settings name, if the connection comes from a trusted proxy; otherwise undefined.
 */
export function userOf({ userHeader, trustedProxies }: PageSettings, { address, header }: Caller): string | undefined {
  if (userHeader === undefined || !isOneOf(trustedProxies, address)) return undefined
  const name = header(userHeader)?.trim() ?? ''
  // Two headers with the same name are joined by a comma: somebody has added one.
  return name === '' || name.length > 200 || name.includes(',') ? undefined : name
}

function isOneOf(addresses: readonly string[], address: string): boolean {
  const plain = plainAddress(address)
  return plain !== undefined && addresses.some((each) => plainAddress(each) === plain)
}

/**
 * Whether the host name of a request is one of our own. A foreign name that resolves to this machine must not be able to read the
 * pages (DNS rebinding). If there is a proxy, the host of the origin is accepted too. `listensAt`: where the server listens, as
 * configured. IP addresses are always accepted, because nobody can register them as a name.
 */
export function isOwnHost({ origin }: PageSettings, host: string | undefined, listensAt: string): boolean {
  if (host === undefined) return false
  if (origin !== undefined && host === new URL(origin).host) return true
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return (
    ['localhost', listensAt.toLowerCase()].includes(name) ||
    plainAddress(name.replace(/^\[(.*)\]$/, '$1')) !== undefined
  )
}

/** Whether a form was sent from one of our own pages. */
export function isOwnOrigin({ origin }: PageSettings, { header }: Caller): boolean {
  const from = header('origin')
  if (from === undefined) return false
  if (origin !== undefined) return from === new URL(origin).origin
  return from === `http://${header('host') ?? ''}`
}

/** A new value for the cookie that binds forms to a browser. */
export const newSession = (): string => randomBytes(16).toString('hex')

export const isSession = (value: string | undefined): value is string =>
  value !== undefined && /^[0-9a-f]{32}$/.test(value)

/** The token that a form must contain. Nobody can make it without the secret and the browser's cookie. */
export const tokenOf = (secret: string, session: string, user: string): string =>
  createHmac('sha256', secret).update(`${session}\n${user}`).digest('hex')

export function isToken(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
