/**
 * A text as PostgreSQL can hold it, another one for every other: NUL and halves of surrogate pairs are no characters there.
 * Texts without these are stored as they are.
 */
export const storable = (text: string): string =>
  isHeld(text) && !text.startsWith(mark) ? text : mark + JSON.stringify(text)

const mark = 'json:"'

const isHeld = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text)
