/** Removes the line end of a secret, or of the name of an area, that was read from a file (A356). */
export const withoutBreak = (text = ''): string => text.replace(/[\r\n]+$/, '')
