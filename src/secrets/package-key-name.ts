import { createHmac } from 'node:crypto'

/**
 * The name of a package key in addresses: `<package> #<last four characters>-<8 hex digits of HMAC-SHA256>`, without the
 * hash where there is no fingerprint key, the package alone where no apikey is known. Short keys show a third at most.
 */
export function packageKeyName(packageName: string, apikey: string | undefined, fingerprintKey?: string): string {
  if (apikey === undefined || apikey === '') return packageName
  const mark = packageKeyMark(apikey, fingerprintKey)
  return mark === '' ? packageName : `${packageName} #${mark}`
}

/** What tells a key from others without showing it: `<last four characters>-<8 hex digits>`, as in its name. */
export function packageKeyMark(apikey: string, fingerprintKey?: string): string {
  const characters = [...apikey]
  const shown = Math.min(4, Math.floor(characters.length / 3))
  const tail = shown === 0 ? '' : characters.slice(-shown).join('')
  const hash = fingerprintKey === undefined ? '' : fingerprint(apikey, fingerprintKey)
  return [tail, hash].filter((part) => part !== '').join('-')
}

const fingerprint = (apikey: string, fingerprintKey: string): string =>
  createHmac('sha256', fingerprintKey).update(apikey).digest('hex').slice(0, 8)
