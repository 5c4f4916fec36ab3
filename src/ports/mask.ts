/** Hides secrets anywhere in a text. A secret that is learned later is hidden from then on, for all users of this mask. */
export interface Mask {
  (text: string): string
  /**
   * Also hides parts of secrets in a text that somebody has shortened, such as a platform that repeats the first characters of
   * what it refuses: the beginning of a secret, at the end of the text or, if it is not an ordinary word, anywhere in it (A347);
   * and secrets in bytes that are written in an unusual way (A492).
   */
  cutOff(text: string): string
  learn(...secrets: readonly (string | undefined)[]): void
  /** Secrets that are too short to be searched for in other texts (A112). */
  readonly short: ReadonlySet<string>
  /** The names of fields whose values no log shows: they contain secrets, or did so before. */
  readonly fields: Set<string>
}
