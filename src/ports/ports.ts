import type { Mask } from './mask.js'
import type { Progress } from './progress.js'
import type { Transport } from './transport.js'
import type { Vault } from './vault.js'

/**
 * Everything that a use case gets from outside besides its values, except the file system. A test, a page or a worker makes its
 * own.
 */
export interface Ports {
  /** Environment variables: the values of `${env:NAME}`, and the credentials. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths are relative to. */
  readonly cwd: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Resolves after that many milliseconds; rejects at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Aborted when the user interrupts the program. */
  readonly signal: AbortSignal
  /** Opens the network transport; only use cases that go online call it. With 'platform', its requests count for the key. */
  readonly transport: (to?: 'platform') => Promise<Transport>
  readonly progress: Progress
  /** Knows every secret that was read: output and records never contain one. */
  readonly mask: Mask
  /** Decrypts what age has encrypted, with the keys of the user who runs the program. */
  readonly vault: Vault
}
