/** Names come from people and from the platform: control characters in them must not reach a terminal. */
export const printable = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
