/** The state of something that age has encrypted. */
export type Opened =
  /** It was just requested: `open` decrypts it. */
  | { readonly is: 'pending' }
  | { readonly is: 'opened'; readonly bytes: Uint8Array }
  /** No key here decrypts it; `why`: where keys were looked for. */
  | { readonly is: 'closed'; readonly why: string }
  /** Not valid: somebody has changed it, or a part is missing. */
  | { readonly is: 'broken' }

/**
 * Decrypts what age has encrypted. Manifests are read without waiting: the reader requests values with `request`, and its caller
 * waits until `open` has decrypted them, and reads again.
 */
export interface Vault {
  /** Requests a file of age: armoured, or in Base64. */
  readonly request: (sealed: string) => Opened
  /** Decrypts what was requested since the last call; false if there was nothing. */
  readonly open: () => Promise<boolean>
}
