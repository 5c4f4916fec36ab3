/**
 * A text in a form that PostgreSQL can store; different texts stay different. NUL and halves of surrogate pairs are not
 * characters there. Texts without them are stored as they are.
 */
export const storable = (text: string): string =>
  isHeld(text) && !text.startsWith(mark) ? text : mark + JSON.stringify(text)

/**
 * A value as JSON that a database of any encoding can store: the record of a request that was sent must not be refused because of
 * a character in it.
 */
export const storableJson = (value: object): string =>
  JSON.stringify(value).replaceAll(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

const mark = 'json:"'

const isHeld = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text)
