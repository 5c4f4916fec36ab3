/** A file that `init` writes if it does not exist, with its purpose. */
export interface StarterFile {
  readonly path: string
  readonly about: string
  readonly text: string
}
