import { Readable } from 'node:stream'
import type { World as RealWorld } from '../../src/cli/io.js'

/** A terminal on which these lines are typed before the input ends. `shown` returns the text that was written to stderr. */
export function typing(...lines: readonly string[]): { readonly io: Partial<RealWorld>; readonly shown: () => string } {
  let shown = ''
  const stdin = Object.assign(Readable.from(lines.map((line) => `${line}\n`)), { isTTY: true })
  const stderr = { isTTY: true, write: (text: string) => (shown += text) }
  return { io: { stdin, stderr }, shown: () => shown }
}
