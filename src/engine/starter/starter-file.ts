/** A file that `init` writes where there is none, with what it is for. */
export interface StarterFile {
  readonly path: string
  readonly about: string
  readonly text: string
}
