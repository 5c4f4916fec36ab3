/**
 * A text as PostgreSQL can hold it, another one for every other: NUL and halves of surrogate pairs are no characters there.
 * Texts without these are stored as they are.
 */
export const storable = (text: string): string =>
  isHeld(text) && !text.startsWith(mark) ? text : mark + JSON.stringify(text)

/**
 * A value as JSON that a database of any encoding can hold: what is recorded of a request that was sent must not be refused
 * for a character in it.
 */
export const storableJson = (value: object): string =>
  JSON.stringify(value).replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

const mark = 'json:"'

const isHeld = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text)
