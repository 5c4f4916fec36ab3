import { createHmac } from 'node:crypto'

/**
 * The name in addresses of an object whose own name is a secret, such as a package key: `<the name of its package> #<last four
 * characters>-<8 hex digits of HMAC-SHA256>`. The digits are left out if there is no fingerprint key, both parts if the secret is
 * not known. Of short secrets at most a third is shown.
 */
export function nameOfKey(owner: string, key: string | undefined, fingerprintKey?: string): string {
  if (key === undefined || key === '') return owner
  const mark = rangeOfKey(key, fingerprintKey)
  return mark === '' ? owner : `${owner} #${mark}`
}

/** Identifies a key without showing it: `<last four characters>-<8 hex digits>`, as in its name. */
export function rangeOfKey(key: string, fingerprintKey?: string): string {
  const characters = [...key]
  const displayed = Math.min(4, Math.floor(characters.length / 3))
  const tail = displayed === 0 ? '' : characters.slice(-displayed).join('')
  const hash = fingerprintKey === undefined ? '' : fingerprint(key, fingerprintKey)
  return [tail, hash].filter((part) => part !== '').join('-')
}

const fingerprint = (key: string, fingerprintKey: string): string =>
  createHmac('sha256', fingerprintKey).update(key).digest('hex').slice(0, 8)
