import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { armor, Encrypter } from 'age-encryption'
import { fixture } from './fixture.js'

/** The keys of test/fixtures/sops: the secret key in the form of SOPS_AGE_KEY, and the public key. */
export const ageKey = fixture('sops/keys.txt')
export const recipient = /age1\w+/.exec(ageKey)?.[0] ?? ''
export const otherKey = fixture('sops/other-keys.txt')
export const otherRecipient = /age1\w+/.exec(otherKey)?.[0] ?? ''

/** A text, encrypted by age for one recipient, in the form `${age:…}`. */
export async function sealedAge(text: string, to = recipient): Promise<string> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(to)
  return `\${age:${Buffer.from(await encrypter.encrypt(text)).toString('base64')}}`
}

/** A JSON file with these values, as sops would write it. With a suffix, only values whose names end in it are encrypted. */
export async function sealedSops(values: Readonly<Record<string, string>>, encryptedSuffix = ''): Promise<string> {
  const key = randomBytes(32)
  const seal = (text: string, additional: string): string => {
    const iv = randomBytes(32)
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(additional))
    const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    const [sealed, nonce, tag] = [data, iv, cipher.getAuthTag()].map((each) => each.toString('base64'))
    return `ENC[AES256_GCM,data:${sealed},iv:${nonce},tag:${tag},type:str]`
  }
  const entries = Object.entries(values)
  const hash = createHash('sha512')
  for (const [, value] of entries) hash.update(value)
  const lastmodified = '2026-11-22T09:00:00Z'
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  const enc = armor.encode(await encrypter.encrypt(key))
  const mac = seal(hash.digest('hex').toUpperCase(), lastmodified)
  const sops = {
    age: [{ recipient, enc }],
    lastmodified,
    mac,
    ...(encryptedSuffix === '' ? { unencrypted_suffix: '_unencrypted' } : { encrypted_suffix: encryptedSuffix }),
    version: '3.9.4',
  }
  const written = entries.map(([name, value]) => [
    name,
    name.endsWith(encryptedSuffix) ? seal(value, `${name}:`) : value,
  ])
  return JSON.stringify({ ...Object.fromEntries(written), sops }, null, 2)
}
