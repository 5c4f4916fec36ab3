/** A text as manifests write it: `${` is where a placeholder begins, and `$${` is `${` itself. */
export const escaped = (text: string): string => text.replaceAll('${', () => '$${')

/** The placeholder of an environment variable. */
export const variablePlaceholder = (name: string): string => `\${env:${name}}`
