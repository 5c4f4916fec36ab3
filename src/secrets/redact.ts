/** Hides secrets in texts: those that the caller knows, and those that the client learns on its way. */
export interface Redaction {
  readonly mask: (text: string) => string
  readonly learn: (secret: string) => void
}

/** Shorter ones would tear holes into ordinary words. */
const shortest = 4

export function createRedaction(mask: (text: string) => string, secrets: readonly string[]): Redaction {
  const known = new Set<string>()
  const learn = (secret: string): void => {
    if (secret.length < shortest) return
    // As it stands in a URL or a form, too.
    for (const form of [secret, encodeURIComponent(secret)]) known.add(form)
  }
  for (const secret of secrets) learn(secret)
  return {
    learn,
    mask: (text) => [...known].reduce((masked, secret) => masked.replaceAll(secret, '***'), mask(text)),
  }
}
