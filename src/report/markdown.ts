import { printable } from './printable.js'

/** A block of a diff. Its fence is longer than any that the values hold: they cannot end the block. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}diff\n${text}\n${fence}`
}

/** Names and messages come from people and from the platform: nothing in them may become markup. */
export const escaped = (text: string): string => html(text).replaceAll(/[\\`*_[\]|~#]/g, (mark) => `\\${mark}`)

export const code = (text: string): string => `<code>${html(text)}</code>`

/** A text as it may stand in Markdown between tags of HTML. */
export const html = (text: string): string =>
  printable(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
