/** Hides secrets wherever they stand in a text. What is learned later is hidden from then on, by all who have this mask. */
export interface Mask {
  (text: string): string
  /**
   * Also of a text that somebody has cut, such as a platform that repeats the first characters of what it refuses: the
   * beginning of a secret, at the end of the text or, if it is no ordinary word, anywhere in it (A347).
   */
  cutOff(text: string): string
  learn(...secrets: readonly (string | undefined)[]): void
  /** Those that are too short to be looked for in other texts (A112). */
  readonly short: ReadonlySet<string>
  /** The names of fields of which no log shows a value: secrets lie in them, and did so before. */
  readonly fields: Set<string>
}
