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
  let isString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isString) {
      if (code === backslash) at += 1
      else if (code === quote) isString = false
    } else if (code === quote) isString = true
    else if (code === openBracket || code === openBrace) depth += 1
    else if (code === closeBracket || code === closeBrace) depth -= 1
    if (depth > deepest) throw new UnusableAnswer(`the answer is nested more than ${deepest} levels deep`)
  }
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [...'"\\[]{}'].map((each) =>
  each.charCodeAt(0),
)
