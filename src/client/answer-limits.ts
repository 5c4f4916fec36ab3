/** An answer that no area needs and that asking again would not mend: it is not waited for, kept or taken apart. */
export class UnusableAnswer extends Error {
  constructor(words: string, options?: ErrorOptions) {
    super(words, options)
    this.name = 'UnusableAnswer'
  }
}

/** What one answer may cost (A71). */
export interface AnswerLimits {
  /** Of its body, decompressed. */
  readonly bytes: number
  /** From the request to the end of the body. */
  readonly ms: number
}

export const answerLimits: AnswerLimits = { bytes: 256 * 1024 * 1024, ms: 300_000 }

export const tooLong = ({ bytes }: AnswerLimits, cause?: unknown): UnusableAnswer =>
  new UnusableAnswer(`the answer is longer than ${bytes} bytes`, { cause })

export const tooSlow = ({ ms }: AnswerLimits, cause?: unknown): UnusableAnswer =>
  new UnusableAnswer(`the answer did not end within ${ms / 1000} s`, { cause })

const deepest = 500

/** Throws if a JSON text is nested more deeply than its readers, which call themselves for what is inside, can go. */
export function refuseTooDeep(text: string): void {
  if (!/^\s*[[{]/.test(text)) return
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
}

/** Where the closing quote of a string is, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1
    while (text[before] === '\\') before -= 1
    // A quote behind an odd number of backslashes is one of the string's own.
    if ((quote - before) % 2 === 1) return quote
  }
  return text.length
}
