import { createHmac } from 'node:crypto'
import type { Json } from '../json/json.js'
import { canonicalText } from '../json/order.js'
import type { Ports } from '../ports/ports.js'
import { type FingerprintArea, hmacKeyOf } from './fingerprint.js'

/** What tells that nobody has changed a document who does not have the key (A150). */
export interface Seal {
  /** 8 hex digits by which another key is told from a changed document. */
  readonly key: string
  /** HMAC-SHA256 of the document in canonical order, in hex. */
  readonly hmac: string
}

/** The seal of a document with the fingerprint key of the area; undefined where there is no key. */
export function sealOf(
  document: Json,
  area: FingerprintArea,
  ports: Pick<Ports, 'env'>,
  apiSecret?: string,
): Seal | undefined {
  const key = hmacKeyOf(area, ports, apiSecret)
  if (!key) return undefined
  // No JSON text begins with these words: neither is ever the fingerprint of a value.
  const hmac = (text: string) => createHmac('sha256', key).update(`gatewright ${text}`).digest('hex')
  return { key: hmac('key').slice(0, 8), hmac: hmac(`seal ${canonicalText(document, 'as written')}`) }
}
