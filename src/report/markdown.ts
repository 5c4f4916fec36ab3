import { printable, withoutCommands } from '../json/printable.js'

/**
 * Texts of others in Markdown for GitHub and GitLab. No part of them can become an image, a link, a mention, a reference or HTML,
 * or end the element that contains it. A name or a text needs only one line of Markdown.
 */

/** A diff block. Its fence is longer than any fence in the values, so that they cannot end the block. */
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

/** A name or a value as code, in which Markdown is not interpreted. */
export function code(text: string): string {
  const displayed = withoutCommands(printable(text))
  const fence = '`'.repeat(longestRun(displayed) + 1)
  // Markdown removes one space at each end. Without these spaces, a backtick at an end would belong to the fence.
  const isBare = displayed !== '' && !/^[` ]|[` ]$/.test(displayed)
  return isBare ? fence + displayed + fence : `${fence} ${displayed} ${fence}`
}

/** A text in which all Markdown is escaped. */
export const escaped = (text: string): string => text.split('\n').map(escapedLine).join('<br>')

/** A text between HTML tags where Markdown is not interpreted, such as a summary. */
export const escapedHtml = (text: string): string =>
  withoutCommands(printable(text)).replaceAll(/[&<>]/g, (sign) => entities[sign] ?? sign)

/** Not with Math.max(...): a long text may have more runs than a call can have arguments. */
const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)

function escapedLine(text: string): string {
  const blockMark = /^(?:[-+=]|\d+(?=[.)]))/
  return printable(text)
    .trim()
    .replaceAll(special, (found) => entities[found] ?? mark(found))
    .replace(blockMark, (found) => (/\d/.test(found) ? `${found}\\` : `\\${found}`))
}

/**
 * Special characters of Markdown and HTML, the beginnings of mentions and references, and the parts of URLs that become links.
 */
const special = /[&<>\\`*_[\]|~$#!]|@(?=\w)|:(?=\/\/)|www(?=\.)|GH(?=-\d)/gi

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', $: '&#36;' }

/**
 * Adds a zero-width space after the beginning of a mention, a reference or a link, because a backslash does not prevent those.
 */
const mark = (found: string): string => {
  if (/^[a-z:@]/i.test(found)) return `${found}${gap}`
  return /[#!~]/.test(found) ? `\\${found}${gap}` : `\\${found}`
}

const gap = '&#8203;'
