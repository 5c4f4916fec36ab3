import { createHmac, hkdfSync } from 'node:crypto'
import { areaName, areaUrl } from '../catalog/base-url.js'
import type { Json } from '../json/json.js'
import type { Ports } from '../ports/ports.js'

/** What tells keys apart without showing them: a key of the user's own, or else the API secret. */
export const fingerprintKeyOf = (ports: Pick<Ports, 'env'>): string | undefined =>
  ports.env.GATEWRIGHT_FINGERPRINT_KEY || ports.env.GATEWRIGHT_API_SECRET || undefined

/** HMACs with a key of the user's own, else with one derived from the API secret; none without either. */
export function fingerprintOf(
  key: { readonly url: string; readonly area: string },
  ports: Pick<Ports, 'env'>,
): Fingerprint {
  const own = ports.env.GATEWRIGHT_FINGERPRINT_KEY
  const secret = ports.env.GATEWRIGHT_API_SECRET
  if (!own && !secret) return () => undefined
  const salt = `gatewright fingerprints ${areaUrl(key.url)} ${areaName(key.area)}`
  const hmacKey = own ? Buffer.from(own) : Buffer.from(hkdfSync('sha256', secret ?? '', salt, '', 32))
  return (value: Json) =>
    `hmac:${createHmac('sha256', hmacKey).update(JSON.stringify(value)).digest('hex').slice(0, 32)}`
}

/** A keyed fingerprint of a value, or undefined where there is no key. */
export type Fingerprint = (value: Json) => string | undefined
