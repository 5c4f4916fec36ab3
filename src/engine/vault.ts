import { platform } from 'node:os'
import { nodeFiles } from '../files/files.js'
import type { Ports } from '../ports/ports.js'
import type { Vault } from '../ports/vault.js'
import { ageKeysOf } from '../secrets/age-keys.js'
import { makeVault } from '../secrets/vault.js'

/** A vault with the age keys of this machine. The default key file is in the home directory that the variables name. */
export function vaultOf({ env, cwd }: Pick<Ports, 'env' | 'cwd'>): Vault {
  const home = env.HOME ?? env.USERPROFILE ?? ''
  return makeVault(() => {
    const files = nodeFiles(cwd)
    const readText = (path: string): string | undefined => {
      const read = files.readText(path)
      // A key file that is encrypted with a passphrase can be read, and is no text.
      return 'text' in read ? read.text : read.broken && ''
    }
    return ageKeysOf({ env, platform: platform(), home, readText })
  })
}
