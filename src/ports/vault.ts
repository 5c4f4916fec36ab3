/** What became of something that age has encrypted. */
export type Opened =
  /** Asked for just now: `open` opens it. */
  | { readonly is: 'pending' }
  | { readonly is: 'opened'; readonly bytes: Uint8Array }
  /** No key here opens it; `why` tells where keys were looked for. */
  | { readonly is: 'closed'; readonly why: string }
  /** Not what age wrote: somebody has changed it, or a part is missing. */
  | { readonly is: 'broken' }

/**
 * Opens what age has encrypted. Manifests are read at one go: whoever reads asks, whoever called waits until all that was
 * asked for is open, and has it read again.
 */
export interface Vault {
  /** A file of age: in its armour, or in Base64. */
  readonly ask: (sealed: string) => Opened
  /** Opens what was asked for since; false where there was nothing. */
  readonly open: () => Promise<boolean>
}
