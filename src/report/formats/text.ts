import { printable, printableLines, withoutCommands } from '../../json/printable.js'

/** A text of others on one line. No part of it is read as a command, and every character is visible. */
export const lineOf = (text: string): string => withoutCommands(printable(wellFormed(text)))

/** The same with line breaks. */
export const linesOf = (text: string): string => withoutCommands(printableLines(wellFormed(text)))

/** Replaces unpaired surrogates, which files cannot contain. */
export const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, '\ufffd')
