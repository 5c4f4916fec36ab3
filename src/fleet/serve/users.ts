import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { plainAddress } from '../address.js'
import type { ServeSettings } from '../fleet.js'

/** Who may decide, and how the server knows. */
export type PageSettings = Pick<ServeSettings, 'userHeader' | 'trustedProxies' | 'origin'>

/** What of a request says who sent it. */
export interface Caller {
  /** The address of the connection; never what a header says. */
  readonly address: string
  readonly header: (name: string) => string | undefined
}

/** The signed-in user; undefined unless the one header of the settings says so, on a connection of a known proxy. */
export function userOf({ userHeader, trustedProxies }: PageSettings, { address, header }: Caller): string | undefined {
  if (userHeader === undefined || !isOneOf(trustedProxies, address)) return undefined
  const name = header(userHeader)?.trim() ?? ''
  // Two headers of one name are joined by a comma: somebody put in one of their own.
  return name === '' || name.length > 200 || name.includes(',') ? undefined : name
}

function isOneOf(addresses: readonly string[], address: string): boolean {
  const plain = plainAddress(address)
  return plain !== undefined && addresses.some((each) => plainAddress(each) === plain)
}

/**
 * Whether the pages may be asked by that name: a name of somebody else's that leads to this machine must not read them. Behind
 * a proxy the name is that of the origin. `listensAt`: what the server was told to listen at; an address is nobody's name.
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

/** Whether a form was sent by one of our own pages. */
export function isOwnOrigin({ origin }: PageSettings, { header }: Caller): boolean {
  const from = header('origin')
  if (from === undefined) return false
  if (origin !== undefined) return from === new URL(origin).origin
  return from === `http://${header('host') ?? ''}`
}

/** The value of the cookie that binds forms to a browser. */
export const newSession = (): string => randomBytes(16).toString('hex')

export const isSession = (value: string | undefined): value is string =>
  value !== undefined && /^[0-9a-f]{32}$/.test(value)

/** What a form must bring back: nobody can make it who knows neither the secret nor the browser's cookie. */
export const tokenOf = (secret: string, session: string, user: string): string =>
  createHmac('sha256', secret).update(`${session}\n${user}`).digest('hex')

export function isToken(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
