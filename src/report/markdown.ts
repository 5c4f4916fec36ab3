import { printable, withoutCommands } from '../json/printable.js'

/**
 * Texts of others in Markdown, as GitHub and GitLab read it: nothing in them may become an image, a link, a mention, a
 * reference, HTML, or the end of what they stand in. None of these takes more than one line of Markdown.
 */

/** A block of a diff. Its fence is longer than any that the values hold: they cannot end the block. */
export function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}diff\n${withoutCommands(text)}\n${fence}`
}

/** A text with the lines of a diff below it, if there are any. */
export const withDiff = (text: string, lines: readonly string[]): string =>
  lines.length === 0 ? text : `${text}\n\n${fenced(lines.join('\n'))}`

/** A text with remarks below it. */
export const withRemarks = (text: string, remarks: readonly string[]): string =>
  [text, ...remarks.map((remark) => `> ${escaped(remark)}`)].join('\n\n')

/** A name or a value: nothing is looked for in it. */
export function code(text: string): string {
  const shown = withoutCommands(printable(text))
  const fence = '`'.repeat(longestRun(shown) + 1)
  // A blank at each end is taken away again; without it a backtick there would belong to the fence.
  const isBare = shown !== '' && !/^[` ]|[` ]$/.test(shown)
  return isBare ? fence + shown + fence : `${fence} ${shown} ${fence}`
}

/** Words with names in them. */
export const escaped = (text: string): string => text.split('\n').map(escapedLine).join('<br>')

/** A text between tags of HTML in which Markdown is not read, such as a summary. */
export const html = (text: string): string =>
  withoutCommands(printable(text)).replaceAll(/[&<>]/g, (sign) => entities[sign] ?? sign)

/** Not by arguments of a call: a long text may have more runs than a call takes. */
const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)

function escapedLine(text: string): string {
  const blockMark = /^(?:[-+=]|\d+(?=[.)]))/
  return printable(text)
    .trim()
    .replaceAll(special, (found) => entities[found] ?? mark(found))
    .replace(blockMark, (found) => (/\d/.test(found) ? `${found}\\` : `\\${found}`))
}

/** Signs of Markdown and HTML; what mentions and references begin with; what makes an address a link by itself. */
const special = /[&<>\\`*_[\]|~$#!]|@(?=\w)|:(?=\/\/)|www(?=\.)|GH(?=-\d)/gi

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', $: '&#36;' }

/** Behind what would begin a mention, a reference or a link stands a space of no width: backslashes do not stop those. */
const mark = (found: string): string => {
  if (/^[a-z:@]/i.test(found)) return `${found}${gap}`
  return /[#!~]/.test(found) ? `\\${found}${gap}` : `\\${found}`
}

const gap = '&#8203;'
