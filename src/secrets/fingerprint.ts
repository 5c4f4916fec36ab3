import { createHmac, hkdfSync } from 'node:crypto'
import { areaName, areaUrl } from '../catalog/base-url.js'
import type { Json } from '../json/json.js'
import type { Ports } from '../ports/ports.js'
import { withoutBreak } from './without-break.js'

/** The key for the short hashes that distinguish package keys: the user's own, or else the API secret. */
export const fingerprintKeyOf = (ports: Pick<Ports, 'env'>): string | undefined =>
  withoutBreak(ports.env.GATEWRIGHT_FINGERPRINT_KEY) || withoutBreak(ports.env.GATEWRIGHT_API_SECRET) || undefined

/** The area that fingerprints are for: the key that is derived from the API secret differs for every area. */
export interface FingerprintArea {
  readonly url: string
  readonly area: string
}

/**
 * Makes HMACs with the user's own key, or with one that is derived from the API secret: that of the variables, or that of the
 * project file. Without any of them it makes none.
 */
export function fingerprintOf(area: FingerprintArea, ports: Pick<Ports, 'env'>, apiSecret?: string): Fingerprint {
  let made: { readonly key: Buffer | undefined; readonly name: string } | undefined
  return (value) => {
    // Made for the first value: most runs have no secrets, and need no key.
    made ??= namedKey(hmacKeyOf(area, ports, apiSecret))
    const { key, name } = made
    if (!key) return undefined
    const hmac = createHmac('sha256', key).update(JSON.stringify(value)).digest('hex').slice(0, 32)
    return `hmac:${name}:${hmac}`
  }
}

const namedKey = (key: Buffer | undefined) => ({ key, name: key ? keyId(key) : '' })

/** 8 hex digits that identify a key. No JSON text begins with these words, so it is never the fingerprint of a value. */
export const keyId = (key: Buffer): string =>
  createHmac('sha256', key).update('gatewright key').digest('hex').slice(0, 8)

/** The key for fingerprints and seals of an area; undefined if there is neither a key nor an API secret. */
export function hmacKeyOf(
  { url, area }: FingerprintArea,
  { env }: Pick<Ports, 'env'>,
  apiSecret?: string,
): Buffer | undefined {
  const own = withoutBreak(env.GATEWRIGHT_FINGERPRINT_KEY)
  const secret = withoutBreak(env.GATEWRIGHT_API_SECRET) || withoutBreak(apiSecret)
  if (own) return Buffer.from(own)
  if (!secret) return undefined
  const salt = `gatewright fingerprints ${areaUrl(url)} ${areaName(area)}`
  return Buffer.from(hkdfSync('sha256', secret, salt, '', 32))
}

/** A keyed fingerprint of a value, or undefined if there is no key. */
export type Fingerprint = (value: Json) => string | undefined
