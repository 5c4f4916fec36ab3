/**
 * Characters that a reader acts on, or does not show: control characters (C0 and C1), bidirectional and other format
 * characters, separators of lines. The two joiners stay: words and emoji are made with them.
 */
const unprintable = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** The same, but for what stands between lines and words. */
const unprintableInLines = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** A text on one line in which every character shows: the others are written as JSON escapes, such as \u001b. */
export const printable = (text: string): string => text.replaceAll(unprintable, asEscapes)

/** The same for several lines; tabs stay as well. */
export const printableLines = (text: string): string => text.replaceAll(unprintableInLines, asEscapes)

/** Whether `printableLines` leaves a text as it is. */
export const isPrintable = (text: string): boolean => !text.match(unprintableInLines)

/** Where CI systems look for commands in what a job writes: `::` at the beginning of a line, `##[` anywhere, and the like. */
const commands = /(?<=^[^\S\n]*):(?=:)|(?<=#)#(?=(?:vso|teamcity)?\[)/gm

/** A text in which no CI system finds a command; what is changed is written as a JSON escape. */
export const withoutCommands = (text: string): string => text.replaceAll(commands, asEscapes)

/** Whether `withoutCommands` leaves a text as it is. */
export const hasNoCommand = (text: string): boolean => !text.match(commands)

const asEscapes = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')
