import type { WrittenLayer } from '../../manifest/marks.js'
import type { Mark } from '../../manifest/source.js'

/** What stands at a place. */
export const textOf = ({ source, start, end }: Mark): string => source.text.slice(start, end)

export const hasPlaceholder = (text: string): boolean => /(?<!\$)\$\{/.test(text)

/** The value that a text is, and nothing else. */
export const wholeText = (text: string): string | undefined => /^(["']?)\$\{value:([^}]*)\}\1$/.exec(text.trim())?.[2]

/** The value that a layer takes for a whole field. */
export const wholeValue = ({ value }: WrittenLayer): string | undefined => wholeText(textOf(value.mark))
