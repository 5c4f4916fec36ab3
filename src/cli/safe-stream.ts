import { printableLines, withoutCommands } from '../json/printable.js'
import type { OutputStream } from './io.js'

/**
 * A stream that passes only text and our own colours. Reports already escape texts of others; if one forgets it, they are escaped
 * here. In JSON, and in YAML's double quotes, the escapes mean the same characters.
 */
export const safeStream = (stream: OutputStream): OutputStream => streamThrough(stream, safeText)

/** The same world with both streams safe. */
export const withSafeStreams = <Streams extends { readonly stdout: OutputStream; readonly stderr: OutputStream }>(
  world: Streams,
): Streams => ({ ...world, stdout: safeStream(world.stdout), stderr: safeStream(world.stderr) })

/** A stream that changes each text before it writes it. */
export const streamThrough = (stream: OutputStream, changed: (text: string) => string): OutputStream => ({
  get isTTY() {
    return stream.isTTY
  },
  get columns() {
    // A terminal of unknown width, such as those in containers and scripts, reports 0.
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

/** The codes of `Colours`. None of them hides or moves text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are given colours by control characters
const ourColours = /(\u001b\[(?:1|2|22|3[1-6]|39)m)/
