import { printableLines, withoutCommands } from '../json/printable.js'
import type { OutputStream } from './io.js'

/**
 * A stream on which nothing arrives but text and our own colours: reports escape what they take from others, and what one of
 * them should forget is escaped here. In JSON, and between YAML's double quotes, the escapes mean the same characters.
 */
export const safeStream = (stream: OutputStream): OutputStream => streamThrough(stream, safeText)

/** A stream that writes each text as it is then. */
export const streamThrough = (stream: OutputStream, changed: (text: string) => string): OutputStream => ({
  get isTTY() {
    return stream.isTTY
  },
  get columns() {
    // A terminal that was never told its width, as those that containers and scripts open, says 0.
    return stream.columns || undefined
  },
  write: (text) => stream.write(changed(text)),
  ...(stream.delivered && { delivered: stream.delivered }),
})

const safeText = (text: string): string =>
  withoutCommands(
    text
      .split(ourColours)
      .map((part, index) => (index % 2 === 1 ? part : printableLines(part)))
      .join(''),
  )

/** The codes of `Colours`, and none that hides or moves anything. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are given colours by control characters
const ourColours = /(\u001b\[(?:1|2|22|3[1-6]|39)m)/
