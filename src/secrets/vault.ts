import type { Opened, Vault } from '../ports/vault.js'
import type { AgeKeys } from './age-keys.js'

/** A vault for these keys. They are searched, and the package is loaded, when there is something to decrypt. */
export function makeVault(keysOf: () => AgeKeys): Vault {
  const known = new Map<string, Opened>()
  const requested = new Set<string>()
  return {
    request: (sealed) => {
      const opened = known.get(sealed)
      if (opened) return opened
      requested.add(sealed)
      return { is: 'pending' }
    },
    open: async () => {
      const waiting = [...requested]
      requested.clear()
      if (waiting.length === 0) return false
      const keys = keysOf()
      const { openAge } = await import('./age.js')
      for (const sealed of waiting) known.set(sealed, await openAge(sealed, keys))
      return true
    },
  }
}

/** Reads, and reads again each time that values which the reading requested are decrypted. */
export async function readOpened<Value>(vault: Vault, read: () => Value): Promise<Value> {
  let value = read()
  while (await vault.open()) value = read()
  return value
}
