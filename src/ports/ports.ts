import type { Mask } from './mask.js'
import type { Progress } from './progress.js'
import type { Transport } from './transport.js'
import type { Vault } from './vault.js'

/** What a use case is given of the world beside its values, the file system apart. A test, a page or a worker makes its own. */
export interface Ports {
  /** Environment variables: what `${env:NAME}` stands for, and the credentials. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths count from. */
  readonly cwd: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Resolves after that many milliseconds; rejects at once when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Aborted when the user interrupts the program. */
  readonly signal: AbortSignal
  /** Makes the way to the wire; called by use cases that go online, and by no other. What is for the platform uses the key. */
  readonly transport: (to?: 'platform') => Promise<Transport>
  readonly progress: Progress
  /** Knows every secret that was read: nothing that is shown or written down holds one. */
  readonly mask: Mask
  /** Opens what age has encrypted, with the keys of whoever runs the program. */
  readonly vault: Vault
}
