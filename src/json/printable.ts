/**
 * Characters that have an effect on a reader, or are invisible: control characters (C0 and C1), bidirectional and other format
 * characters, separators of lines. The two joiners are allowed: words and emoji need them.
 */
const unprintable = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** The same without the characters between lines and words. */
const unprintableInLines = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** A text on one line in which every character is visible: the others are written as JSON escapes, such as \u001b. */
export const printable = (text: string): string => text.replaceAll(unprintable, asEscapes)

/** The same for several lines; tabs stay as well. */
export const printableLines = (text: string): string => text.replaceAll(unprintableInLines, asEscapes)

/** Whether `printableLines` does not change a text. */
export const isPrintable = (text: string): boolean => !text.match(unprintableInLines)

/**
 * Where CI systems look for commands in the output of a job: `::` at the beginning of a line, `##[` anywhere, and similar texts.
 */
const commands = /(?<=^[^\S\n]*):(?=:)|(?<=#)#(?=(?:vso|teamcity)?\[)/gm

/** A text in which no CI system finds a command; changed characters are JSON escapes. */
export const withoutCommands = (text: string): string => text.replaceAll(commands, asEscapes)

/** Whether `withoutCommands` does not change a text. */
export const hasNoCommand = (text: string): boolean => !text.match(commands)

const asEscapes = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')
