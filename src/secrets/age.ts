import { armor, Decrypter, Encrypter } from 'age-encryption'
import type { Opened } from '../ports/vault.js'
import type { AgeKeys } from './age-keys.js'

/** Only this module imports the package. It is loaded when something is to be decrypted or encrypted. */

/** Decrypts what age has encrypted for one of the keys: armoured, or in Base64. What age never wrote is broken without a key, too. */
export async function openAge(sealed: string, { keys, searched }: AgeKeys): Promise<Opened> {
  const bytes = bytesOf(sealed)
  if (!bytes) return { is: 'broken' }
  const decrypter = new Decrypter()
  const usable = keys.filter((key) => isAdded(decrypter, key))
  const where = usable.length === keys.length ? searched : `${searched}; one that was found is cut short or mistyped`
  if (usable.length === 0) return { is: 'closed', why: `there is no age key (${where})` }
  try {
    return { is: 'opened', bytes: await decrypter.decrypt(bytes) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return error.message.startsWith('no identity matched')
      ? { is: 'closed', why: `no age key opens it (${where})` }
      : { is: 'broken' }
  }
}

function isAdded(decrypter: Decrypter, key: string): boolean {
  try {
    decrypter.addIdentity(key)
    return true
  } catch {
    return false
  }
}

/** The first line of every file that age writes. */
const header = 'age-encryption.org/v1\n'

/** undefined: it is no file of age. */
function bytesOf(sealed: string): Uint8Array | undefined {
  const bytes = decoded(sealed)
  return bytes && Buffer.from(bytes).toString('latin1').startsWith(header) ? bytes : undefined
}

function decoded(sealed: string): Uint8Array | undefined {
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(sealed)) return new Uint8Array(Buffer.from(sealed, 'base64'))
  try {
    return armor.decode(sealed.trim())
  } catch {
    return undefined
  }
}

/** Encrypts a text for these recipients; the result is in Base64. */
export async function sealAge(text: string, recipients: readonly string[]): Promise<string> {
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  return Buffer.from(await encrypter.encrypt(text)).toString('base64')
}

/** Whether a word is a recipient that the package can encrypt for. */
export function isRecipient(word: string): boolean {
  try {
    new Encrypter().addRecipient(word)
    return true
  } catch {
    return false
  }
}
