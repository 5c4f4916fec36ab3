import { createHash, randomBytes } from 'node:crypto'
import type { KindName } from '../catalog/types.js'

/** Generates ids, keys and tokens. The same seed gives the same values in the same order. */
export interface Ids {
  /** A new id for an object of that kind. */
  readonly of: (kind: KindName) => string
  /** A new secret text of that many characters of [a-z0-9]. */
  readonly text: (length: number) => string
}

/** The kinds whose ids are 24 characters of [a-z0-9] (field notes, Reading); all others have UUIDs. */
const shortIds: ReadonlySet<KindName> = new Set<KindName>(['Service', 'Endpoint'])

/** Ids from a seed. Without a seed, a random one is used. */
export function makeIds(seed = randomBytes(16).toString('hex')): Ids {
  let count = 0
  const bytes = (length: number): Buffer => {
    const blocks: Buffer[] = []
    for (let made = 0; made < length; made += 32) {
      count += 1
      blocks.push(createHash('sha256').update(`${seed}:${count}`).digest())
    }
    return Buffer.concat(blocks)
  }
  const text = (length: number) => [...bytes(length).subarray(0, length)].map(letter).join('')
  return { of: (kind) => (shortIds.has(kind) ? text(24) : uuid(bytes(16))), text }
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

const letter = (byte: number): string => alphabet.charAt(byte % alphabet.length)

function uuid(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  const variant = 'a'
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
