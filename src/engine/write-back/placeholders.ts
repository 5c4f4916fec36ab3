import type { WrittenLayer } from '../../manifest/ranges.js'
import { textOfRange } from '../../manifest/source.js'

export const hasPlaceholder = (text: string): boolean => /(?<!\$)\$\{/.test(text)

/** The name of the value, if the text consists only of its placeholder. */
export const wholeText = (text: string): string | undefined => /^(["']?)\$\{value:([^}]*)\}\1$/.exec(text.trim())?.[2]

/** The name of the value that a layer uses for a whole field. */
export const wholeValue = ({ value }: WrittenLayer): string | undefined => wholeText(textOfRange(value.range))
