import { printable, printableLines, withoutCommands } from '../../json/printable.js'

/** Texts of others in formats that are no JSON: nothing in them is read as a command, and every character shows. */

/** On one line. */
export const lineOf = (text: string): string => withoutCommands(printable(wellFormed(text)))

/** On as many lines as it has. */
export const linesOf = (text: string): string => withoutCommands(printableLines(wellFormed(text)))

/** Halves of characters stand for nothing: no file holds them. */
export const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, '\ufffd')
