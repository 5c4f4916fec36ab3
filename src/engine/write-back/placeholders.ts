import type { WrittenLayer } from '../../manifest/marks.js'
import { markedText } from '../../manifest/source.js'

export const hasPlaceholder = (text: string): boolean => /(?<!\$)\$\{/.test(text)

/** The value that a text is, and nothing else. */
export const wholeText = (text: string): string | undefined => /^(["']?)\$\{value:([^}]*)\}\1$/.exec(text.trim())?.[2]

/** The value that a layer takes for a whole field. */
export const wholeValue = ({ value }: WrittenLayer): string | undefined => wholeText(markedText(value.mark))
