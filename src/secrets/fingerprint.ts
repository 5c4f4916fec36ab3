import { createHmac, hkdfSync } from 'node:crypto'
import { areaName, areaUrl } from '../catalog/base-url.js'
import type { Json } from '../json/json.js'
import type { Ports } from '../ports/ports.js'
import { withoutBreak } from './without-break.js'

/** What tells keys apart without showing them: a key of the user's own, or else the API secret. */
export const fingerprintKeyOf = (ports: Pick<Ports, 'env'>): string | undefined =>
  withoutBreak(ports.env.GATEWRIGHT_FINGERPRINT_KEY) || withoutBreak(ports.env.GATEWRIGHT_API_SECRET) || undefined

/** Which area fingerprints are for: a key that is derived from the API secret is another one in every area. */
export interface FingerprintArea {
  readonly url: string
  readonly area: string
}

/**
 * HMACs with a key of the user's own, else with one derived from the API secret: that of the variables, or the one that the
 * project file gives. None without any.
 */
export function fingerprintOf(area: FingerprintArea, ports: Pick<Ports, 'env'>, apiSecret?: string): Fingerprint {
  let made: { readonly key: Buffer | undefined; readonly name: string } | undefined
  return (value) => {
    // With the first value: most runs have no secret, and no use for a key.
    made ??= namedKey(hmacKeyOf(area, ports, apiSecret))
    const { key, name } = made
    if (!key) return undefined
    const hmac = createHmac('sha256', key).update(JSON.stringify(value)).digest('hex').slice(0, 32)
    return `hmac:${name}:${hmac}`
  }
}

const namedKey = (key: Buffer | undefined) => ({ key, name: key ? keyId(key) : '' })

/** 8 hex digits by which keys are told apart. No JSON text begins with these words: it is never the fingerprint of a value. */
export const keyId = (key: Buffer): string =>
  createHmac('sha256', key).update('gatewright key').digest('hex').slice(0, 8)

/** The key that fingerprints and seals of an area are made with; undefined without a key and without an API secret. */
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

/** A keyed fingerprint of a value, or undefined where there is no key. */
export type Fingerprint = (value: Json) => string | undefined
