/** A text as a part of a pattern: each of its characters stands for itself. */
export const literalPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** A pattern for any of the texts, the first that fits, without a letter or digit beside it. */
export const anyWordOf = (texts: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${texts.map(literalPattern).join('|')})(?![\\p{L}\\p{N}])`, 'gu')
