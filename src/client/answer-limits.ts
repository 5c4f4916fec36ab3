import { endOfString } from '../json/end-of-string.js'

/** An answer that no area needs, and that would be the same after a second request: it is neither awaited, kept nor parsed. */
export class UnusableAnswer extends Error {
  constructor(words: string, options?: ErrorOptions) {
    super(words, options)
    this.name = 'UnusableAnswer'
  }
}

/** The limits of one answer (A71). */
export interface AnswerLimits {
  /** The bytes of its body, decompressed. */
  readonly bytes: number
  /** The milliseconds from the request to the end of the body. */
  readonly ms: number
}

export const answerLimits: AnswerLimits = { bytes: 256 * 1024 * 1024, ms: 300_000 }

export const tooLong = ({ bytes }: AnswerLimits, cause?: unknown): UnusableAnswer =>
  new UnusableAnswer(`the answer is longer than ${bytes} bytes`, { cause })

export const tooSlow = ({ ms }: AnswerLimits, cause?: unknown): UnusableAnswer =>
  new UnusableAnswer(`the answer did not end within ${ms / 1000} s`, { cause })

const deepest = 500

/**
 * Whether a JSON text ends before its brackets are closed. Throws if it is nested so deeply that its recursive readers would
 * fail.
 */
export function breaksOff(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at)
        break
      case 0x5b: // [
      case 0x7b: // {
        depth += 1
        if (depth > deepest) throw new UnusableAnswer(`the answer is nested more than ${deepest} levels deep`)
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1
    }
  }
  return depth > 0
}
