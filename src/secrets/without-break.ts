/** A secret, or the name of an area, that was read from a file often brings the end of the line along (A356). */
export const withoutBreak = (text = ''): string => text.replace(/[\r\n]+$/, '')
