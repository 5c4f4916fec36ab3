import { createHmac } from 'node:crypto'
import type { Json } from '../json/json.js'
import { canonicalText } from '../json/order.js'
import type { Ports } from '../ports/ports.js'
import { type FingerprintArea, hmacKeyOf, keyId } from './fingerprint.js'

/** Proves that nobody without the key has changed a document (A150). */
export interface Seal {
  /** The id of the key: it distinguishes another key from a changed document. */
  readonly key: string
  /** HMAC-SHA256 of the document in canonical order, in hex. */
  readonly hmac: string
}

/** The seal of a document with the fingerprint key of the area; undefined if there is no key. */
export function sealOf(
  document: Json,
  area: FingerprintArea,
  ports: Pick<Ports, 'env'>,
  apiSecret?: string,
): Seal | undefined {
  const key = hmacKeyOf(area, ports, apiSecret)
  if (!key) return undefined
  // As with the id of the key, this is never the fingerprint of a value.
  const text = `gatewright seal ${canonicalText(document, 'as written')}`
  return { key: keyId(key), hmac: createHmac('sha256', key).update(text).digest('hex') }
}
